internal import Chromaprint
internal import Landmarks

/// A key of a sound, and where it is.
public struct SketchKey: Hashable, Sendable {
  public var key: UInt32
  /// Half seconds, about, from the start: see `SketchKeys.Unit`.
  public var position: UInt32

  public init(key: UInt32, position: UInt32) {
    self.key = key
    self.position = position
  }
}

/// The few keys of a sound that other files of the same recording are likely to have, too, wherever they begin.
enum SketchKeys {
  /// One of so many items of a fingerprint is listed.
  private static let fingerprintStep: UInt32 = 8
  /// Items in a unit of position: 0.5 s.
  private static let itemsPerUnit = 4

  /// Items that a hash chooses: about one a second.
  static func of(_ fingerprint: Fingerprint) -> [SketchKey] {
    var keys: [SketchKey] = []
    var last: UInt32?
    for (place, item) in fingerprint.items.enumerated() {
      defer { last = item }
      // Silence and steady sounds repeat an item, and say nothing of the place.
      guard item != last, item != 0 else { continue }
      let mixed = mix(UInt64(item))
      guard mixed >> 32 % UInt64(fingerprintStep) == 0 else { continue }
      keys.append(SketchKey(key: UInt32(truncatingIfNeeded: mixed), position: UInt32(place / itemsPerUnit)))
    }
    return keys
  }

  /// One of so many triplets of a signature is listed.
  private static let tripletStep: UInt64 = 20
  /// Columns in a unit of position: 0.5 s.
  private static let columnsPerUnit = 16
  /// No landmark so near to a dominant one is stronger: columns (0.32 s) and bands (two thirds of an octave).
  private static let dominance = (columns: 10, bands: 23)
  /// The landmarks of a triplet are so many columns from the first one: 0.06 to 2 s.
  private static let reach = 2...64
  /// Bits for the band of the first landmark of a triplet, at the end of its key.
  private static let bandBits: UInt32 = 8
  /// Each landmark makes triplets with any two of so many that follow it.
  private static let followers = 4

  /// Triplets of dominant landmarks that a hash chooses: about 1.3 a second.
  static func of(_ signature: Signature) -> [SketchKey] {
    let chosen = dominant(signature.landmarks)
    var keys: [SketchKey] = []
    for (index, first) in chosen.enumerated() {
      var targets: [Landmark] = []
      for next in chosen[(index + 1)...] {
        let distance = next.column - first.column
        if distance > reach.upperBound { break }
        if distance < reach.lowerBound { continue }
        targets.append(next)
        if targets.count == followers { break }
      }
      for (place, second) in targets.enumerated() {
        for third in targets[(place + 1)...] {
          let mixed = mix(
            UInt64((second.band - first.band + Landmark.bandCount) / 2) << 32
              | UInt64((third.band - first.band + Landmark.bandCount) / 2) << 16
              | UInt64((second.column - first.column) / 2) << 8 | UInt64((third.column - first.column) / 2))
          guard mixed >> 32 % tripletStep == 0 else { continue }
          // At another speed a sound is some bands higher: keys that are next to each other.
          let key = UInt32(truncatingIfNeeded: mixed) << bandBits | UInt32(first.band)
          keys.append(SketchKey(key: key, position: UInt32(first.column / columnsPerUnit)))
        }
      }
    }
    return keys
  }

  /// The landmarks beside which no stronger one is; encoders hardly move these.
  static func dominant(_ landmarks: [Landmark]) -> [Landmark] {
    var chosen: [Landmark] = []
    for index in landmarks.indices {
      let landmark = landmarks[index]
      var isDominant = true
      var before = index - 1
      while isDominant, before >= 0, landmark.column - landmarks[before].column <= dominance.columns {
        let other = landmarks[before]
        // Of equal ones the first counts.
        if abs(other.band - landmark.band) <= dominance.bands, other.strength >= landmark.strength { isDominant = false }
        before -= 1
      }
      var after = index + 1
      while isDominant, after < landmarks.count, landmarks[after].column - landmark.column <= dominance.columns {
        let other = landmarks[after]
        if abs(other.band - landmark.band) <= dominance.bands, other.strength > landmark.strength { isDominant = false }
        after += 1
      }
      if isDominant { chosen.append(landmark) }
    }
    return chosen
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
