public import Analysis

/// Estimates the tempo in beats per minute, the times of the beats, and how the tempo changes.
///
/// Audio is split where one constant tempo gives way to another. Onset envelopes of eight kinds, and the beats detected
/// by a small network, are compared with beat grids of several tempi and phases. The tempo of a grid is constant,
/// unless a path of varying tempo explains the music much better. A conditional logit picks the grid. The meter and
/// downbeats are reported if the beats clearly group into bars. Papers are cited at the types that implement the
/// individual steps. The folders next to this file are, in the order of processing:
///
/// - `Onsets`: the bands of the spectrum and their onset envelopes.
/// - `BeatNetwork`: the network that detects beats.
/// - `Pulse`: the candidate tempi of a stretch of music.
/// - `Grids`: beat grids, their features, and the choice between them.
/// - `Beats`: the beats of the chosen grid, and their bars.
/// - `Course`: the tempo of a track and its changes, derived from the stretches.
public struct TempoAnalyzer: Analyzer {
  public static let id = "tempo"
  public static let version = 7
  public static let summary = "Tempo in beats per minute with candidates and confidence, beats, and a map of the tempo"

  public struct Configuration: AnalyzerConfiguration {
    /// Minimum tempo. Lower candidates are left out, or doubled if no candidate is in the range.
    public var minimumBPM = 40.0
    /// Maximum tempo. Higher candidates are left out, or halved if no candidate is in the range.
    public var maximumBPM = 250.0
    /// `true` to round a constant tempo to the nearest whole number if the difference is within the measurement error,
    /// because machine-made music usually has whole tempi.
    public var roundsToInteger = true

    public init() {}

    enum CodingKeys: String, CodingKey {
      case minimumBPM = "min_bpm"
      case maximumBPM = "max_bpm"
      case roundsToInteger = "round_to_integer"
    }
  }

  private let configuration: Configuration

  public init(_ configuration: Configuration) throws(ConfigurationError) {
    guard configuration.minimumBPM >= 20, configuration.minimumBPM <= 200 else {
      throw ConfigurationError(
        key: "min_bpm", problem: "\(configuration.minimumBPM) is not between 20 and 200 beats per minute")
    }
    guard configuration.maximumBPM <= 400, configuration.maximumBPM >= 2 * configuration.minimumBPM else {
      throw ConfigurationError(
        key: "max_bpm",
        problem:
          "\(configuration.maximumBPM) is not between twice min_bpm (so every tempo has an octave in the range) "
          + "and 400 beats per minute")
    }
    self.configuration = configuration
  }

  public var feed: Feed { .spectrum(BandSpectrogram.layout) }

  public func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    var session = Session(configuration)
    if let seconds = file.format?.duration { session.expect(seconds) }
    return session
  }

  /// Keeps the bands of at most seven and a half minutes of audio, and only the tempi and beats of earlier audio.
  public struct Session: AnalysisSession {
    /// Duration of a stretch, in seconds. A track that is less than one and a half times as long is read as a whole.
    static let stretchSeconds = 300.0
    /// The overlap of stretches, in seconds.
    static let overlapSeconds = 10.0
    /// Minimum duration, in seconds, of audio that gets a tempo: four beats of slow music. For shorter audio, the tempo
    /// would be a guess.
    static let minSeconds = 4.0

    private let configuration: Configuration
    /// The tempo that the user has specified; `nil` to estimate it.
    private let givenTempo: Double?
    private var bands = BandSpectrogram()
    private var firstColumn: Int64 = 0
    private var readings: [StretchReading] = []
    private var onsets = OnsetCourse()

    init(_ configuration: Configuration) {
      self.configuration = configuration
      givenTempo = nil
    }

    init(near bpm: Double) {
      var configuration = Configuration()
      // A varying tempo may deviate from the specified tempo by this factor.
      configuration.minimumBPM = bpm / 1.5
      configuration.maximumBPM = bpm * 1.5
      configuration.roundsToInteger = false
      self.configuration = configuration
      givenTempo = bpm
    }

    /// Reserves memory for this many seconds of audio, but at most for the duration that is kept at a time.
    mutating func expect(_ seconds: Double) {
      let kept = seconds > 0 ? min(seconds, 1.5 * Self.stretchSeconds) : 0
      bands.reserve(Int(kept * OnsetEnvelopes.columnsPerSecond) + 8)
    }

    /// Number of columns in memory.
    var keptColumns: Int { bands.columnCount }

    public mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try BandSpectrogram.layout.check(values)
      bands.append(values)
      let stretch = Int(Self.stretchSeconds * OnsetEnvelopes.columnsPerSecond)
      if bands.columnCount >= stretch * 3 / 2 {
        let overlap = Int(Self.overlapSeconds * OnsetEnvelopes.columnsPerSecond)
        read(bands.part(0..<(stretch + overlap)), keeping: stretch, isWholeFile: false)
        bands.removeFirst(stretch)
        firstColumn += Int64(stretch)
      }
    }

    private mutating func read(_ bands: BandSpectrogram, keeping columns: Int, isWholeFile: Bool) {
      let envelopes = OnsetEnvelopes(bands)
      onsets.append(envelopes.values.prefix(columns))
      if let givenTempo {
        readings.append(StretchReading(envelopes, of: bands, firstColumn: firstColumn, near: givenTempo))
        return
      }
      let changes = TempoChanges(PulseSurvey.combined(envelopes)).columns
      guard !changes.isEmpty else {
        readings.append(StretchReading(envelopes, of: bands, firstColumn: firstColumn, isWholeFile: isWholeFile))
        return
      }
      for (start, end) in zip([0] + changes, changes + [bands.columnCount]) {
        let part = bands.part(start..<end)
        let first = firstColumn + Int64(start)
        readings.append(StretchReading(OnsetEnvelopes(part), of: part, firstColumn: first, isWholeFile: false))
      }
    }

    public mutating func finish() throws(AnalysisError) -> TempoFinding {
      let seconds = (Double(firstColumn) + Double(bands.columnCount)) / OnsetEnvelopes.columnsPerSecond
      if bands.columnCount > 0 { read(bands, keeping: bands.columnCount, isWholeFile: firstColumn == 0) }
      if readings.allSatisfy({ if case .silence = $0.outcome { true } else { false } }) {
        return .none(reason: "silence", onsets: onsets.summary)
      }
      guard seconds >= Self.minSeconds else { return .none(reason: "too_short", onsets: onsets.summary) }
      return TempoDecision(configuration).finding(from: readings, onsets: onsets.summary)
    }
  }
}
