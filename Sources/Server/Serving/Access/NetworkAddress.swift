internal import Foundation
internal import NIOCore

/// An IPv4 or IPv6 address without a port. An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as IPv4.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address, in 4 or 16 bytes.
  let bytes: [UInt8]
  package let description: String

  /// - Parameter text: An address such as `192.168.1.2`, `::1` or `[::1]`, but not a name.
  package init?(_ text: some StringProtocol) {
    let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
    let plain = inner.prefix { $0 != "%" }
    guard !plain.isEmpty, let address = try? SocketAddress(ipAddress: String(plain), port: 0) else { return nil }
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
    switch address {
    case .v4(let address):
      var number = address.address.sin_addr.s_addr
      bytes = unsafe withUnsafeBytes(of: &number) { unsafe Array($0) }
    case .v6(let address):
      var number = address.address.sin6_addr
      let all = unsafe withUnsafeBytes(of: &number) { unsafe Array($0) }
      bytes = all.starts(with: mapped) ? Array(all.dropFirst(12)) : all
    default: return nil
    }
    description =
      bytes.count == 4 ? bytes.map { String($0) }.joined(separator: ".") : (address.ipAddress ?? String(plain))
  }

  /// `true` for loopback addresses, 127.0.0.0/8 and ::1.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// The network that counts as one client. A host with IPv6 usually has all 2^64 addresses of its network.
  var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }
}

/// An address, or all addresses with the same prefix: `10.0.0.0/8`.
package struct NetworkRange: Hashable, Sendable {
  private let address: NetworkAddress
  private let bitCount: Int

  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = NetworkAddress(parts[0]) else { return nil }
    self.address = address
    guard parts.count == 2 else {
      bitCount = address.bytes.count * 8
      return
    }
    guard let count = Int(parts[1]), 0...address.bytes.count * 8 ~= count else { return nil }
    bitCount = count
  }

  package func contains(_ other: NetworkAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
    guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - rest) == 0
  }
}
