internal import Foundation

package enum Credentials: Equatable {
  /// APIs whose clients send the token as a parameter.
  package enum Parameters {
    case subsonic, acoustID
  }

  /// A token from the token file.
  case secret(String)
  /// A token from the token file, or one issued by `/api/token`.
  case bearer(String)
  case cookie(String)
  /// The key in the URL of the cover with this id.
  case cover(key: String, id: String)
  /// A token from the token file, in the form that Subsonic's clients send: `md5(token + salt)`.
  case salted(token: String, salt: String)

  /// Parses Bearer (RFC 6750), or Basic (RFC 7617) with the token as the password and any name.
  package init?(authorization: String) {
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let value = String(parts[1])
    switch parts[0].lowercased() {
    case "bearer": self = .bearer(value)
    case "basic":
      guard let text = Data(base64Encoded: value).flatMap({ String(data: $0, encoding: .utf8) }),
        let colon = text.firstIndex(of: ":")
      else { return nil }
      self = .secret(String(text[text.index(after: colon)...]))
    default: return nil
    }
  }

  /// Parses the parameters of Subsonic or AcoustID. Subsonic has `apiKey`, or `t` and `s`, or `p`, which is plain or in
  /// hexadecimal digits after `enc:` (https://opensubsonic.netlify.app/docs/api-reference/). AcoustID has `client`.
  init?(parameters: FormFields, of kind: Parameters) {
    switch kind {
    case .acoustID:
      guard let client = parameters["client"] else { return nil }
      self = .secret(client)
    case .subsonic:
      if let key = parameters["apiKey"] {
        self = .secret(key)
      } else if let token = parameters["t"], let salt = parameters["s"] {
        self = .salted(token: token, salt: salt)
      } else if let password = parameters["p"] {
        self = .secret(Self.password(password))
      } else {
        return nil
      }
    }
  }

  private static func password(_ text: String) -> String {
    guard text.hasPrefix("enc:") else { return text }
    let digits = text.dropFirst(4).compactMap(\.hexDigitValue)
    guard digits.count == text.count - 4, digits.count.isMultiple(of: 2) else { return text }
    return String(
      decoding: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }, as: UTF8.self)
  }
}
