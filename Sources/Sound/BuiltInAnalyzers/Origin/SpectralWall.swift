internal import DSP
internal import Foundation

/// The upper end of the excerpts' spectrum, and how abrupt it is.
struct SpectralWall {
  /// Frequency of the largest drop, in Hz.
  var frequency: Double
  /// Difference between the level just below the drop and the overall level above it, in dB.
  var depth: Double
  /// Difference between the mean levels of 350 Hz just below and 350 Hz just above the drop, in dB.
  var steepness: Double
  /// Share of the STFT columns, among those that are loud below the drop, whose spectrum ends within 300 Hz of it.
  var steadiness: Double
  /// Mean level per bin above the drop, in dB relative to full scale.
  var levelAbove: Double
  /// Highest frequency with a level more than 8 dB above the rounding noise, in Hz.
  var end: Double

  /// - Parameter excerpts: Excerpts with samples in 16-bit steps.
  /// - Returns: `nil` if the excerpts are too short or the sample rate is too low.
  init?(_ excerpts: [ExcerptCollection.Excerpt], sampleRate: Int) {
    let length = sampleRate > 50_000 ? 4096 : 2048
    let transform = RealFFT(length: length)
    let window = (0..<length).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length))) }
    // A group of bins is about 86 Hz wide.
    let binsPerGroup = max(1, Int((86 / (Double(sampleRate) / Double(length))).rounded()))
    let width = Double(binsPerGroup * sampleRate) / Double(length)
    let groupCount = (length / 2) / binsPerGroup
    guard groupCount > 60 else { return nil }
    // A full-scale sine has a level of 0 dB.
    let scale = Float(10 * log10(pow(Double(length) / 4 * 32768, 2)))
    var power = [Float](repeating: 0, count: transform.binCount)
    var columns: [[Float]] = []
    for excerpt in excerpts {
      for start in stride(from: 0, through: excerpt.channels[0].count - length, by: length / 2) {
        let mean = zip(excerpt.channels[0], excerpt.channels[1]).map { ($0 + $1) / 2 }
        let side = zip(excerpt.channels[0], excerpt.channels[1]).map { ($0 - $1) / 2 }
        var groups = [Float](repeating: 0, count: groupCount)
        for signal in [mean, side] {
          transform.power(of: signal, from: start, window: window, into: &power)
          for group in 0..<groupCount {
            for bin in group * binsPerGroup..<(group + 1) * binsPerGroup { groups[group] += power[bin] }
          }
        }
        columns.append(groups.map { 10 * log10($0 / Float(binsPerGroup) + 1e-3) - scale })
      }
    }
    guard !columns.isEmpty else { return nil }
    let level = (0..<groupCount).map { group in
      columns.reduce(Float(0)) { $0 + $1[group] } / Float(columns.count)
    }
    // Rounding to 16 bits adds noise of 1/12 of a squared step per sample, times the window's power.
    let rounding = 10 * log10(Float(length) * 0.375 / 12) - scale
    let top = groupCount - 2
    func mean(_ range: Range<Int>) -> Float { range.reduce(Float(0)) { $0 + level[$1] } / Float(max(1, range.count)) }
    var best = (drop: Float(-100), group: 0)
    for group in Int(3000 / width)..<top - 4 {
      let drop = mean(group - 4..<group) - mean(group + 2..<min(top, group + 6))
      if drop > best.drop { best = (drop, group) }
    }
    let group = best.group
    let (below, above) = (mean(max(0, group - 8)..<group), mean(group + 2..<top))
    frequency = (Double(group) + 0.5) * width
    depth = Double(below - above)
    steepness = Double(best.drop)
    levelAbove = Double(above)
    end = (Double(level.lastIndex { $0 > rounding + 8 } ?? 0) + 1) * width
    let limit = (below + above) / 2
    let loud = columns.filter { column in
      (max(0, group - 6)..<group).reduce(Float(0)) { $0 + column[$1] } / Float(min(6, group)) > limit
    }
    let steady = loud.filter { column in
      guard let last = column[..<top].lastIndex(where: { $0 > limit }) else { return false }
      return abs(Double(last - group)) * width < 300
    }
    steadiness = loud.isEmpty ? 0 : Double(steady.count) / Double(loud.count)
  }
}
