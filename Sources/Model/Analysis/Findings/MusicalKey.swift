/// A tonic and a mode, with their common names.
public struct MusicalKey: Hashable, Sendable {
  public enum Mode: String, Hashable, Sendable {
    case major, minor
  }

  /// Pitch class of the tonic, 0 to 11; C is 0.
  public let pitchClass: Int
  public let mode: Mode

  public init(pitchClass: Int, mode: Mode) {
    precondition((0..<12).contains(pitchClass))
    self.pitchClass = pitchClass
    self.mode = mode
  }

  /// The name of the tonic, such as `C`, `Db` or `F#`, in the spelling whose key signature has the fewest accidentals.
  public var tonic: String {
    mode == .major
      ? ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"][pitchClass]
      : ["C", "C#", "D", "Eb", "E", "F", "F#", "G", "G#", "A", "Bb", "B"][pitchClass]
  }

  /// Position on the Camelot wheel (Mixed In Key): `8B` is C major, `8A` is A minor.
  public var camelot: String { "\((fifths + 7) % 12 + 1)\(mode == .major ? "B" : "A")" }

  /// Position on the circle of fifths, counted from C (Open Key): `1d` is C major, `1m` is A minor.
  public var openKey: String { "\(fifths + 1)\(mode == .major ? "d" : "m")" }

  /// Number of fifths from C up to the tonic of the relative major key, from 0 to 11.
  private var fifths: Int { (mode == .major ? pitchClass : pitchClass + 3) * 7 % 12 }
}

extension MusicalKey: CustomStringConvertible {
  public var description: String { "\(tonic) \(mode.rawValue)" }
}
