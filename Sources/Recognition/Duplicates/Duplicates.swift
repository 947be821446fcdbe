// Duplicates compares the audio of a library's tracks to find those that are the same recording.
//
//     Sound            input of a comparison: fingerprint, signature, duration
//     Sketch           keys of a recording, and their encoding for the database
//     SketchKeys       selection of a few keys that other files of the recording are likely to share
//     SketchIndex      inverted file of these keys, which finds candidate pairs
//     LandmarkBlocks   search for 4 s blocks in another recording by the landmarks of the whole track
//     FingerprintBlocks  the same search by Chromaprint items, for recordings without signatures
//     AlignmentSearch  derives an `Alignment` from the positions of matching blocks: the sections that are the same,
// and the speed
//     Relation         meaning of an alignment: another encoding, cut, edit, speed or mix, a part, or nothing
//     KnownCopies      copies that need not be compared with each other, if a recording has very many
//     RecordingGroups  from pairs to groups that are not joined by weak links
//
// References: Wang, "An Industrial-Strength Audio Search Algorithm", ISMIR 2003 (landmarks, offset histograms); Haitsma
// and Kalker, "A Highly Robust Audio Fingerprinting System", ISMIR 2002 (bit error rates of blocks); Broder, "On the
// Resemblance and Containment of Documents", SEQUENCES 1997 (keys sampled by a hash).

public import Chromaprint
public import Landmarks

/// The features by which a recording is compared with others.
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
