internal import CXXHash
internal import Platform
public import SystemPackage

/// A 128-bit hash that identifies content: XXH3 (Collet 2019–, xxHash specification). It recognizes equal bytes but
/// does not protect against forgery.
public struct ContentID: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public init(hashing bytes: [UInt8]) {
    let hash = bytes.withUnsafeBytes { unsafe XXH3_128bits($0.baseAddress, $0.count) }
    self.init(high: hash.high64, low: hash.low64)
  }
}

extension ContentID {
  /// Identifies a file by the bytes of its absolute path, without a trailing zero byte. The id of a path must never
  /// change.
  public init(ofPath path: FilePath) {
    self = path.withBytes { ContentID(hashing: Array($0)) }
  }
}

extension ContentID {
  /// The 16 bytes in big-endian order, as `xxhsum -H2` prints them.
  public var bigEndianBytes: [UInt8] {
    [high, low].flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
  }
}

extension ContentID: CustomStringConvertible {
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// 22 characters of base62, most significant first.
  public var description: String {
    var rest = (UInt128(high) << 64) | UInt128(low)
    var digits = [UInt8](repeating: Self.alphabet[0], count: 22)
    for position in digits.indices.reversed() where rest > 0 {
      digits[position] = Self.alphabet[Int(rest % 62)]
      rest /= 62
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Parses `description`. Returns `nil` for any other text.
  public init?(_ description: String) {
    guard description.utf8.count == 22 else { return nil }
    var value: UInt128 = 0
    for byte in description.utf8 {
      guard let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 62)
      let (sum, carry) = product.addingReportingOverflow(UInt128(digit))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }
}

extension ContentID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = ContentID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 22 characters of base62: \(text)")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Hashes bytes incrementally, in constant memory.
public struct ContentHasher: ~Copyable {
  private let state: OpaquePointer

  public init() {
    guard let state = unsafe XXH3_createState() else { fatalError("out of memory: 576 bytes for a hash state") }
    self.state = unsafe state
    _ = unsafe XXH3_128bits_reset(state)
  }

  deinit { _ = unsafe XXH3_freeState(state) }

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  /// Returns the digest of all bytes so far.
  public func finish() -> ContentID {
    let hash = unsafe XXH3_128bits_digest(state)
    return ContentID(high: hash.high64, low: hash.low64)
  }
}
