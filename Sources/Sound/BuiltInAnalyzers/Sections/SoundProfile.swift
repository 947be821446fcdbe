internal import Analysis
internal import DSP
internal import Mathematics

/// The harmony, timbre and power of a track over time, in frames of a quarter of a second. Frames are longer in tracks
/// of more than an hour, so memory use stays below 5 MB.
struct SoundProfile {
  static let layout = SpectrumLayout.pitches
  static let columnSeconds = 1 / layout.columnsPerSecond
  private static let frameLimit = 16_384
  private static let minPower: Float = 1e-7
  /// Number of pitch classes; the first one is A.
  static let classCount = 12
  private static let coefficientCount = 13

  /// The semitone bands of six octaves, starting with the A below the lowest C of a cello.
  private static let semitones = FilterBank(
    frequencies: (-37...36).map { 440 * exp2(Float($0) / 12) }, binWidth: binWidth, binCount: layout.binCount)
  private static let melBands: FilterBank = {
    let (low, high) = (mel(30), mel(3900))
    let count = 24
    let frequencies = (0..<count + 2).map { index in
      700 * (exp(Float(index) / Float(count + 1) * (high - low) + low) - 1)
    }
    return FilterBank(frequencies: frequencies, binWidth: binWidth, binCount: layout.binCount)
  }()
  private static let binWidth = Float(layout.sampleRate) / Float(layout.windowLength)

  /// Weight of each mel band in the coefficients of the discrete cosine transform, starting with the second
  /// coefficient.
  private static let shares: [SIMD16<Float>] = (0..<melBands.count).map { band in
    let scale = (2 / Float(melBands.count)).squareRoot()
    var values = SIMD16<Float>()
    for index in 0..<coefficientCount {
      values[index] = scale * cos(Float.pi * Float(index + 1) * (Float(band) + 0.5) / Float(melBands.count))
    }
    return values
  }

  private static func mel(_ hertz: Float) -> Float { log(1 + hertz / 700) }

  /// Chroma of each frame: the compressed amplitude in 12 pitch classes relative to each column's mean, which makes it
  /// independent of the level.
  private(set) var chroma: [SIMD16<Float>] = []
  /// Mel-frequency cepstral coefficients of each frame, without the first one, which is the level.
  private(set) var timbre: [SIMD16<Float>] = []
  private var powers: [Float] = []
  private var columnsPerFrame = 1
  private var columnCount = 0
  /// Sums over the columns of the frame that is not complete yet.
  private var pending = (chroma: SIMD16<Float>(), timbre: SIMD16<Float>(), power: Float(0), columns: 0)
  private var pitches = [Float](repeating: 0, count: Self.semitones.count)
  private var bands = [Float](repeating: 0, count: Self.melBands.count)

  /// Time of the middle of the last column, in seconds. The audio may be up to one column longer.
  var seconds: Double { Double(max(columnCount - 1, 0)) * Self.columnSeconds }
  var isSilent: Bool { !powers.contains { $0 > Self.minPower * Float(Self.melBands.count) } }

  mutating func append(_ column: Span<Float>) {
    columnCount += 1
    pending.columns += 1
    var pitchSpan = pitches.mutableSpan
    Self.semitones.apply(to: column, into: &pitchSpan)
    var bandSpan = bands.mutableSpan
    Self.melBands.apply(to: column, into: &bandSpan)
    let power = bands.reduce(0, +)
    // Values that are not finite count as silence.
    if power.isFinite {
      pending.power += power
      for pitch in pitches.indices { pitches[pitch].formSquareRoot() }
      let mean = pitches.reduce(0, +) / Float(pitches.count) + 1e-9
      for (pitch, root) in pitches.enumerated() { pending.chroma[pitch % Self.classCount] += log1p(10 * root / mean) }
      for (band, level) in bands.enumerated() { pending.timbre += log(level + Self.minPower) * Self.shares[band] }
    }
    if pending.columns == columnsPerFrame { endFrame() }
  }

  /// Completes the last frame, which may be shorter than the others.
  mutating func finish() { if pending.columns > 0 { endFrame() } }

  private mutating func endFrame() {
    let share = 1 / Float(pending.columns)
    chroma.append(pending.chroma * share)
    timbre.append(pending.timbre * share)
    powers.append(pending.power * share)
    pending = (SIMD16(), SIMD16(), 0, 0)
    guard powers.count == Self.frameLimit else { return }
    for frame in 0..<Self.frameLimit / 2 {
      chroma[frame] = (chroma[2 * frame] + chroma[2 * frame + 1]) / 2
      timbre[frame] = (timbre[2 * frame] + timbre[2 * frame + 1]) / 2
      powers[frame] = (powers[2 * frame] + powers[2 * frame + 1]) / 2
    }
    chroma.removeLast(Self.frameLimit / 2)
    timbre.removeLast(Self.frameLimit / 2)
    powers.removeLast(Self.frameLimit / 2)
    columnsPerFrame *= 2
  }

  /// Returns the means of the frames between successive points in time, given in seconds in ascending order.
  func means(of frames: [SIMD16<Float>], between edges: [Double]) -> [SIMD16<Float>] {
    var sums = [SIMD16<Double>()]
    sums.reserveCapacity(frames.count + 1)
    var sum = SIMD16<Double>()
    for frame in frames {
      sum += SIMD16<Double>(frame)
      sums.append(sum)
    }
    let places = edges.map(place)
    let at = places.map { place in
      let index = min(Int(place), frames.count - 1)
      return sums[index] + (sums[index + 1] - sums[index]) * (place - Double(index))
    }
    return at.indices.dropLast().map { index in
      SIMD16<Float>((at[index + 1] - at[index]) / max(places[index + 1] - places[index], 1e-9))
    }
  }

  /// Returns the mean power between two points in time, in seconds. Only frames whose windows are between these points
  /// are used, if there are any.
  func power(from start: Double, to end: Double) -> Double {
    let (first, last) = (Int((place(start) + 0.5).rounded(.up)), Int((place(end) - 0.5).rounded(.down)))
    let frames = first < last ? powers[first..<last] : powers[min(Int(place(start)), powers.count - 1)...].prefix(1)
    return frames.reduce(0.0) { $0 + Double($1) } / Double(max(frames.count, 1))
  }

  static func decibels(_ power: Double, of reference: Double) -> Double {
    guard power > 0, reference > 0 else { return -100 }
    return max(-100, 10 * log10(power / reference))
  }

  /// Converts seconds to frames, counted from the start of the first frame, which is half a column before the start of
  /// the audio.
  private func place(_ seconds: Double) -> Double {
    min(max((seconds / Self.columnSeconds + 0.5) / Double(columnsPerFrame), 0), Double(powers.count))
  }
}
