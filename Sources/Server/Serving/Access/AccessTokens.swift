internal import Digests
package import Foundation

/// Decides which clients have access, by their tokens and passes.
///
/// Tokens are valid while they are in the token file. Passes are derived from tokens and are valid for a limited time:
/// they are the bearer tokens of `/api/token` and the cookies of the app. A pass is signed with its token. Therefore,
/// passes need not be stored, survive a restart, and become invalid together with the token.
package struct AccessTokens: Sendable {
  /// The token file; `nil` if every client that can connect has access.
  private let file: TokenFile?
  /// Signs passes if no tokens are needed.
  private let ownKey = SigningKey.random()

  package init(file: TokenFile?) { self.file = file }

  /// `true` if clients need a token.
  package var areNeeded: Bool { file != nil }

  /// Returns the name of a token; `nil` if the token does not exist. The lookup takes the same time for every token.
  package func name(ofSecret secret: String) -> String? {
    guard let file else { return nil }
    let digest = Digest.sha256(of: Array(secret.utf8))
    return file.tokens.reduce(nil) { found, token in token.digest == digest ? token.name : found }
  }

  /// Returns the name of the token that a Subsonic client has used as its password. The client sends it with a salt, as
  /// `t = md5(password + s)`. Returns `nil` if there is no such token.
  package func name(ofSubsonicToken token: String, salt: String) -> String? {
    guard let file, let digest = Digest(hexadecimal: token) else { return nil }
    return file.name { secret in Digest.md5(of: Array((secret + salt).utf8)) == digest }
  }

  /// Creates a pass for a limited time. Returns `nil` if there is no token with this name.
  /// - Parameter name: The name of a token; `nil` if no tokens are needed.
  package func pass(for name: String?, kind: Pass, lasting seconds: Int, now: Date = Date()) -> String? {
    guard let key = key(for: name, kind) else { return nil }
    let claim = "\(Int(now.timeIntervalSince1970) + seconds).\(Data((name ?? "").utf8).base64URL)"
    return "\(claim).\(Data(key.signature(of: claim).bytes).base64URL)"
  }

  /// Returns the name of the token from which a pass was created; empty if no tokens are needed, and `nil` if the pass
  /// is not valid.
  func name(ofPass pass: String, kind: Pass, now: Date = Date()) -> String? {
    let parts = pass.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let end = Int(parts[0]), end > Int(now.timeIntervalSince1970),
      let name = Data(base64URL: parts[1]).flatMap({ String(data: $0, encoding: .utf8) }),
      let signature = Data(base64URL: parts[2]), let key = key(for: file == nil ? nil : name, kind)
    else { return nil }
    return key.signature(of: "\(parts[0]).\(parts[1])") == Digest(bytes: Array(signature)) ? name : nil
  }

  /// The purpose of a pass. A pass for one purpose is not valid for another.
  package enum Pass: String, Sendable {
    /// A token from `/api/token`, in the header `Authorization`.
    case bearer
    /// The cookie of the app.
    case cookie
    /// The key in the URL of one cover.
    case cover
  }

  /// Returns the key in the URL of a cover. It replaces a token, because image tags cannot send headers. The key is
  /// valid while the token is.
  /// - Parameter name: The name of the client's token.
  /// - Returns: The key; `nil` if no tokens are needed, or if there is no such token.
  package func coverKey(for id: String, as name: String?) -> String? {
    guard file != nil, let name, let key = key(for: name, .cover) else { return nil }
    return "\(Data(name.utf8).base64URL).\(Data(key.signature(of: id).bytes).base64URL)"
  }

  /// Returns the name of the token from which a key for this cover was created; `nil` if the key is not valid.
  func name(ofCoverKey text: String, for id: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let name = Data(base64URL: parts[0]).flatMap({ String(data: $0, encoding: .utf8) }),
      let signature = Data(base64URL: parts[1]), let key = key(for: name, .cover)
    else { return nil }
    return key.signature(of: id) == Digest(bytes: Array(signature)) ? name : nil
  }

  private func key(for name: String?, _ kind: Pass) -> SigningKey? {
    var source = ownKey
    if let file {
      guard let token = file.tokens.first(where: { $0.name == name }) else { return nil }
      source = SigningKey(bytes: token.digest.bytes)
    }
    return source.derived(for: "nocturne \(kind.rawValue)")
  }
}

extension Data {
  /// The data in Base64 for URLs and cookies, without padding (RFC 4648, section 5).
  var base64URL: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  init?(base64URL text: some StringProtocol) {
    let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}
