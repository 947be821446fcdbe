internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The fields of a query string or of a body of type `application/x-www-form-urlencoded`
/// (https://url.spec.whatwg.org/#urlencoded-parsing).
package struct FormFields: Sendable {
  private let fields: [(name: String, value: String)]

  /// - Parameter text: The encoded text. Bytes that are not valid UTF-8 become U+FFFD.
  package init(_ text: some StringProtocol) {
    fields = text.utf8.split(separator: UInt8(ascii: "&")).map { field in
      let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
      return (Self.decoded(field[..<end]), Self.decoded(field[end...].dropFirst()))
    }
  }

  /// The first value of a field.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  package static func + (first: Self, second: Self) -> Self { Self(fields: first.fields + second.fields) }

  private init(fields: [(name: String, value: String)]) { self.fields = fields }

  package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  private static func decoded(_ bytes: some Collection<UInt8>) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        if digits.count == 2 {
          decoded.append(UInt8(digits[0] << 4 | digits[1]))
          rest = rest.dropFirst(2)
        } else {
          decoded.append(byte)
        }
      default: decoded.append(byte)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

extension Request {
  /// Reads the fields of the body, which may be compressed. The request keeps the decompressed body, so that it can be
  /// read again.
  /// - Throws: `RequestError` if the body is damaged or too large.
  package mutating func collectForm() async throws -> FormFields {
    var body = try await collectBody(upTo: BodyLimits.standard)
    if headers[.contentEncoding]?.lowercased() == "gzip" {
      body = ByteBuffer(bytes: try GzipBody.unpacked(Array(body.readableBytesView), limit: BodyLimits.standard))
      self.body = RequestBody(buffer: body)
      var head = head
      head.headerFields[.contentEncoding] = nil
      self = Request(head: head, body: self.body)
    }
    return FormFields(String(buffer: body))
  }
}
