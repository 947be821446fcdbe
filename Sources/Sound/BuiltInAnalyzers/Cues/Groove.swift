/// The part of a track between intro and outro, where the groove plays: drums and bass, or the band.
///
/// The groove may begin or end at any bar line. A line is plausible if the bars inside are full, if no bar outside is
/// as full, and if the part outside is short and consists of whole phrases. Bars are compared by mean decibels rather
/// than by mean power, because a kick drum is as loud as a bass but leaves gaps.
struct Groove {
  /// Index of the first beat.
  let start: Int
  /// Index of the beat at which the groove ends.
  let end: Int

  /// Weights for the plausibility of a bar line, fitted by logistic regression (`Benchmarks/cues/intros.py fit`). The
  /// inputs are the level and the bass inside and outside, in decibels relative to the usual values; whether the part
  /// outside is empty; its share of the track; and whether it consists of whole phrases.
  private enum Weights {
    static let inside = SIMD2(-0.37, 1.44)
    static let outside = SIMD2(0.0, -0.55)
    static let (none, share, phrase) = (3.66, -12.21, 1.0)
  }
  /// Number of bars per phrase, which is also the number of bars examined on the inner side of a bar line.
  private static let phrase = 4
  private static let beatsPerBar = 4
  private static let maxOutside = 0.45
  /// Range to which the levels of a bar are clamped, in dB relative to the usual level.
  private static let (minLevels, maxLevels) = (SIMD2(repeating: -12.0), SIMD2(repeating: 1.0))
  /// Minimum level of the bass, in dB relative to the whole signal. Below it, the level takes the place of the bass.
  private static let minBass = -18.0

  /// - Parameters:
  ///   - beats: The indices of the beats outside fades.
  ///   - downbeats: The indices of the beats that begin bars; empty if unknown.
  ///   - levels: The level and the bass of each beat.
  /// - Returns: `nil` if there are fewer than two bars.
  init?(_ beats: ClosedRange<Int>, downbeats: [Int], levels: BeatLevels) {
    let inside = downbeats.filter(beats.contains)
    let phases =
      inside.count > 2
      ? [inside]
      : (0..<Self.beatsPerBar).map {
        Array(stride(from: beats.lowerBound + $0, through: beats.upperBound, by: Self.beatsPerBar))
      }
    let found = phases.compactMap { Self.best(Bars(lines: $0, within: beats, levels)) }
    guard let best = found.max(by: { $0.score < $1.score }) else { return nil }
    guard inside.count <= 2 else {
      (start, end) = (best.start, best.end)
      return
    }
    start = best.start > beats.lowerBound ? Self.steepest(near: best.start, beats, levels, rises: true) : best.start
    end = best.end < beats.upperBound ? Self.steepest(near: best.end, beats, levels, rises: false) : best.end
  }

  /// Returns the beat, within half a bar of a line, at which the bass rises or falls most. It is used if the bars are
  /// unknown.
  private static func steepest(near line: Int, _ beats: ClosedRange<Int>, _ levels: BeatLevels, rises: Bool) -> Int {
    let reach = (line - beatsPerBar / 2)...(line + beatsPerBar / 2)
    func rise(_ beat: Int) -> Double {
      let after = levels.mean(beat..<min(beat + beatsPerBar, beats.upperBound))
      let rise = after - levels.mean(max(beat - beatsPerBar, beats.lowerBound)..<beat)
      return (rises ? 1 : -1) * rise[1]
    }
    return reach.filter { $0 > beats.lowerBound && $0 < beats.upperBound }.max { rise($0) < rise($1) } ?? line
  }

  private static func best(_ bars: Bars) -> (start: Int, end: Int, score: Double)? {
    guard bars.lines.count > 2 else { return nil }
    let first = bestLine(bars.values, startsWithin: bars.startsWithin)
    let last = bestLine(bars.values.reversed(), startsWithin: bars.endsWithin)
    let end = bars.lines.count - 1 - last.line
    return (bars.lines[first.line], bars.lines[end], first.score + last.score)
  }

  /// Returns the bar line at which the groove begins or, if the bars are reversed, ends.
  private static func bestLine(_ bars: [SIMD2<Double>], startsWithin: Bool) -> (line: Int, score: Double) {
    var best = (line: 0, score: -Double.infinity)
    var fullest = SIMD2(repeating: -Double.infinity)
    for line in 0...Int(maxOutside * Double(bars.count)) {
      if line > 0 { fullest = pointwiseMax(fullest, bars[line - 1]) }
      var score = (Weights.inside * mean(bars[line..<min(line + phrase, bars.count)])).sum()
      if line == 0 {
        score += Weights.none
      } else {
        score += (Weights.outside * fullest).sum() + Weights.share * Double(line) / Double(bars.count)
        if (line - (startsWithin ? 1 : 0)).isMultiple(of: phrase) { score += Weights.phrase }
      }
      if score > best.score { best = (line, score) }
    }
    return best
  }

  private static func mean(_ values: ArraySlice<SIMD2<Double>>) -> SIMD2<Double> {
    values.reduce(.zero, +) / Double(max(1, values.count))
  }

  /// The bars, including partial bars at both ends.
  private struct Bars {
    /// The bar lines, as indices of beats.
    let lines: [Int]
    /// `true` if the first bar is partial; `true` if the last bar is.
    let (startsWithin, endsWithin): (Bool, Bool)
    /// The level and bass of each bar, in dB relative to the usual values.
    let values: [SIMD2<Double>]

    init(lines: [Int], within beats: ClosedRange<Int>, _ levels: BeatLevels) {
      startsWithin = lines.first != beats.lowerBound
      endsWithin = lines.last != beats.upperBound
      let lines = (startsWithin ? [beats.lowerBound] : []) + lines + (endsWithin ? [beats.upperBound] : [])
      self.lines = lines
      let values = zip(lines, lines.dropFirst()).map { levels.mean($0..<$1) }
      let quarter = values.count / 4
      let middle = values[quarter..<max(quarter + 1, values.count - quarter)]
      func usual(_ lane: Int) -> Double { middle.map { $0[lane] }.sorted()[middle.count / 2] }
      let usual = SIMD2(usual(0), usual(1))
      let hasBass = usual[1] > usual[0] + minBass
      self.values = values.map {
        let value = ($0 - usual).clamped(lowerBound: minLevels, upperBound: maxLevels)
        return hasBass ? value : SIMD2(value[0], value[0])
      }
    }
  }
}
