/// Query parameters that grant access: signatures and tokens. They are used for fetching but never stored, because
/// other people read reports, and because a name must stay the same when its URI is signed again.
enum SecretQuery {
  private static let prefixes = ["x-amz-", "x-goog-"]
  private static let names: Set<String> = [
    "signature", "sig", "token", "access_token", "id_token", "auth", "auth_token", "authorization", "apikey", "api_key",
    "api-key", "key", "password", "passwd", "pwd", "secret", "client_secret", "session", "sessionid", "jwt", "hdnts",
    "hdnea", "credential",
  ]
  /// Parameters that belong to a signature by Amazon (S3 version 2, CloudFront), Google or Azure, but have a different
  /// meaning without a signature.
  private static let companions: Set<String> = [
    "awsaccesskeyid", "googleaccessid", "expires", "key-pair-id", "policy", "sv", "ss", "srt", "sp", "st", "se", "spr",
    "sr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv",
  ]

  /// - Parameter query: The query, percent-encoded and without its question mark.
  static func removed(from query: String) -> String {
    let parameters = query.split(separator: "&", omittingEmptySubsequences: true)
    let isSigned = parameters.contains { ["signature", "sig"].contains(name(of: $0)) }
    let kept = parameters.filter { parameter in
      let name = name(of: parameter)
      if names.contains(name) || prefixes.contains(where: name.hasPrefix) { return false }
      return !(isSigned && companions.contains(name))
    }
    // A slash would be taken for part of the path.
    return kept.joined(separator: "&").replacing("/", with: "%2F")
  }

  private static func name(of parameter: Substring) -> String {
    let text = parameter.prefix { $0 != "=" }
    let bytes = PercentEncoding.decoded(Array(text.utf8)) ?? Array(text.utf8)
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }
}
