internal import DSP
internal import Foundation

/// Searches the excerpts of a file for the frames of all codecs, at one sample rate.
///
/// Frames follow each other without gaps, so they begin at the same position, modulo the period, in all excerpts.
/// Deviations are therefore summed for each position.
struct FrameSearch {
  /// The best position for a codec.
  struct Trace {
    var codec: FrameGrid.Codec
    var sampleRate: Int
    var period: Int
    var offset: Int
    /// Sum of the deviations over the excerpts, minus the median over all positions, divided by the square root of the
    /// number of excerpts.
    var deviations: Double
    /// The deviations of the best position more than three samples away.
    var elsewhere: Double
    var decibels: Double

    /// The lead of the best position over all positions more than three samples away.
    var margin: Double { deviations - elsewhere }
  }

  private struct Sum {
    var period: Int
    var deviations: [Float]
    var decibels: [Float]
    private var excerptCount = 0
    /// `false` once the search for this codec has ended.
    var isOpen = true

    init(period: Int) {
      self.period = period
      deviations = [Float](repeating: 0, count: period)
      decibels = [Float](repeating: 0, count: period)
    }

    /// Adds, for each position, the deviation at its best offset minus the mean of those at its other offsets. A codec
    /// marks only one offset of a position. A synthesizer that works in blocks of 64 samples marks all of them.
    mutating func add(_ contrast: FrameGrid.Contrast, start: Int64) {
      excerptCount += 1
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

    func trace(_ codec: FrameGrid.Codec, sampleRate: Int) -> Trace {
      let best = deviations.indices.max { deviations[$0] < deviations[$1] } ?? 0
      // By chance alone, the best of several deviations is positive; the median shows by how much.
      let base = deviations.sorted()[period / 2]
      let root = Double(max(1, excerptCount)).squareRoot()
      let elsewhere =
        deviations.indices.filter { index in
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

  /// - Parameters:
  ///   - end: Upper end of the spectrum, in Hz.
  ///   - hasOpus: `true` to search for Opus, which always works at 48 kHz.
  init(sampleRate: Int, end: Double, hasOpus: Bool) {
    self.sampleRate = sampleRate
    mpeg = MPEGGrid(sampleRate: sampleRate, end: end)
    lapped = ([.aac, .vorbis] + (hasOpus ? [.opus] : [])).map { LappedGrid($0, sampleRate: sampleRate, end: end) }
    sums = lapped.map { Sum(period: $0.grid.period) }
  }

  /// `true` while any codec is still being searched for.
  var isOpen: Bool { layer3.isOpen || layer2.isOpen || sums.contains(where: \.isOpen) }

  /// - Parameters:
  ///   - channels: The left and right channels at the sample rate of the search, with at least `FrameGrid.minLength`
  ///     samples each.
  ///   - start: Index of the first sample.
  ///   - part: Number of the group of coefficients to search; `nil` for all coefficients.
  mutating func add(_ channels: [[Float]], start: Int64, part: Int?) {
    for index in lapped.indices where sums[index].isOpen {
      sums[index].add(lapped[index].contrast(channels, part: part), start: start + Int64(FrameGrid.margin) + 1)
    }
    guard layer3.isOpen || layer2.isOpen else { return }
    let (three, two) = mpeg.contrasts(channels, part: part)
    if layer3.isOpen { layer3.add(three, start: start + Int64(FrameGrid.margin)) }
    if layer2.isOpen { layer2.add(two, start: start) }
  }

  /// Ends the search for codecs without evidence so far, and restarts it for the other codecs.
  /// - Parameter minMargin: Returns the minimum margin for continuing the search for a codec.
  mutating func narrow(_ minMargin: (FrameGrid.Codec) -> Double) {
    let sampleRate = sampleRate
    func narrow(_ sum: inout Sum, _ codec: FrameGrid.Codec) {
      if sum.trace(codec, sampleRate: sampleRate).margin >= minMargin(codec) {
        sum = Sum(period: sum.period)
      } else {
        sum.isOpen = false
      }
    }
    narrow(&layer3, .mp3)
    narrow(&layer2, .mp2)
    for index in lapped.indices { narrow(&sums[index], lapped[index].grid.codec) }
  }

  var traces: [Trace] {
    [trace(layer3, .mp3), trace(layer2, .mp2)] + zip(lapped, sums).map { trace($1, $0.grid.codec) }
  }

  private func trace(_ sum: Sum, _ codec: FrameGrid.Codec) -> Trace { sum.trace(codec, sampleRate: sampleRate) }
}
