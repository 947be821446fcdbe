internal import DSP
internal import Mathematics

/// Features that distinguish a correct beat grid from a wrong one, based on where in the beat the onsets of each band
/// are.
///
/// A profile is read at the beat, its half, quarters, thirds, sixths and eighths. The difference between the first and
/// the last quarter distinguishes a beat from its half, because an upbeat leads to a beat more often than it follows
/// one. The difference between odd and even beats also helps: kick and snare, or bass and chord, alternate. A profile
/// is a mean, so a few strong onsets can dominate it. `OnsetPresence` therefore measures whether most beats or
/// half-beats have an onset.
enum GridFeatures {
  typealias Lanes = OnsetEnvelopes.Lanes

  /// Names of the features in the order of their values. They are obtained by computing the features of an empty grid
  /// in an empty stretch.
  static let names: [String] = {
    let grid = BeatGrid(beats: [])
    let profile = BarProfile([], over: grid)
    let candidate = PulseCandidate(
      bpm: 120, isConstant: true, grid: grid, profile: profile, comb: 0, wholeSpectrum: 0, localSpectrum: 0)
    return values(
      of: candidate, smoothed: profile.means, phase: 0, activity: .zero, presence: OnsetPresence([]),
      activation: BeatActivation(BeatNetworkInput(columnCount: 0)), chords: ChordCourse()
    ).names
  }()

  /// Standard deviation of the smoothing kernel, in seconds: players deviate from each other by this much.
  private static let spread = 0.015

  /// Smooths the profile with a Gaussian.
  static func smoothed(_ profile: BarProfile, bpm: Double) -> [Lanes] {
    let sigma = spread * bpm / 60 * Double(BarProfile.positionsPerBeat)
    let radius = Int((4 * sigma).rounded(.up))
    var kernel = (-radius...radius).map { Float(exp(-0.5 * Double($0 * $0) / (sigma * sigma))) }
    let sum = kernel.reduce(0, +)
    kernel = kernel.map { $0 / sum }
    let count = BarProfile.positions
    return (0..<count).map { position in
      var value = Lanes.zero
      for offset in -radius...radius {
        value += kernel[offset + radius] * profile.means[(position + offset + count) % count]
      }
      return value
    }
  }

  /// Returns the candidate beat phases, 0 to 1: the highest peaks of the profile after folding it to one beat, best
  /// first.
  static func phases(of smoothed: [Lanes], limit: Int = 5) -> [Double] {
    let perBeat = BarProfile.positionsPerBeat
    let folded = (0..<perBeat).map { position in
      var sum = Lanes.zero
      for beat in 0..<4 { sum += smoothed[beat * perBeat + position] }
      return sum.sum()
    }
    return peaks(of: folded.span, isCircular: true, limit: limit).map { $0.position / Double(perBeat) }
  }

