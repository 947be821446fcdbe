internal import Analysis
internal import DSP
internal import Mathematics

/// Combines the evidence from all stretches of a track into one finding.
struct TempoDecision {
  private let configuration: TempoAnalyzer.Configuration

  init(_ configuration: TempoAnalyzer.Configuration) {
    self.configuration = configuration
  }

  private static let candidateLimit = 5
  /// Minimum confidence in the tempo for reporting the meter and downbeats.
  private static let sureBeats = 0.8
  private static let tolerance = GridChoice.tolerance

  func finding(from readings: [StretchReading], onsets: TempoFinding.OnsetSummary) -> TempoFinding {
    let readings = readings.map { $0.limited(to: configuration.minimumBPM...configuration.maximumBPM) }
    let course = TempoCourse(readings)
    let beats = course.beats
    guard let main = Self.mainTempo(of: course), beats.count > 1 else {
      return .none(reason: "no_pulse", onsets: onsets)
    }
    let sections = Self.sections(of: course, beats: beats)
    let isStable = course.steps.allSatisfy(\.option.isConstant) && sections.count == 1
    var bpm = main
    var places = 1
    if isStable {
      // The coherent search is most precise for a single stretch, and a line through all beats for several stretches.
      if course.steps.count > 1 { bpm = 60 / sections[0].period }
      places = 2
      if configuration.roundsToInteger, abs(bpm - bpm.rounded()) <= Self.error(of: bpm, beatCount: beats.count) {
        bpm.round()
      }
    }
    bpm = bpm.rounded(toPlaces: places)
    let candidates = Self.candidates(of: course)
    let share = candidates.first { abs($0.bpm / bpm - 1) < Self.tolerance }?.weight ?? 0
    var familyShare = 0.0
    for candidate in candidates where Self.isSameUpToFactor(candidate.bpm, bpm) { familyShare += candidate.weight }
    var map = [TempoFinding.Section(startSeconds: 0, bpm: bpm)]
    if !isStable {
      map = sections.map { section in
        TempoFinding.Section(
          startSeconds: section.start.rounded(toPlaces: 3), bpm: (60 / section.period).rounded(toPlaces: 2))
      }
      map[0].startSeconds = 0
    }
    let confidence = TempoConfidence.fitted.probability(
      share: share, clarity: Self.clarity(of: course), moves: !course.steps.allSatisfy(\.option.isConstant))
    let octaveConfidence = TempoConfidence.fitted.octaveProbability(share: familyShare > 0 ? share / familyShare : 0)
    // If the tempo is wrong, the bars are wrong, too.
    let bars = confidence >= Self.sureBeats ? course.steps.map(\.option.bar) : []
    let metre = bars.first.flatMap { first in bars.allSatisfy { $0?.metre == first?.metre } ? first : nil }
    return TempoFinding(
      bpm: bpm, confidence: confidence.rounded(toPlaces: 3), octaveConfidence: octaveConfidence.rounded(toPlaces: 3),
      candidates: candidates.prefix(Self.candidateLimit).map {
        TempoFinding.Candidate(bpm: $0.bpm.rounded(toPlaces: 2), weight: $0.weight.rounded(toPlaces: 4))
      },
      isStable: isStable, map: map, beats: beats.map(Self.time), metre: metre?.metre,
      downbeats: metre == nil ? nil : course.downbeats(among: beats)?.map(Self.time), onsets: onsets)
  }

  private static func time(_ seconds: Double) -> Double { max(0, seconds).rounded(toPlaces: 4) }

  private static func isSameUpToFactor(_ a: Double, _ b: Double) -> Bool {
    let ratio = max(a, b) / min(a, b)
    return [1, 2, 3].contains { abs(ratio / $0 - 1) < tolerance }
  }

