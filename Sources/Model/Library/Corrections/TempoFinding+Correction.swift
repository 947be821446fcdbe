public import Analysis

/// Corrections of detected beats. Evenly spaced beats stay even, and beats with a varying tempo continue to follow it.
extension TempoFinding {
  /// Maximum relative difference between tempi that count as equal; 4% is usual in the literature.
  private static let maxTempoDifference = 0.04
  /// Maximum drift at the end of the track, in beats, when beats are matched to a tempo.
  private static let maxDrift = 0.25

  /// Returns the finding at a multiple of the tempo.
  ///
  /// If it is unclear which beats a slower tempo should keep, the beats that include the first downbeat are kept or, if
  /// there is no downbeat, the beats with clearly stronger onsets.
  public func multiplied(by ratio: BeatRatio) -> TempoFinding {
    var result = self
    result.bpm = bpm.map { $0 * ratio.value }
    for index in result.map.indices { result.map[index].bpm *= ratio.value }
    if ratio.value == 1 { return result }
    // The bars of the new beats are unknown.
    result.metre = nil
    result.downbeats = nil
    guard let timeline = BeatTimeline(beats) else { return result }
    let step = 1 / ratio.value
    let choices = (0..<ratio.denominator).map { first in
      let start = Double(first).truncatingRemainder(dividingBy: step)
      let count = Int(((timeline.range.upperBound - start) / step + 1e-6).rounded(.down))
      return (0...max(count, 0)).map { timeline.time(at: start + Double($0) * step) }
    }
    result.beats = choices[choice(among: choices)]
    return result
  }

  private func choice(among choices: [[Double]]) -> Int {
    if choices.count == 1 { return 0 }
    if let downbeat = downbeats?.first {
      return choices.indices.min { distance(choices[$0], downbeat) < distance(choices[$1], downbeat) } ?? 0
    }
    guard let first = choices.first, first.count > 1 else { return 0 }
    let period = (first[first.count - 1] - first[0]) / Double(first.count - 1)
    // At a resolution coarser than half a beat, onset strength cannot distinguish one beat from the next.
    guard onsets.stepSeconds <= period / 2 else { return 0 }
    let strengths = choices.map { beats in
      beats.reduce(0) { $0 + onsetStrength(at: $1) } / Double(max(beats.count, 1))
    }
    let best = strengths.indices.max { strengths[$0] < strengths[$1] } ?? 0
    return strengths[best] > 1.1 * strengths[0] ? best : 0
  }

  private func distance(_ beats: [Double], _ time: Double) -> Double {
    beats.map { abs($0 - time) }.min() ?? .infinity
  }

  private func onsetStrength(at seconds: Double) -> Double {
    // A beat on or just before the boundary between two steps belongs to the later step.
    let index = Int((seconds + 0.02) / onsets.stepSeconds)
    return onsets.values.indices.contains(index) ? onsets.values[index] : 0
  }

  /// Shifts all beats and downbeats by `shift` beats. Afterwards, the beats cover the same stretch of the track as
  /// before, to within half a beat.
  ///
  /// - Parameter duration: The duration of the audio in seconds, if known. No beat may come after it.
  public func shifted(byBeats shift: Double, duration: Double?) -> TempoFinding {
    guard let timeline = BeatTimeline(beats), shift.isFinite else { return self }
    var result = self
    let range = (timeline.range.lowerBound - 0.5)..<(timeline.range.upperBound + 0.5)
    func time(_ position: Double) -> Double? {
      guard range.contains(position) else { return nil }
      let time = timeline.time(at: position)
      return time >= 0 && time <= duration ?? .infinity ? time : nil
    }
    let first = Int((range.lowerBound - shift).rounded(.up))
    result.beats = (0...beats.count).compactMap { time(Double(first + $0) + shift) }
    result.downbeats = downbeats?.compactMap { time(timeline.position(at: $0).rounded() + shift) }
    return result
  }

  /// Shifts all beats and downbeats by `shift` seconds. Afterwards, the beats cover the same stretch of the track as
  /// before, to within half a beat.
  ///
  /// - Parameter duration: The duration of the audio in seconds, if known. No beat may come after it.
  public func shifted(bySeconds shift: Double, duration: Double?) -> TempoFinding {
    guard let timeline = BeatTimeline(beats), shift.isFinite,
      let moved = BeatTimeline(beats.map { $0 + shift })
    else { return self }
    let audio = 0...max(duration ?? .infinity, 0)
    let start = max(timeline.time(at: timeline.range.lowerBound - 0.5), audio.lowerBound)
    let end = min(timeline.time(at: timeline.range.upperBound + 0.5), audio.upperBound)
    let (first, last) = (moved.position(at: start).rounded(.up), moved.position(at: end).rounded(.down))
    guard first < last else { return self }
    var result = self
    result.beats = (Int(first)...Int(last)).map { moved.time(at: Double($0)) }
    result.downbeats = downbeats?.map { $0 + shift }.filter { audio.contains($0) }
    return result
  }

