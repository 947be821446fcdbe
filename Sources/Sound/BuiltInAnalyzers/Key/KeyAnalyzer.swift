internal import Analysis
internal import DSP
internal import Mathematics

/// Estimates the key (tonic and mode), key changes and the tuning.
///
/// The input is a spectrum with bins of a third of a semitone, shifted to a tuning of 440 Hz. It is read by a small
/// network that is equivariant to the twelve tonics. The network's outputs are averaged over windows of 16 s to find
/// key changes, and over all segments in the main key to decide that key. docs/key.md describes the method.
struct KeyAnalyzer: Analyzer {
  static let id = "key"
  static let version = 2
  static let summary = "Key (tonic and mode) with confidence, its changes, and the tuning"

  init(_ configuration: NoConfiguration) throws(ConfigurationError) {}

  var feed: Feed { .spectrum(PitchSpectrum.layout) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  /// Keeps the spectrum of a few minutes at most, and sums of the network's outputs.
  struct Session: AnalysisSession {
    /// Number of frames per stretch. A track of less than one and a half stretches is analyzed as a whole.
    static let stretchFrames = 256
    /// Minimum duration, in seconds, of audio that gets a key. For shorter audio, the key would be a guess.
    static let minSeconds = 4.0
    /// Minimum log-odds that there is a key.
    static let minPresence = -2.0
    /// Minimum probability of the likeliest key. Speech mistaken for music reaches 0.09 to 0.21, and music in a key
    /// reaches 0.33 or more.
    static let minChance = 0.25
    /// Minimum clarity of the tuning. Music exceeds it.
    static let minClarity = 0.12
    private static let candidateLimit = 3
    private static let minProbability = 0.01

    private var spectrum = PitchSpectrum()
    /// Number of frames at the start of `spectrum` that have been processed already and serve as context.
    private var contextFrames = 0
    private var sums = KeySums()
    private var frameCount = 0
    private var isSilent = true

    init() {}

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try PitchSpectrum.layout.check(values)
      spectrum.append(values)
      if spectrum.frameCount >= contextFrames + Self.stretchFrames * 3 / 2 { runNetwork(Self.stretchFrames) }
    }

    /// Runs the network on the next frames, and then drops all processed frames except the context of the frames that
    /// follow.
    private mutating func runNetwork(_ count: Int) {
      let end = contextFrames + count
      let range = 0..<min(end + KeyNetwork.reach, spectrum.frameCount)
      let (features, weights) = KeyNetwork.trained(spectrum.tuned(range, cents: spectrum.tuning.cents))
      for frame in contextFrames..<end {
        sums.append(
          features[frame * KeyNetwork.width..<(frame + 1) * KeyNetwork.width],
          logarithms: weights[frame * KeyNetwork.heads..<(frame + 1) * KeyNetwork.heads])
      }
      if isSilent { isSilent = !spectrum.levels.contains { $0 > PitchSpectrum.floor + 10 } }
      frameCount += count
      contextFrames = min(KeyNetwork.reach, end)
      spectrum.removeFirst(end - contextFrames)
    }

    mutating func finish() throws(AnalysisError) -> KeyFinding {
      spectrum.finish()
      if spectrum.frameCount > contextFrames { runNetwork(spectrum.frameCount - contextFrames) }
      guard !isSilent else { return .none(reason: "silence") }
      guard Double(frameCount) * PitchSpectrum.frameSeconds >= Self.minSeconds else {
        return .none(reason: "too_short")
      }
      let tuning = spectrum.overallTuning
      let cents = tuning.clarity >= Self.minClarity ? tuning.cents.rounded(toPlaces: 1) : nil
      let hertz = cents.map { (440 * exp2($0 / 1200)).rounded(toPlaces: 2) }
      let curve = KeyCurve(sums, network: .trained)
      let main = curve.main
      let (logits, presence) = KeyNetwork.trained.decide(
        sums.sum(curve.keys.indices.filter { curve.keys[$0] == main }).means)
      let chances = KeyCurve.chances(logits)
      let ranked = chances.indices.sorted { (chances[$1], $0) < (chances[$0], $1) }
      let best = ranked[0]
      guard presence >= Self.minPresence, chances[best] >= Self.minChance else {
        return .none(reason: "no_key", tuningHertz: hertz, tuningCents: cents)
      }
      return KeyFinding(
        key: Self.key(best), confidence: chances[best].rounded(toPlaces: 3),
        candidates: ranked.prefix(Self.candidateLimit).filter { chances[$0] >= Self.minProbability }.map {
          KeyFinding.Candidate(key: "\(Self.key($0))", probability: chances[$0].rounded(toPlaces: 3))
        },
        map: map(curve, main: main, best: best), tuningHertz: hertz, tuningCents: cents)
    }

    /// - Parameter index: Index of a key, 0 to 23, with C major at 0 and C minor at 12.
    private static func key(_ index: Int) -> MusicalKey {
      MusicalKey(pitchClass: index % 12, mode: index < 12 ? .major : .minor)
    }

    /// - Parameters:
    ///   - main: The key of most segments.
    ///   - best: The key of the segments in `main`, judged together.
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
