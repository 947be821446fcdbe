internal import Analysis
internal import DSP
internal import Mathematics

/// Places cues on the beats of a track, based on the level and the bass between beats.
struct CuePoints {
  /// Minimum number of beats in a track that gets cues.
  private static let minBeats = 16
  /// Number of beats per phrase, and maximum number of beats in a transition.
  private static let (phrase, maxMix) = (16, 128)
  /// Maximum silence at the start of the first beat of a fade-in, in seconds and as a fraction of a beat.
  private static let (softSeconds, softShare) = (0.2, 0.4)
  static let highlightSeconds = 30.0

  /// Times of the beats within the audible part, in seconds.
  private let beats: [Double]
  /// Indices of the beats that begin a cell: the downbeats, or all beats if downbeats are unknown.
  private let grid: [Int]
  /// Number of cells per bar: 1, or 4 if the downbeats are unknown.
  private let cellsPerBar: Int
  /// Level of each cell, in dB relative to the usual level. The last cell ends at the last entry of `grid`.
  private let levels: [Double]
  private let basses: [Double]
  private let sound: ClosedRange<Double>
  /// All sections that share the loudest label among the labels that occur more than once.
  private let refrains: [ClosedRange<Double>]

  /// - Parameters:
  ///   - sections: The sections of the track, if known.
  ///   - sound: The range from the first to the last audible sample, in seconds.
  ///   - energy: Returns the energy of the whole signal and that of the bass, from the start of the track to a time in
  ///     seconds.
  /// - Returns: `nil` if there are too few audible beats, or if they are not in order.
  init?(
    _ tempo: TempoFinding, sections: [SectionsFinding.Section], sound: ClosedRange<Double>,
    energy: (Double) -> SIMD2<Double>
  ) {
    self.sound = sound
    refrains = Self.refrains(sections)
    // A detected beat may slightly precede its onset.
    let isAudible = { (beat: Double) in beat >= sound.lowerBound - 0.05 && beat <= sound.upperBound }
    guard let first = tempo.beats.firstIndex(where: isAudible) else { return nil }
    let beats = Array(tempo.beats[first...].prefix(while: isAudible))
    guard beats.count >= Self.minBeats, zip(beats, beats.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    self.beats = beats
    let downbeats = tempo.downbeatNumbers.map { $0 - first }.filter(beats.indices.contains)
    let hasBars = downbeats.count >= 5
    grid = hasBars ? downbeats : Array(beats.indices)
    cellsPerBar = hasBars ? 1 : 4
    var cells: [SIMD2<Double>] = []
    for (start, end) in zip(grid, grid.dropFirst()) {
      let power = (energy(beats[end]) - energy(beats[start])) / (beats[end] - beats[start])
      cells.append(SIMD2(Self.decibels(power[0]), Self.decibels(power[1])))
    }
    let usual = SIMD2(Self.usual(cells.map { $0[0] }), Self.usual(cells.map { $0[1] }))
    levels = cells.map { $0[0] - usual[0] }
    basses = cells.map { $0[1] - usual[1] }
  }

  private static func refrains(_ sections: [SectionsFinding.Section]) -> [ClosedRange<Double>] {
    let kinds = Dictionary(grouping: sections.filter { $0.endSeconds > $0.startSeconds }, by: \.label)
    // The label breaks ties, because dictionaries are unordered.
    let loudest = kinds.values.filter { $0.count > 1 }.max { first, second in
      let levels = [first, second].map { $0.reduce(0) { $0 + $1.levelDecibels } / Double($0.count) }
      return (levels[0], second[0].label) < (levels[1], first[0].label)
    }
    return (loudest ?? []).map { $0.startSeconds...$0.endSeconds }
  }

  private static func decibels(_ power: Double) -> Double { 10 * log10(max(power, 1e-12)) }

  /// Returns the usual level: the upper quartile.
  private static func usual(_ values: [Double]) -> Double { values.sorted()[values.count * 3 / 4] }

  /// Returns the time of the first beat, in seconds. In a fade-in, beats are detected only once they are loud enough,
  /// so earlier beats are extrapolated at the same tempo, provided that it is steady. The first beat may start so
  /// softly that it counts as audible only some time after its onset.
  func firstBeat(fadeInEnd: Double) -> Double {
    let intervals = zip(beats, beats.dropFirst()).prefix(8).map { $1 - $0 }
    let interval = intervals.reduce(0, +) / Double(intervals.count)
    guard beats[0] > sound.lowerBound, beats[0] < fadeInEnd,
      intervals.allSatisfy({ abs($0 - interval) < 0.04 * interval })
    else { return beats[0] }
    let start = sound.lowerBound - min(Self.softSeconds, Self.softShare * interval)
    return max(0, beats[0] - interval * ((beats[0] - start) / interval).rounded(.down))
  }

  /// Returns the part between intro and outro; `nil` if there are too few beats outside the fades.
  /// - Parameters:
  ///   - fadeInEnd: End of the fade-in, in seconds.
  ///   - fadeOutStart: Start of the fade-out, in seconds.
  func groove(_ slots: [LevelCurve.Slot], slotSeconds: Double, fadeInEnd: Double, fadeOutStart: Double) -> Groove? {
    let levels = BeatLevels(beats, slots: slots, slotSeconds: slotSeconds)
    let downbeats = cellsPerBar == 1 ? grid : []
    let first = beats.firstIndex { $0 >= fadeInEnd - 0.05 } ?? 0
    let last = beats.lastIndex { $0 <= fadeOutStart + 0.02 } ?? beats.count - 1
    guard last - first >= Self.minBeats else { return nil }
    return Groove(first...last, downbeats: downbeats, levels: levels)
  }

  func time(_ beat: Int) -> Double { beats[beat] }

  /// The most typical loud passage: preferably one that has the usual level and bass throughout, begins where the music
  /// gets louder, and belongs to a repeated section.
  var highlight: ClosedRange<Double> {
    let start = grid.indices.max { score($0) < score($1) }.map { beats[grid[$0]] } ?? beats[0]
    return start...max(start, min(start + Self.highlightSeconds, sound.upperBound))
  }

  private func score(_ cell: Int) -> Double {
    let start = beats[grid[cell]]
    let length = min(Self.highlightSeconds, sound.upperBound - sound.lowerBound)
    // If the passage fits nowhere, the first cell wins.
    if start + length > sound.upperBound + 0.05 { return cell == 0 ? -1e6 : -1e9 + Double(-cell) }
    var passage = cell
    while passage < levels.count, beats[grid[passage]] < start + length - 0.05 { passage += 1 }
    guard passage > cell else { return -1e8 }
    // Levels more than 1 dB above the usual one get no higher score, because a single loud hit is not typical.
    func fullness(_ decibels: Double) -> Double { max(-20, min(1, decibels)) }
    let total = (cell..<passage).reduce(0.0) { $0 + fullness(levels[$1]) + 0.5 * fullness(basses[$1]) }
    let reach = 4 * cellsPerBar
    let after = mean(levels[cell..<min(cell + reach, levels.count)])
    let before = cell > 0 ? mean(levels[max(0, cell - reach)..<cell]) : after
    let rise = max(0, min(6, after - before))
    // Intros and outros are not typical; the part from 25% to 55% of a track is.
    let place = (start - sound.lowerBound) / max(1, sound.upperBound - sound.lowerBound)
    let distance = max(0, abs(place - 0.4) - 0.15)
    let refrain = refrains.reduce(0.0) {
      $0 + max(0, min($1.upperBound, start + length) - max($1.lowerBound, start)) / length
    }
    return total / Double(passage - cell) + 0.4 * rise - 3 * distance + 2 * refrain
  }

  private func mean(_ values: ArraySlice<Double>) -> Double {
    values.reduce(0) { $0 + max(-20, $1) } / Double(max(1, values.count))
  }

  /// Returns a transition that ends where the groove begins, and one that starts where the groove ends. Both are whole
  /// phrases long if there is room. If there is no intro or outro, a phrase of the groove is used. Returns `nil` if the
  /// transitions would overlap.
  func transitions(introEnd: Int, outroStart: Int) -> (in: ClosedRange<Double>, out: ClosedRange<Double>)? {
    func length(_ room: Int) -> Int {
      room >= Self.phrase ? min(room / Self.phrase * Self.phrase, Self.maxMix) : room / 4 * 4
    }
    let lead = length(introEnd)
    let tail = length(beats.count - 1 - outroStart)
    let first = lead > 0 ? introEnd - lead...introEnd : introEnd...introEnd + Self.phrase
    let last = tail > 0 ? outroStart...outroStart + tail : outroStart - Self.phrase...outroStart
    guard first.upperBound <= last.lowerBound else { return nil }
    return (beats[first.lowerBound]...beats[first.upperBound], beats[last.lowerBound]...beats[last.upperBound])
  }
}