  /// Moves the bars by `count` beats; returns `nil` if the bars are unknown.
  public func withBars(laterByBeats count: Int) -> TempoFinding? {
    let numbers = downbeatNumbers
    guard let first = numbers.first else { return nil }
    let length = beatsPerBar ?? beats.count
    var moved = numbers.map { $0 + count }
    // Adds bars before the first one, as far as they fit.
    var start = first + count - length
    while start >= 0 {
      moved.insert(start, at: 0)
      start -= length
    }
    if let last = moved.last {
      moved += stride(from: last + length, to: beats.count, by: length)
    }
    var result = self
    result.downbeats = moved.filter(beats.indices.contains).map { beats[$0] }
    return result
  }

  /// Sets bars of `count` beats throughout, and the meter accordingly. The first downbeat stays a downbeat; if there is
  /// none, the first beat becomes one.
  public func withBars(ofBeats count: Int) -> TempoFinding {
    guard count > 0, !beats.isEmpty else { return self }
    let first = (downbeatNumbers.first ?? 0) % count
    var result = self
    result.metre = hasDottedBeats ? "\(3 * count)/8" : count == 6 ? "6/8" : "\(count)/4"
    result.downbeats = stride(from: first, to: beats.count, by: count).map { beats[$0] }
    return result
  }

  /// Moves all beats, by at most half a beat, so that there is a beat at the given time. If that time is before the
  /// first or after the last beat, beats are added up to it.
  public func withBeat(at seconds: Double, duration: Double?) -> TempoFinding {
    guard let timeline = BeatTimeline(beats) else { return self }
    let position = timeline.position(at: seconds)
    let nearest = position.rounded()
    var longer = self
    if nearest < 0 {
      longer.beats = (Int(nearest)...(-1)).map { timeline.time(at: Double($0)) } + beats
    } else if nearest > timeline.range.upperBound {
      longer.beats = beats + (beats.count...Int(nearest)).map { timeline.time(at: Double($0)) }
    }
    return longer.shifted(byBeats: position - nearest, duration: duration)
  }

  /// Returns the ratio at which the beats have this tempo; `nil` if there is none. Even beats must match to within a
  /// quarter of a beat over the whole track. If the tempo varies, `bpm` must match to within 2%, or to within 4% if the
  /// ratio is 1, 2, 3, 1/2 or 1/3.
  public func ratio(to bpm: Double) -> BeatRatio? {
    guard let first = beats.first, let last = beats.last, first < last else { return nil }
    if !isStable { return nearest(in: BeatRatio.all, to: bpm, within: 0.02) ?? roughRatio(to: bpm) }
    let now = 60 * Double(beats.count - 1) / (last - first)
    return BeatRatio.all.first { ratio in
      abs(bpm / (now * ratio.value) - 1) * Double(beats.count) * ratio.value <= Self.maxDrift
    }
  }

  /// Returns the ratio of this tempo to the finding's tempo if it is 1, 2, 3, 1/2 or 1/3 to within 4%; otherwise `nil`.
  public func roughRatio(to bpm: Double) -> BeatRatio? {
    nearest(
      in: BeatRatio.all.filter { $0.numerator == 1 || $0.denominator == 1 }, to: bpm, within: Self.maxTempoDifference)
  }

  private func nearest(in ratios: [BeatRatio], to bpm: Double, within tolerance: Double) -> BeatRatio? {
    guard let now = self.bpm, now > 0 else { return nil }
    let distances = ratios.map { (ratio: $0, distance: abs(bpm / now / $0.value - 1)) }
    return distances.filter { $0.distance <= tolerance }.min { $0.distance < $1.distance }?.ratio
  }

  /// Returns the finding for a tempo that a person has stated without beats.
  public func withoutBeats(bpm: Double) -> TempoFinding {
    var result = self
    result.bpm = nil
    result.map = [Section(startSeconds: 0, bpm: bpm)]
    result.isStable = true
    result.beats = []
    result.metre = nil
    result.downbeats = nil
    return result.locked(at: bpm)
  }

  /// Returns the finding for a person's statement that there is no steady beat, with a confidence of 1.
  public func withoutTempo() -> TempoFinding {
    var result = TempoFinding.none(reason: "no_pulse", onsets: onsets)
    result.candidates = candidates
    result.confidence = 1
    result.octaveConfidence = 1
    return result
  }

  /// Returns the finding with a tempo that a person has stated and a confidence of 1. The map is scaled to this tempo.
  public func locked(at bpm: Double) -> TempoFinding {
    var result = self
    if let now = self.bpm, now > 0, now != bpm {
      for index in result.map.indices { result.map[index].bpm *= bpm / now }
    }
    result.bpm = bpm
    result.confidence = 1
    result.octaveConfidence = 1
    result.reason = nil
    return result
  }
}
