import Recognition

/// Tracks put together from pieces of 6 to 14 s, each out of another real track and moved by 14 to 24 bands up or down:
/// so landmarks, pairs and the skew of their frequencies are those of real music, and none of it is the real tracks' own
/// music at a speed or pitch that a query could have.
struct MadeUpTracks<Generator: RandomNumberGenerator> {
  private let sources: [(landmarks: [Landmark], columnCount: Int)]
  /// Columns of 32 ms in a track.
  private let lengths: ClosedRange<Int>
  private var random: Generator

  init(of real: [ReferenceSignature], lengths: ClosedRange<Int>, random: Generator) {
    sources = real.map { (landmarks: $0.signature.landmarks, columnCount: $0.signature.columnCount) }
      .filter { $0.columnCount > 440 }
    self.lengths = lengths
    self.random = random
  }

  mutating func next(identifier: String) -> ReferenceSignature {
    var landmarks: [Landmark] = []
    var column = 0
    let length = Int.random(in: lengths, using: &random)
    while column < length, let source = sources.randomElement(using: &random) {
      let piece = min(Int.random(in: 190...440, using: &random), source.columnCount - 1)
      let first = Int.random(in: 0..<source.columnCount - piece, using: &random)
      let shift = Int.random(in: 14...24, using: &random) * (Bool.random(using: &random) ? 1 : -1)
      var low = 0
      var high = source.landmarks.count
      while low < high {
        let middle = (low + high) / 2
        if source.landmarks[middle].column < first { low = middle + 1 } else { high = middle }
      }
      while low < source.landmarks.count, source.landmarks[low].column < first + piece {
        var landmark = source.landmarks[low]
        landmark.column += column - first
        // Landmarks that leave the bands at one end come in at the other: the number of landmarks stays that of real
        // music.
        landmark.band = (landmark.band + shift + Landmark.bandCount) % Landmark.bandCount
        landmarks.append(landmark)
        low += 1
      }
      column += piece
    }
    landmarks.sort { ($0.column, $0.band) < ($1.column, $1.band) }
    return ReferenceSignature(
      identifier: identifier, signature: Signature(landmarks: landmarks, columnCount: column),
      items: [MediaItem(title: "Track \(identifier)", artist: "Nobody", album: "Simulation")])
  }
}

/// The same numbers on every machine (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
