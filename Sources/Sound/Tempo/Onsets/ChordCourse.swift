internal import DSP
internal import Mathematics

/// The pitches that sound over time, for comparing the chords of beats: twelve pitch classes (chroma) from 300 to 2,100
/// Hz, and eleven bass bands below 300 Hz. Subtracting the mean of each frame removes sounds that contain all pitches,
/// such as drums.
struct ChordCourse {
  /// The pitch classes, followed by the bass bands, in three vectors.
  struct Notes {
    var low = SIMD8<Float>.zero
    var middle = SIMD8<Float>.zero
    var high = SIMD8<Float>.zero

    static func + (a: Notes, b: Notes) -> Notes {
      Notes(low: a.low + b.low, middle: a.middle + b.middle, high: a.high + b.high)
    }

    static func - (a: Notes, b: Notes) -> Notes {
      Notes(low: a.low - b.low, middle: a.middle - b.middle, high: a.high - b.high)
    }

    static func * (a: Notes, b: Float) -> Notes { Notes(low: a.low * b, middle: a.middle * b, high: a.high * b) }

    /// The notes scaled to length 1; zero stays zero.
    var normalized: Notes { self * (1 / max(product(self), 1e-9).squareRoot()) }

    func product(_ other: Notes) -> Float { (low * other.low + middle * other.middle + high * other.high).sum() }

    /// Returns the cosine similarity; 0 if either is zero.
    func likeness(to other: Notes) -> Float {
      let squares = product(self) * other.product(other)
      return squares > 1e-12 ? product(other) / squares.squareRoot() : 0
    }
  }

  private static let pitchClasses = 12
  private static let bassBands = 11
  private static let highest: Float = 2100
  /// Distance between frames in columns, which is about the length of a window.
  static let columnsPerFrame = 4

  /// For each frame, the sum of all frames before it, relative to the mean.
  private var sums: [Notes] = [Notes()]

  private static let classes: [Int] = BandSpectrogram.bank.centers.dropFirst(bassBands).filter { $0 < highest }.map {
    Int((12 * log2($0 / 440)).rounded() + 120) % pitchClasses
  }
  /// The reciprocal of the number of bands in each pitch class.
  private static let shares: [Float] = (0..<pitchClasses).map { own in
    1 / Float(max(1, classes.count { $0 == own }))
  }

  /// Frames appended so far; empty after `finish`.
  private var frames: [Notes] = []
  private var values = [Float](repeating: 0, count: 24)

  /// Appends a frame.
  /// - Parameter row: The address of the log levels of the frame's bands.
  mutating func append(_ row: UnsafePointer<Float>) {
    for index in values.indices { values[index] = 0 }
    for (index, own) in Self.classes.enumerated() { unsafe values[own] += row[Self.bassBands + index] }
    var (pitched, bass): (Float, Float) = (0, 0)
    for own in 0..<Self.pitchClasses {
      values[own] *= Self.shares[own]
      pitched += values[own]
    }
    for band in 0..<Self.bassBands { unsafe bass += row[band] }
    for own in 0..<Self.pitchClasses { values[own] -= pitched / Float(Self.pitchClasses) }
    for band in 0..<Self.bassBands {
      unsafe values[Self.pitchClasses + band] = row[band] - bass / Float(Self.bassBands)
    }
    frames.append(
      Notes(low: SIMD8(values[0..<8]), middle: SIMD8(values[8..<16]), high: SIMD8(values[16..<24])))
  }

  /// Computes the sums. Call it after the last frame.
  mutating func finish() {
    var total = Notes()
    for frame in frames { total = total + frame }
    let share = 1 / Float(max(1, frames.count))
    let mean = Notes(low: total.low * share, middle: total.middle * share, high: total.high * share)
    sums.reserveCapacity(frames.count + 1)
    for frame in frames { sums.append(sums[sums.count - 1] + frame - mean) }
    frames = []
  }

  /// Returns the sum of the notes between two columns, relative to the mean of the stretch.
  func notes(from start: Double, to end: Double) -> Notes { sum(before: end) - sum(before: start) }

  /// Returns the sum of the notes before a column, relative to the mean of the stretch.
  func sum(before column: Double) -> Notes { sums[frame(of: column)] }

  private func frame(of column: Double) -> Int {
    min(max(0, Int((column / Double(Self.columnsPerFrame)).rounded())), sums.count - 1)
  }
}
