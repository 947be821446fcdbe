public import Chromaprint
public import Landmarks

/// The keys of a sound, by which it is found among others: a few kilobytes, so those of a whole library can be kept.
public struct Sketch: Hashable, Sendable {
  /// The number of this way to choose keys: raised when the same sound gets others.
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
  private static let longestStep = 255
  private static let keyBytes = 4

  /// For each key the units since the one before, in bytes of which all but the last are 255, and the key in four bytes,
  /// little-endian.
  /// - Parameter keys: In order of position.
  public static func bytes(of keys: [SketchKey]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * (keyBytes + 1))
    var position: UInt32 = 0
    for key in keys {
      var step = key.position - position
      position = key.position
      while step >= longestStep {
        bytes.append(UInt8(longestStep))
        step -= UInt32(longestStep)
      }
      bytes.append(UInt8(step))
      for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: key.key >> shift)) }
    }
    return bytes
  }

  /// Reads what `bytes(of:)` writes; of damaged bytes what can be read.
  public static func keys(in bytes: [UInt8]) -> [SketchKey] {
    var keys: [SketchKey] = []
    keys.reserveCapacity(bytes.count / (keyBytes + 1))
    var (place, position) = (0, UInt32(0))
    while place < bytes.count {
      let step = UInt32(bytes[place])
      position &+= step
      place += 1
      if step == longestStep { continue }
      guard place + keyBytes <= bytes.count else { break }
      let key = (0..<keyBytes).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
      keys.append(SketchKey(key: key, position: position))
      place += keyBytes
    }
    return keys
  }
}
