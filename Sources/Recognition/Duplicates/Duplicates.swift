// Duplicates: which tracks of a library are of the same recording, by sound.
//
//     Sound            what is compared of a recording: its fingerprint, its signature, its length
//     Sketch           the keys of a sound, and as the bytes that a database keeps
//     SketchKeys       the few keys of a sound that other files of the recording are likely to have, too
//     SketchIndex      an inverted file of these keys, which finds the pairs that are worth a comparison
//     LandmarkBlocks   a sound in blocks of 4 s, looked for in another one: by landmarks of the whole track,
//     FingerprintBlocks  or by Chromaprint's items, where there are no signatures
//     AlignmentSearch  from the places of blocks to an `Alignment`: which stretches are the same, at which speed
//     Relation         what an alignment means: another encoding, a cut, an edit, another speed, a part, or nothing
//     RecordingGroups  from pairs to groups that do not hang together by weak links
//
// Methods: Wang, "An Industrial-Strength Audio Search Algorithm", ISMIR 2003 (landmarks, histograms of offsets); Haitsma and
// Kalker, "A Highly Robust Audio Fingerprinting System", ISMIR 2002 (bit error rates of blocks); Broder, "On the Resemblance
// and Containment of Documents", SEQUENCES 1997 (keys chosen by a hash).

public import Chromaprint
public import Landmarks

/// What is compared of a recording.
public struct Sound: Sendable {
  /// The first two minutes, in most libraries.
  public var fingerprint: Fingerprint?
  /// The whole track.
  public var signature: Signature?
  /// Seconds of the whole track.
  public var duration: Double

  public init(fingerprint: Fingerprint?, signature: Signature?, duration: Double) {
    self.fingerprint = fingerprint
    self.signature = signature
    self.duration = duration
  }
}
