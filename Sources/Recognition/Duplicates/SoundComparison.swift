internal import Chromaprint
internal import Landmarks

/// A recording prepared for comparison with others.
public struct ComparableSound: Sendable {
  public let sound: Sound
  let map: LandmarkMap?

  public init(_ sound: Sound) {
    self.sound = sound
    map = sound.signature.map { LandmarkMap($0) }
  }

  /// Returns the alignment with another recording: by signatures if both recordings have one, otherwise by
  /// fingerprints. `nil` if the recordings have nothing in common, or cannot be compared.
  public func alignment(with other: ComparableSound) -> Alignment? {
    // Search for blocks of the shorter recording in the longer one.
    if sound.duration > other.sound.duration { return other.alignment(with: self)?.reversed }
    guard var alignment = search(in: other) else { return nil }
    let corroboration = Corroboration(of: alignment, self, other)
    alignment.dominantShare = corroboration.dominantShare
    alignment.weakestShare = corroboration.weakestShare
    alignment.fingerprintAgreement = corroboration.fingerprintAgreement
    return alignment
  }

  private func search(in other: ComparableSound) -> Alignment? {
    if let map, let theirs = other.map {
      return AlignmentSearch(LandmarkBlocks(map, in: theirs)).alignment(
        basis: .signature, own: sound.duration, other: other.sound.duration)
    }
    guard let own = sound.fingerprint, let theirs = other.sound.fingerprint else { return nil }
    let rate = FingerprintBlocks.framesPerSecond
    return AlignmentSearch(FingerprintBlocks(own, in: theirs)).alignment(
      basis: .fingerprint, own: Double(own.count) / rate, other: Double(theirs.count) / rate)
  }
}
