internal import CLibAV
internal import Text

/// A hash value. Its description is hexadecimal.
///
/// Comparison takes constant time, so the response time does not reveal how much of a guess was correct.
public struct Digest: Sendable, CustomStringConvertible {
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// - Parameter hexadecimal: Two digits per byte, in upper or lower case. For any other text, the result is `nil`.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Returns the 32-byte SHA-256 digest (FIPS 180-4) of bytes.
  public static func sha256(of bytes: some Collection<UInt8>) -> Digest {
    Digest(count: 32, of: bytes) { unsafe LAVSHA256($0.baseAddress, $0.count, $1) }
  }

  /// Returns the SHA-256 of a list of byte strings, each preceded by its length, so that no two lists hash the same
  /// bytes.
  public static func sha256(ofList parts: [[UInt8]]) -> Digest {
    var bytes: [UInt8] = []
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { unsafe bytes += $0 }
      bytes += part
    }
    return sha256(of: bytes)
  }

  /// Returns the 16-byte MD5 digest (RFC 1321) of bytes. Collisions are easy to construct, so use MD5 only where a
  /// protocol requires it.
  public static func md5(of bytes: some Collection<UInt8>) -> Digest {
    Digest(count: 16, of: bytes) { bytes, digest in
      unsafe LAVMD5(bytes.baseAddress, bytes.count, digest)
      return true
    }
  }

  /// An incremental SHA-256 or MD5 digest.
  public struct Running: ~Copyable {
    private let state: OpaquePointer

    /// Creates a SHA-256 digest, or an MD5 digest if `isSHA256` is `false`.
    public init(isSHA256: Bool) {
      guard let state = LAVDigestOpen(isSHA256) else { fatalError("out of memory: a few hundred bytes for a digest") }
      self.state = state
    }

    deinit { LAVDigestClose(state) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
      unsafe LAVDigestUpdate(state, bytes.baseAddress, bytes.count)
    }

    /// Returns the digest of all bytes so far. No more bytes may follow.
    public mutating func finish() -> Digest {
      var bytes = [UInt8](repeating: 0, count: 32)
      let count = unsafe LAVDigestFinish(state, &bytes)
      return Digest(bytes: Array(bytes.prefix(Int(count))))
    }
  }

  public var description: String { bytes.hexadecimal }

  init(
    count: Int, of bytes: some Collection<UInt8>,
    _ write: (UnsafeBufferPointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Bool
  ) {
    self.bytes = [UInt8](unsafeUninitializedCapacity: count) { digest, written in
      let isDone = unsafe Array(bytes).withUnsafeBufferPointer { unsafe write($0, digest.baseAddress!) }
      precondition(isDone, "out of memory")
      written = count
    }
  }
}

extension Digest: Equatable {
  public static func == (one: Digest, other: Digest) -> Bool {
    guard one.bytes.count == other.bytes.count else { return false }
    return zip(one.bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
