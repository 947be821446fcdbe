internal import Analysis
internal import DSP
internal import Mathematics

/// The levels, frame by frame, of 222 bins of a third of a semitone each, and the tuning of the audio. They are kept
/// until the network runs.
///
/// A frame is the mean of two columns of the STFT and lasts 0.512 s. Bins are triangles with logarithmically spaced
/// centers, no narrower than the resolution of the STFT. `Benchmarks/key/spectra.py` computes the same spectrum for
/// training.
struct PitchSpectrum {
  /// A window that is long enough to separate semitones from 66 Hz up, at a sample rate that recognition uses as well.
  static let layout = SpectrumLayout.pitches
  static let columnsPerFrame = 2
  static let frameSeconds = Double(columnsPerFrame) / layout.columnsPerSecond
  static let binsPerSemitone = 3
  /// The lowest pitch, as a MIDI note number.
  static let lowestPitch = 33
  static let binCount = 74 * binsPerSemitone
  /// Level of silence, in dB relative to a full-scale sine.
  static let floor: Float = -100
  /// Factor that scales |X|² to 1 for a full-scale sine.
  private static let scale = 16 / Float(layout.windowLength * layout.windowLength)

  /// The first bin of each triangle, the bounds of its weights in `weights`, and the weights.
  private struct Triangles {
    var firstBins: [Int] = []
    var bounds = [0]
    var weights: [Float] = []
  }

  private static let triangles: Triangles = {
    let width = Double(layout.sampleRate) / Double(layout.windowLength)
    var triangles = Triangles()
    for bin in 0..<binCount {
      let pitch = Double(lowestPitch) + Double(bin - 1) / Double(binsPerSemitone)
      let center = 440 * exp2((pitch - 69) / 12)
      let half = max(center * (exp2(1.0 / 36) - 1), width)
      let first = Int(((center - half) / width).rounded(.up))
      let last = Int(((center + half) / width).rounded(.down))
      triangles.firstBins.append(first)
      triangles.weights += (first...last).map { Float(max(0, 1 - abs(Double($0) * width - center) / half)) }
      triangles.bounds.append(triangles.weights.count)
    }
    return triangles
  }()

  /// Levels in dB by frame, before the shift to 440 Hz.
  private(set) var levels: [Float] = []
  /// The tuning of the kept frames and, with decaying weight, of earlier frames.
  private(set) var tuning = Tuning()
  /// The tuning of all columns so far.
  private(set) var overallTuning = Tuning()
  /// Band powers of the last column.
  private var bands = [Float](repeating: 0, count: binCount)
  /// Band powers of the first column of a frame whose second column is missing; valid if `isPending`.
  private var pending = [Float](repeating: 0, count: binCount)
  private var isPending = false

  var frameCount: Int { levels.count / Self.binCount }

  mutating func append(_ column: Span<Float>) {
    var own = Tuning()
    own.add(column)
    tuning.add(own)
    overallTuning.add(own)
    // Swapping avoids a copy.
    var target: [Float] = []
    swap(&target, &bands)
    let triangles = Self.triangles
    column.withUnsafeBufferPointer { column in
      triangles.weights.withUnsafeBufferPointer { weights in
        for bin in 0..<Self.binCount {
          let (start, end) = (triangles.bounds[bin], triangles.bounds[bin + 1])
          let first = triangles.firstBins[bin]
          precondition(first + end - start <= column.count)
          var sum: Float = 0
          for offset in 0..<end - start { unsafe sum += weights[start + offset] * column[first + offset] }
          target[bin] = sum * Self.scale
        }
      }
    }
    bands = target
    if isPending { append(pending, bands) } else { swap(&pending, &bands) }
    isPending.toggle()
  }

  /// Completes the last frame if it has only one column.
  mutating func finish() {
    if isPending { append(pending, pending) }
    isPending = false
  }

  private mutating func append(_ first: [Float], _ second: [Float]) {
    for (one, other) in zip(first, second) { levels.append(10 * log10(0.5 * (one + other) + 1e-10)) }
  }

  /// Returns the levels of a range of frames, shifted by up to half a semitone to a tuning of 440 Hz.
  func tuned(_ frames: Range<Int>, cents: Double) -> [Float] {
    var moved = [Float](repeating: 0, count: frames.count * Self.binCount)
    for bin in 0..<Self.binCount {
      let place = Double(bin) + cents * Double(Self.binsPerSemitone) / 100
      let low = min(max(Int(place.rounded(.down)), 0), Self.binCount - 2)
      let part = Float(min(max(place - Double(low), 0), 1))
      for (row, frame) in frames.enumerated() {
        let at = frame * Self.binCount + low
        moved[row * Self.binCount + bin] = levels[at] * (1 - part) + levels[at + 1] * part
      }
    }
    return moved
  }

  /// Removes the first frames, and halves the weight of the tuning so far because the tuning can change within a mix.
  mutating func removeFirst(_ frames: Int) {
    levels.removeFirst(frames * Self.binCount)
    tuning.halve()
  }
}
