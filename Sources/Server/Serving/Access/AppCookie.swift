/// The cookie that gives the app's pages access to the server.
package enum AppCookie {
  package static let name = "nocturne"
  /// Lifetime in seconds.
  package static let lifetime = 30 * 86_400

  /// Returns the value of `Set-Cookie`. Scripts cannot read the cookie, and browsers do not send it with requests from
  /// other sites (RFC 6265bis).
  package static func header(_ pass: String, isSecure: Bool) -> String {
    "\(name)=\(pass); Path=/; Max-Age=\(lifetime); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  package static func expired(isSecure: Bool) -> String {
    "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}
