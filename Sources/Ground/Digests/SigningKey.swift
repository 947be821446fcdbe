internal import CLibAV

/// A key that signs bytes with HMAC-SHA-256 (RFC 2104).
public struct SigningKey: Sendable {
  private let bytes: [UInt8]

  /// - Parameter bytes: Secret, unguessable bytes. A password is not suitable.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a new secret key of 32 bytes from the system.
  public static func random() -> SigningKey {
    var system = SystemRandomNumberGenerator()
    return SigningKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &system) })
  }

  public func signature(of text: String) -> Digest { signature(of: Array(text.utf8)) }

  func signature(of message: [UInt8]) -> Digest {
    Digest(count: 32, of: message) { message, code in
      unsafe LAVHMACSHA256(bytes, bytes.count, message.baseAddress, message.count, code)
    }
  }

  /// Derives a key of 32 bytes for one purpose, from which neither this key nor the key for another purpose can be
  /// computed. Uses HKDF with SHA-256 (RFC 5869), without a salt.
  public func derived(for purpose: String) -> SigningKey {
    let extracted = SigningKey(bytes: [UInt8](repeating: 0, count: 32)).signature(of: bytes)
    return SigningKey(bytes: SigningKey(bytes: extracted.bytes).signature(of: Array(purpose.utf8) + [1]).bytes)
  }
}
