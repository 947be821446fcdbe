public import Chromaprint
public import Landmarks

/// The keys by which a recording is found among others. They take only a few kilobytes, so the keys of a whole library
/// can be stored.
public struct Sketch: Hashable, Sendable {
  /// Version of the key selection; incremented when the same audio yields different keys.
  public static let version = 1

  public var fingerprint: [SketchKey]
  public var signature: [SketchKey]

  public init(fingerprint: [SketchKey], signature: [SketchKey]) {
    self.fingerprint = fingerprint
    self.signature = signature
  }

  public init(fingerprint: Fingerprint?, signature: Signature?) {
    self.init(
      fingerprint: fingerprint.map { SketchKeys.of($0) } ?? [], signature: signature.map { SketchKeys.of($0) } ?? [])
  }

  public func keys(by basis: Alignment.Basis) -> [SketchKey] {
    switch basis {
    case .fingerprint: fingerprint
    case .signature: signature
    }
  }
}

extension SketchKey {
  private static let maxStep = 255
  private static let keyBytes = 4

  /// Encodes each key as the distance from the previous key's position, followed by the key itself as four
  /// little-endian bytes. The distance is the sum of its bytes: any number of 255s, then one smaller byte.
  /// - Parameter keys: Ordered by position.
  public static func bytes(of keys: [SketchKey]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * (keyBytes + 1))
    var position: UInt32 = 0
    for key in keys {
      var step = key.position - position
      position = key.position
      while step >= maxStep {
        bytes.append(UInt8(maxStep))
        step -= UInt32(maxStep)
      }
      bytes.append(UInt8(step))
      for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: key.key >> shift)) }
    }
    return bytes
  }

  /// Decodes the output of `bytes(of:)`; an incomplete key at the end is ignored.
  public static func keys(in bytes: [UInt8]) -> [SketchKey] {
    var keys: [SketchKey] = []
    keys.reserveCapacity(bytes.count / (keyBytes + 1))
    var (place, position) = (0, UInt32(0))
    while place < bytes.count {
      let step = UInt32(bytes[place])
      position &+= step
      place += 1
      if step == maxStep { continue }
      guard place + keyBytes <= bytes.count else { break }
      let key = (0..<keyBytes).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
      keys.append(SketchKey(key: key, position: position))
      place += keyBytes
    }
    return keys
  }
}