  /// Returns the possible error, in beats per minute, of a tempo measured over this many beats: 0.01 plus three
  /// standard errors of the slope of a line through beats that deviate by 12 ms each, but at most 0.1.
  private static func error(of bpm: Double, beatCount: Int) -> Double {
    let slope = 0.012 * (12 / pow(Double(max(beatCount, 2)), 3)).squareRoot()
    return min(0.1, 0.01 + 3 * bpm * slope * bpm / 60)
  }

  private static func clarity(of course: TempoCourse) -> Double {
    let seconds = course.steps.reduce(0) { $0 + $1.reading.duration }
    return course.steps.reduce(0) { $0 + $1.reading.clarity * $1.reading.duration }
      / max(seconds, .leastNormalMagnitude)
  }

  /// Returns the tempo that covers the most time.
  private static func mainTempo(of course: TempoCourse) -> Double? {
    var best: (bpm: Double, seconds: Double)?
    for step in course.steps {
      var seconds = 0.0
      for other in course.steps where abs(other.option.bpm / step.option.bpm - 1) < tolerance {
        seconds += other.reading.duration
      }
      if seconds > best?.seconds ?? 0 { best = (step.option.bpm, seconds) }
    }
    return best?.bpm
  }

  /// Finds the sections of constant tempo in each stretch, and merges neighbors with the same tempo.
  private static func sections(of course: TempoCourse, beats: [Double]) -> [TempoSection] {
    var found: [TempoSection] = []
    var first = 0
    for (index, step) in course.steps.enumerated() {
      let end = index + 1 < course.steps.count ? course.steps[index + 1].reading.start : .infinity
      var last = first
      while last < beats.count, beats[last] < end { last += 1 }
      guard last > first else { continue }
      let own = Array(beats[first..<last])
      found += step.option.isConstant ? [TempoSection(own[...])] : TempoSections.sections(of: own)
      first = last
    }
    return TempoSections.merged(found)
  }

  /// Returns the tempi of all stretches, each with its share of the evidence, best first.
  private static func candidates(of course: TempoCourse) -> [TempoFinding.Candidate] {
    var found: [TempoFinding.Candidate] = []
    let total = course.steps.reduce(0) { $0 + $1.reading.duration }
    for step in course.steps {
      guard case .pulse(let options) = step.reading.outcome else { continue }
      for option in options {
        let weight = option.probability * step.reading.duration / max(total, .leastNormalMagnitude)
        if let index = found.firstIndex(where: { abs($0.bpm / option.bpm - 1) < tolerance }) {
          found[index].weight += weight
        } else {
          found.append(TempoFinding.Candidate(bpm: option.bpm, weight: weight))
        }
      }
    }
    return found.sorted { ($1.weight, $0.bpm) < ($0.weight, $1.bpm) }
  }
}

extension StretchReading {
  /// Keeps only options inside a range of tempi. If none is inside, doubles or halves the tempo of every option until
  /// it is.
  func limited(to range: ClosedRange<Double>) -> StretchReading {
    guard case .pulse(let options) = outcome else { return self }
    var inside = options.filter { range.contains($0.bpm) }
    if inside.isEmpty { inside = options.map { $0.folded(into: range) } }
    let sum = inside.reduce(0) { $0 + $1.probability }
    if sum > 0 { for index in inside.indices { inside[index].probability /= sum } }
    return StretchReading(start: start, duration: duration, outcome: .pulse(inside), clarity: clarity)
  }
}

extension StretchReading.Option {
  func folded(into range: ClosedRange<Double>) -> StretchReading.Option {
    var result = self
    if !range.contains(bpm) { result.bar = nil }
    while result.bpm < range.lowerBound {
      result.bpm *= 2
      result.beats =
        zip(result.beats, result.beats.dropFirst()).flatMap { [$0, ($0 + $1) / 2] } + result.beats.suffix(1)
    }
    while result.bpm > range.upperBound {
      result.bpm /= 2
      result.beats = stride(from: 0, to: result.beats.count, by: 2).map { result.beats[$0] }
    }
    return result
  }
}