  /// - Parameters:
  ///   - smoothed: The smoothed profile of the candidate.
  ///   - phase: Position of the beats within a beat of the profile, 0 to 1.
  ///   - named: `true` to return the names as well.
  static func values(
    of candidate: PulseCandidate, smoothed: [Lanes], phase: Double, activity: Lanes, presence: OnsetPresence,
    activation: BeatActivation, chords: ChordCourse, named: Bool = true
  ) -> NamedValues {
    func at(_ beats: Double) -> Lanes {
      let position = (beats + 4) * Double(BarProfile.positionsPerBeat)
      let index = Int(position)
      let fraction = Float(position - Double(index))
      let low = smoothed[index % BarProfile.positions]
      return low + fraction * (smoothed[(index + 1) % BarProfile.positions] - low)
    }
    func mean(_ offsets: Double...) -> Lanes {
      var sum = Lanes.zero
      for offset in offsets { for beat in 0..<4 { sum += at(phase + Double(beat) + offset) } }
      return sum / Float(4 * offsets.count)
    }
    let (first, last) = (mean(0.25), mean(0.75))
    var found = NamedValues(capacity: 192, named: named)
    found.add("on_beats", logarithm(mean(0)))
    found.add("on_halves", logarithm(mean(0.5)))
    found.add("on_quarters", logarithm((first + last) / 2))
    found.add("on_thirds", logarithm(mean(1 / 3.0, 2 / 3.0)))
    found.add("first_less_last_quarter", logarithm(first) - logarithm(last))
    found.add("on_sixths", logarithm(mean(1 / 6.0, 5 / 6.0)))
    found.add("on_eighths", logarithm(mean(1 / 8.0, 3 / 8.0, 5 / 8.0, 7 / 8.0)))
    let octaves = Float(log2(candidate.bpm / 120))
    let busy = pointwiseMin(pointwiseMax(naturalLog(activity + 0.1), minActivity), maxActivity)
    found.add("octaves_from_120", octaves)
    found.add("octaves_squared", octaves * octaves)
    found.add("octaves_cubed", octaves * octaves * octaves)
    found.add("octaves_to_the_fourth", octaves * octaves * octaves * octaves)
    found.add("comb", Float(log(Double(candidate.comb) + 0.1)))
    found.add("whole_spectrum", Float(log(Double(candidate.wholeSpectrum) + 0.1)))
    found.add("local_spectrum", Float(log(Double(candidate.localSpectrum) + 0.1)))
    for lane in [0, 2, 4, 5, 6] { found.add("octaves_times_activity", octaves * busy[lane], lane: lane) }
    found.add("loop_begins_on_beat", candidate.isLoop ? nearness(of: phase, bpm: candidate.bpm) : 0)
    let bar = (0..<4).map { logarithm(at(phase + Double($0))) }
    let difference = (bar[0] + bar[2] - bar[1] - bar[3]) / 2
    for lane in 0..<8 { found.add("odd_unlike_even_beats", abs(difference[lane]), lane: lane) }
    let beats = candidate.grid.beats(after: phase)
    found.add("present_on_beats", presence.mean(at: beats))
    found.add("present_on_halves", presence.mean(at: zip(beats, beats.dropFirst()).map { ($0 + $1) / 2 }))
    found.add(activation.features(of: beats, named: named))
    found.add(MetricalFeatures(beats, presence: presence, course: chords).values(named: named))
    return found
  }

  /// Returns the proximity of a beat to the start of the file, 0 to 1.
  private static func nearness(of phase: Double, bpm: Double) -> Float {
    let seconds = min(phase, 1 - phase) * 60 / bpm
    return Float(exp(-seconds * seconds / (0.025 * 0.025)))
  }

  /// Returns `true` if onsets occur only on the beats and are all alike, except perhaps one in each bar, as in a
  /// metronome.
  static func isBare(_ smoothed: [Lanes], phase: Double, bpm: Double) -> Bool {
    let perBeat = BarProfile.positionsPerBeat
    let beat = Int((phase * Double(perBeat)).rounded())
    let reach = max(1, Int((bareReach * bpm / 60 * Double(perBeat)).rounded()))
    var near = [Lanes](repeating: .zero, count: 4)
    var all = Lanes.zero
    for position in 0..<BarProfile.positions {
      let value = smoothed[(position + beat) % BarProfile.positions]
      all += value
      let place = position % perBeat
      if place <= reach { near[position / perBeat] += value }
      if place >= perBeat - reach { near[(position / perBeat + 1) % 4] += value }
    }
    let onBeats = near[0] + near[1] + near[2] + near[3]
    // Faint noise affects lane 7 least.
    guard all[7] > 0, onBeats[7] >= 0.85 * all[7] else { return false }
    // Lanes with almost no activity say nothing about beats.
    let least = Lanes(repeating: 0.05 * onBeats.sum() / 4)
    return near.contains { pattern in
      near.count { beat in
        let (low, high) = (pointwiseMin(beat, pattern) + least, pointwiseMax(beat, pattern) + least)
        return (low / high).min() > 0.6
      } >= 3
    }
  }

  /// Time on either side of a beat, in seconds, that counts as part of the beat.
  private static let bareReach = 0.045

  /// Range of the log activity of music. Signals outside it, such as clicks in digital silence, are clamped.
  private static let minActivity = Lanes(-2.5, 0, -1, 0, -3, 1.5, 1, 0)
  private static let maxActivity = Lanes(0.5, 2, 1.7, 2, 1.7, 3, 3.3, 3)

  /// Returns ln(x + 0.2), which treats all values near zero alike.
  private static func logarithm(_ x: Lanes) -> Lanes { naturalLog(pointwiseMax(x, .zero) + 0.2) }
}
