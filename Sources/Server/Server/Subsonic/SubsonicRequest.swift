internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Serving

/// The parameters of a request, from its query or from a form (extension `formPost`).
struct SubsonicRequest: Sendable {
  let method: String
  private let address: FormFields
  private let form: FormFields?

  /// Maximum size of a form in bytes.
  private static let formLimit = 1 << 20

  /// - Parameter name: The name of the method, with or without `.view`.
  init(_ name: String, address: String, form: String? = nil) {
    method = name.hasSuffix(".view") ? String(name.dropLast(5)) : name
    self.address = FormFields(address)
    self.form = form.map { FormFields($0) }
  }

  init(_ request: inout Request, method name: String) async throws {
    var form: String?
    if request.method == .post,
      request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
    {
      form = String(buffer: try await request.collectBody(upTo: Self.formLimit))
    }
    self.init(name, address: request.uri.query ?? "", form: form)
  }

  var format: SubsonicAnswer.Format {
    form?["f"] == nil ? SubsonicAnswer.Format(address) : SubsonicAnswer.Format(form!)
  }

  subscript(name: String) -> String? { address[name] ?? form?[name] }

  func values(_ name: String) -> [String] { address.values(name) + (form?.values(name) ?? []) }

  func required(_ name: String) throws(RequestError) -> String {
    guard let value = self[name], !value.isEmpty else {
      throw .subsonic(.missingParameter, .badRequest, "The parameter \(name) is missing.")
    }
    return value
  }

  func integer(_ name: String) throws(RequestError) -> Int? {
    guard let text = self[name], !text.isEmpty else { return nil }
    guard let number = Int(text) else { throw RequestError(.badRequest, "\(name) is a whole number, not \(text).") }
    return number
  }

  /// Returns a number of items, clamped to the range from 0 to 500, the maximum in Subsonic.
  func count(_ name: String, else standard: Int) throws(RequestError) -> Int {
    min(max(0, try integer(name) ?? standard), 500)
  }

  func offset(_ name: String) throws(RequestError) -> Int { min(max(0, try integer(name) ?? 0), 1 << 40) }

  func flag(_ name: String) -> Bool? { self[name].map { $0 == "true" || $0 == "1" } }

  /// Checks that the client uses only one kind of credentials, and an API version that the server supports.
  func check() throws(RequestError) {
    if self["apiKey"] != nil, self["u"] != nil || self["p"] != nil || self["t"] != nil {
      throw .subsonic(
        .conflictingMechanisms, .badRequest, "Send either an API key, or a name with a password or token.")
    }
    guard let version = self["v"], let major = Int(version.prefix { $0 != "." }) else { return }
    if major < 1 {
      throw .subsonic(.clientTooOld, .badRequest, "This server speaks version \(SubsonicAnswer.version).")
    }
    if major > 1 {
      throw .subsonic(.serverTooOld, .badRequest, "This server speaks version \(SubsonicAnswer.version).")
    }
  }
}

extension RequestError {
  static func subsonic(_ code: SubsonicErrorCode, _ status: HTTPResponse.Status, _ message: String) -> RequestError {
    var error = RequestError(status, message)
    error.apiCode = code.rawValue
    return error
  }
}
