// Duplicates finds the tracks of a library that are the same recording, by their audio.
//
//     Sound            input of a comparison: fingerprint, signature, duration
//     Sketch           keys of a recording, and their encoding for the database
//     SketchKeys       selection of a few keys that other files of the recording are likely to share
//     SketchIndex      inverted file of these keys, which finds candidate pairs
//     LandmarkBlocks   search for blocks of 4 s in another recording, by landmarks of the whole track,
//     FingerprintBlocks  or by Chromaprint items, if there are no signatures
//     AlignmentSearch  from places of blocks to an `Alignment`: the stretches that are the same, and the speed
//     Relation         meaning of an alignment: another encoding, a cut, an edit, another speed, a part, or nothing
//     RecordingGroups  from pairs to groups that are not joined by weak links
//
// References: Wang, "An Industrial-Strength Audio Search Algorithm", ISMIR 2003 (landmarks, offset histograms); Haitsma
// and Kalker, "A Highly Robust Audio Fingerprinting System", ISMIR 2002 (bit error rates of blocks); Broder, "On the
// Resemblance and Containment of Documents", SEQUENCES 1997 (keys sampled by a hash).

public import Chromaprint
public import Landmarks

/// The features of a recording that are compared.
public struct Sound: Sendable {
  /// Covers the first two minutes in most libraries.
  public var fingerprint: Fingerprint?
  /// Covers the whole track.
  public var signature: Signature?
  /// Duration of the whole track, in seconds.
  public var duration: Double

  public init(fingerprint: Fingerprint?, signature: Signature?, duration: Double) {
    self.fingerprint = fingerprint
    self.signature = signature
    self.duration = duration
  }
}
