internal import Analysis
internal import DSP
internal import Mathematics

/// Tonic and mode, tuning, and where the key changes.
///
/// Spectra of thirds of a semitone, moved to a tuning of 440 Hz, are given to a small network that is the same for all twelve
/// tonics; what it hears is averaged over the track, or over the parts of it that are in one key. docs/key.md tells the way.
struct KeyAnalyzer: Analyzer {
  static let id = "key"
  static let version = 2
  static let summary = "Key (tonic and mode) with confidence, its changes, and the tuning"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .spectrum(PitchSpectrum.layout) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  /// Keeps the spectrum of some minutes at a time, and sums of what the network has heard.
  struct Session: AnalysisSession {
    /// A track of up to one and a half times this many frames is heard as a whole.
    static let stretchFrames = 256
    /// Below this a key is a guess.
    static let shortestSeconds = 4.0
    /// Log-odds of a key below which none is given.
    static let leastPresence = -2.0
    /// Probability of the likeliest key below which none is given: speech has 0.09 to 0.21 where it is taken for music, and
    /// pieces in a key 0.33 and more.
    static let leastChance = 0.25
    /// Clarity of the tuning: music is above.
    static let leastClarity = 0.12
    private static let candidateLimit = 3
    private static let leastProbability = 0.01

    private var spectrum = PitchSpectrum()
    /// Frames at the start of `spectrum` that have been heard already, and are there for those after them.
    private var heardBefore = 0
    private var sums = KeySums()
    private var frameCount = 0
    private var isSilent = true

    init() {}

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try PitchSpectrum.layout.check(values)
      spectrum.append(values)
      if spectrum.frameCount >= heardBefore + Self.stretchFrames * 3 / 2 { hear(Self.stretchFrames) }
    }

    /// Lets the network hear the next frames, and forgets them but for those that the next ones are heard with.
    private mutating func hear(_ count: Int) {
      let end = heardBefore + count
      let range = 0..<min(end + KeyNetwork.reach, spectrum.frameCount)
      let (heard, weights) = KeyNetwork.trained(spectrum.tuned(range, cents: spectrum.tuning.cents))
      for frame in heardBefore..<end {
        sums.append(
          heard[frame * KeyNetwork.width..<(frame + 1) * KeyNetwork.width],
          logarithms: weights[frame * KeyNetwork.heads..<(frame + 1) * KeyNetwork.heads])
      }
      if isSilent { isSilent = !spectrum.levels.contains { $0 > PitchSpectrum.floor + 10 } }
      frameCount += count
      heardBefore = min(KeyNetwork.reach, end)
      spectrum.removeFirst(end - heardBefore)
    }

    mutating func finish() throws(AnalysisError) -> KeyFinding {
      spectrum.finish()
      if spectrum.frameCount > heardBefore { hear(spectrum.frameCount - heardBefore) }
      guard !isSilent else { return .none(reason: "silence") }
      guard Double(frameCount) * PitchSpectrum.frameSeconds >= Self.shortestSeconds else {
        return .none(reason: "too_short")
      }
      let tuning = spectrum.overallTuning
      let cents = tuning.clarity >= Self.leastClarity ? tuning.cents.rounded(toPlaces: 1) : nil
      let hertz = cents.map { (440 * exp2($0 / 1200)).rounded(toPlaces: 2) }
      let curve = KeyCurve(sums, network: .trained)
      let main = curve.main
      let (logits, presence) = KeyNetwork.trained.decide(
        sums.sum(curve.keys.indices.filter { curve.keys[$0] == main }).means)
      let chances = KeyCurve.chances(logits)
      let ranked = chances.indices.sorted { (chances[$1], $0) < (chances[$0], $1) }
      let best = ranked[0]
      guard presence >= Self.leastPresence, chances[best] >= Self.leastChance else {
        return .none(reason: "no_key", tuningHertz: hertz, tuningCents: cents)
      }
      return KeyFinding(
        key: Self.key(best), confidence: chances[best].rounded(toPlaces: 3),
        candidates: ranked.prefix(Self.candidateLimit).filter { chances[$0] >= Self.leastProbability }.map {
          KeyFinding.Candidate(key: "\(Self.key($0))", probability: chances[$0].rounded(toPlaces: 3))
        },
        map: map(curve, main: main, best: best), tuningHertz: hertz, tuningCents: cents)
    }

    /// - Parameter index: of 24, C major first, C minor 12 later.
    private static func key(_ index: Int) -> MusicalKey {
      MusicalKey(pitchClass: index % 12, mode: index < 12 ? .major : .minor)
    }

    /// - Parameters:
    ///   - main: the key of most segments.
    ///   - best: what those segments are in, judged all at once.
    private func map(_ curve: KeyCurve, main: Int, best: Int) -> [KeyFinding.Section] {
      var map: [KeyFinding.Section] = []
      let seconds = Double(sums.framesPerSegment) * PitchSpectrum.frameSeconds
      for (segment, key) in curve.keys.enumerated() {
        let name = "\(Self.key(key == main ? best : key))"
        if map.last?.key != name {
          map.append(KeyFinding.Section(startSeconds: (Double(segment) * seconds).rounded(toPlaces: 3), key: name))
        }
      }
      return map
    }
  }
}
