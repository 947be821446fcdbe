internal import DSP
internal import Foundation

/// Looks for the frames of all codecs in the excerpts of a file, at one sample rate.
///
/// Frames follow each other without gaps, so they must begin at the same places in all excerpts, modulo the period: deviations
/// are added up by place.
struct FrameSearch {
  /// The best place of a codec.
  struct Trace {
    var codec: FrameGrid.Codec
    var sampleRate: Int
    var period: Int
    var offset: Int
    /// Sum over the excerpts, divided by the root of their number.
    var deviations: Double
    /// The same of the best place elsewhere.
    var elsewhere: Double
    var decibels: Double
  }

  private struct Sum {
    var period: Int
    var deviations: [Float]
    var decibels: [Float]

    init(period: Int) {
      self.period = period
      deviations = [Float](repeating: 0, count: period)
      decibels = [Float](repeating: 0, count: period)
    }

    /// Adds the best of the offsets that are the same place, less the mean of the others there: a synthesizer that works in
    /// blocks of 64 samples marks them all, a codec one.
    mutating func add(_ contrast: FrameGrid.Contrast, start: Int64) {
      var best = [Int](repeating: -1, count: period)
      var totals = [Float](repeating: 0, count: period)
      let first = Int(start % Int64(period))
      for (offset, deviation) in contrast.deviations.enumerated() {
        let place = (first + offset) % period
        totals[place] += deviation
        if best[place] < 0 || contrast.deviations[best[place]] < deviation { best[place] = offset }
      }
      let others = Float(contrast.deviations.count / period - 1)
      for place in 0..<period where best[place] >= 0 {
        let deviation = contrast.deviations[best[place]]
        deviations[place] += others > 0 ? deviation - max(0, (totals[place] - deviation) / others) : deviation
        decibels[place] += contrast.decibels[best[place]]
      }
    }

    func trace(_ codec: FrameGrid.Codec, sampleRate: Int, excerptCount: Int) -> Trace {
      let best = deviations.indices.max { deviations[$0] < deviations[$1] } ?? 0
      // The best of several is above zero by itself.
      let base = deviations.sorted()[period / 2]
      let root = Double(max(1, excerptCount)).squareRoot()
      let elsewhere = deviations.indices.filter { index in
        let distance = abs(index - best)
        return min(distance, period - distance) > 3
      }.map { deviations[$0] }.max() ?? base
      return Trace(
        codec: codec, sampleRate: sampleRate, period: period, offset: best,
        deviations: Double(deviations[best] - base) / root, elsewhere: Double(elsewhere - base) / root,
        decibels: Double(decibels[best]) / Double(max(1, excerptCount)))
    }
  }

  let sampleRate: Int
  private var mpeg: MPEGGrid
  private var lapped: [LappedGrid]
  private var layer3 = Sum(period: 576)
  private var layer2 = Sum(period: 32)
  private var sums: [Sum]
  private var excerptCount = 0

  /// - Parameter hasOpus: Whether to look for Opus, which always works at 48 kHz.
  init(sampleRate: Int, hasOpus: Bool) {
    self.sampleRate = sampleRate
    mpeg = MPEGGrid(sampleRate: sampleRate)
    lapped = ([.aac, .vorbis] + (hasOpus ? [.opus] : [])).map { LappedGrid($0, sampleRate: sampleRate) }
    sums = lapped.map { Sum(period: $0.grid.period) }
  }

  /// - Parameters:
  ///   - channels: Left and right, at the rate of the search; at least `FrameGrid.leastLength` samples.
  ///   - start: Their first sample.
  mutating func add(_ channels: [[Float]], start: Int64) {
    excerptCount += 1
    for index in lapped.indices {
      sums[index].add(lapped[index].contrast(channels), start: start + Int64(FrameGrid.margin) + 1)
    }
    let (three, two) = mpeg.contrasts(channels)
    layer3.add(three, start: start + Int64(FrameGrid.margin))
    layer2.add(two, start: start)
  }

  var traces: [Trace] {
    [
      layer3.trace(.mp3, sampleRate: sampleRate, excerptCount: excerptCount),
      layer2.trace(.mp2, sampleRate: sampleRate, excerptCount: excerptCount),
    ]
      + zip(lapped, sums).map { grid, sum in
        sum.trace(grid.grid.codec, sampleRate: sampleRate, excerptCount: excerptCount)
      }
  }
}
