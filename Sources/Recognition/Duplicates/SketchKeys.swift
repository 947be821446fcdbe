internal import Chromaprint
internal import Landmarks

/// A key of a recording, with its position.
public struct SketchKey: Hashable, Sendable {
  public var key: UInt32
  /// Position in units of about 0.5 s from the start; see `SketchKeys`.
  public var position: UInt32

  public init(key: UInt32, position: UInt32) {
    self.key = key
    self.position = position
  }
}

/// Selects a few keys of a recording that its other files are likely to share, wherever they start.
enum SketchKeys {
  /// One in this many items of a fingerprint is used.
  private static let fingerprintStep: UInt32 = 8
  /// Items per unit of position: 0.5 s.
  private static let itemsPerUnit = 4

  /// Returns the keys of the items that a hash selects: about one per second.
  static func of(_ fingerprint: Fingerprint) -> [SketchKey] {
    var keys: [SketchKey] = []
    var last: UInt32?
    for (place, item) in fingerprint.items.enumerated() {
      defer { last = item }
      // Silence and steady tones repeat an item, so the item says nothing about the position.
      guard item != last, item != 0 else { continue }
      let mixed = mix(UInt64(item))
      guard mixed >> 32 % UInt64(fingerprintStep) == 0 else { continue }
      keys.append(SketchKey(key: UInt32(truncatingIfNeeded: mixed), position: UInt32(place / itemsPerUnit)))
    }
    return keys
  }

  /// One in this many triplets of a signature is used.
  private static let tripletStep: UInt64 = 20
  /// Columns per unit of position: 0.5 s.
  private static let columnsPerUnit = 16
  /// A dominant landmark is the strongest one within this many columns (0.32 s) and bands (two thirds of an octave).
  private static let dominance = (columns: 10, bands: 23)
  /// Columns from the first landmark of a triplet to the others: 0.06 to 2 s.
  private static let reach = 2...64
  /// Number of low key bits that store the band of a triplet's first landmark.
  private static let bandBits: UInt32 = 8
  /// Each landmark forms triplets with any two of this many landmarks that follow it.
  private static let followers = 4

  /// Returns the keys that a hash selects among the triplets of dominant landmarks: about 1.3 per second.
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
          // At another speed, a recording is a few bands higher or lower, which results in neighboring keys.
          let key = UInt32(truncatingIfNeeded: mixed) << bandBits | UInt32(first.band)
          keys.append(SketchKey(key: key, position: UInt32(first.column / columnsPerUnit)))
        }
      }
    }
    return keys
  }

  /// Returns the landmarks that have no stronger landmark close by; encoders hardly move them.
  static func dominant(_ landmarks: [Landmark]) -> [Landmark] {
    var chosen: [Landmark] = []
    for index in landmarks.indices {
      let landmark = landmarks[index]
      var isDominant = true
      var before = index - 1
      while isDominant, before >= 0, landmark.column - landmarks[before].column <= dominance.columns {
        let other = landmarks[before]
        // The first of equal landmarks counts.
        if abs(other.band - landmark.band) <= dominance.bands, other.strength >= landmark.strength {
          isDominant = false
        }
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
