/// The cookie that lets the app's pages in.
package enum AppCookie {
  package static let name = "nocturne"
  /// Seconds.
  package static let lifetime = 30 * 86_400

  /// No script can read it, and no page from elsewhere can make a browser send it (RFC 6265bis).
  package static func header(_ pass: String, isSecure: Bool) -> String {
    "\(name)=\(pass); Path=/; Max-Age=\(lifetime); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  package static func expired(isSecure: Bool) -> String {
    "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}
