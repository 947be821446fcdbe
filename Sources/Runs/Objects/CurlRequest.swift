/// A request in the form of a configuration that `curl --config -` reads from standard input. Requests contain secrets,
/// which program arguments would reveal to all users of the machine.
struct CurlRequest: Sendable {
  static let arguments = ["curl", "--disable", "--config", "-"]

  private var lines: [String]
  let isRedirected: Bool

  /// - Parameter protocols: The protocols that are allowed, including for redirects.
  init(url: String, protocols: String, isRedirected: Bool, silence: Duration) {
    self.isRedirected = isRedirected
    let seconds = "\(max(1, silence.components.seconds))"
    lines = ["silent", "globoff", "path-as-is", "include", "suppress-connect-headers"]
    set("url", url)
    set("proto", "=\(protocols)")
    set("proto-redir", "=\(protocols)")
    if isRedirected {
      set("location")
      set("max-redirs", "5")
    }
    set("user-agent", "nocturne")
    set("connect-timeout", seconds)
    set("speed-limit", "1024")
    set("speed-time", seconds)
  }

  mutating func set(_ option: String, _ value: String? = nil) {
    guard let value else { return lines.append(option) }
    let quoted = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    lines.append("\(option) = \"\(quoted)\"")
  }

  mutating func addHeader(_ name: String, _ value: String) { set("header", "\(name): \(value)") }

  var text: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }
}
