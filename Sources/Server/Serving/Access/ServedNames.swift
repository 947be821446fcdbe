/// The host names to which the server responds.
///
/// A foreign page can make its own name resolve to this machine after the page was loaded. The page would then have the
/// same origin as this server (DNS rebinding). However, the header `Host` still contains the foreign name.
package struct ServedNames: Sendable {
  private let names: Set<String>
  /// `true` if other machines can connect, using any address of this machine.
  private let allowsAddresses: Bool

  /// - Parameters:
  ///   - host: The address on which the server listens.
  ///   - names: Additional names, such as the name of a reverse proxy.
  package init(host: String, names: [String]) {
    let address = NetworkAddress(host)
    self.names = Set((["localhost", host] + names).map { Self.normalized($0) })
    allowsAddresses = address?.isLoopback != true && host.lowercased() != "localhost"
  }

  /// - Parameter authority: The value of the header `Host`: a name or an address, with an optional port.
  package func contain(_ authority: String) -> Bool {
    guard let host = Self.host(of: authority) else { return false }
    if let address = NetworkAddress(host) {
      // An address cannot be rebound. A server that listens on loopback accepts only loopback addresses.
      return allowsAddresses || address.isLoopback || names.contains(Self.normalized(host))
    }
    return names.contains(Self.normalized(host))
  }

  /// `true` if `text` is a name or an address, without scheme and port.
  package static func isName(_ text: String) -> Bool { host(of: text) == text }

  /// `true` if `text` has the form of the header `Origin`: scheme, name and optional port.
  package static func isOrigin(_ text: String) -> Bool {
    ["http://", "https://"].contains {
      text.lowercased().hasPrefix($0) && host(of: String(text.dropFirst($0.count))) != nil
    }
  }

  /// Returns the host without the port, because the port may be different behind a proxy or a tunnel; `nil` if the text
  /// is not a valid host.
  static func host(of authority: String) -> String? {
    var host = Substring(authority)
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || isPort(rest) else { return nil }
      host = host[...end]
    } else if let colon = host.firstIndex(of: ":") {
      guard isPort(host[colon...]) else { return nil }
      host = host[..<colon]
    }
    let isPlain = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
        true
      default: false
      }
    }
    return host.isEmpty || !isPlain ? nil : String(host)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && text.utf8.count <= 6 && text.dropFirst().utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  private static func normalized(_ name: String) -> String {
    let name = name.lowercased()
    let whole = name.count > 1 && name.hasSuffix(".") ? String(name.dropLast()) : name
    return whole.hasPrefix("[") ? String(whole.dropFirst().dropLast()) : whole
  }
}
