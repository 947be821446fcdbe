internal import Analysis
internal import DSP

/// Rates the energy, danceability and speechiness of a track, each from 0 to 1.
///
/// `SoundMeasures` contains the formulas; docs/traits.md describes their meaning and accuracy. All measures are ratios,
/// so the volume does not matter. They are based on the louder content below 9.5 kHz, so the encoder makes hardly any
/// difference.
struct TraitsAnalyzer: Analyzer {
  static let id = "traits"
  static let version = 1
  static let summary = "Energy, danceability and speechiness, from 0 to 1"

  init(_ configuration: NoConfiguration) {}

  var feed: Feed { .spectrum(CriticalBands.layout) }

  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  /// Keeps sums, and the inputs of the current segment.
  struct Session: AnalysisSession {
    /// Number of columns per segment, which is about eight seconds.
    private static let segmentLength = 800
    /// Minimum duration of the audible content, in seconds: a segment of eight seconds, minus the part that the levels
    /// may miss at both ends.
    private static let minSeconds = 7.5
    /// Number of columns per level, which is about 0.3 s.
    private static let levelLength = 30
    /// Maximum level of a silent track, in dB relative to full scale.
    private static let silence = -100.0
    /// Factor that converts the sum of a column's powers to the mean square of the signal (Parseval's theorem; the
    /// squared Hann window adds up to 3/8 of its length).
    private static let meanSquare: Double = {
      let length = Double(CriticalBands.layout.windowLength)
      return 2 / (0.375 * length * length)
    }()

    private var bands = CriticalBands()
    private var bandPowers = [Double](repeating: 0, count: CriticalBands.count)
    private var noveltySum = 0.0
    private var bassNoveltySum = 0.0
    private var levelSum = 0.0

    private var distribution = LevelDistribution()
    private var blockPower = 0.0
    private var blockColumns = 0

    /// Novelty of the segment that is not complete yet.
    private var novelty: [Float] = []
    private var bassNovelty: [Float] = []
    private var levels: [Float] = []
    private var pulse = PulseClarity(segmentLength: segmentLength)
    private var bassPulse = PulseClarity(segmentLength: segmentLength)
    private var syllables = SyllableRhythm(
      segmentLength: segmentLength, columnsPerSecond: CriticalBands.columnsPerSecond)

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try CriticalBands.layout.check(values)
      bands.read(values)
      for band in bandPowers.indices {
        let power = Double(bands.powers[band])
        bandPowers[band] += power
        blockPower += power
      }
      levelSum += Double(bands.level)
      noveltySum += Double(bands.novelty)
      bassNoveltySum += Double(bands.bassNovelty)
      blockColumns += 1
      if blockColumns == Self.levelLength {
        distribution.add(meanSquare: blockPower / Double(blockColumns) * Self.meanSquare)
        (blockPower, blockColumns) = (0, 0)
      }
      novelty.append(bands.novelty)
      bassNovelty.append(bands.bassNovelty)
      levels.append(bands.level)
      if levels.count == Self.segmentLength { endSegment() }
    }

    private mutating func endSegment() {
      let level = Double(levels.reduce(0, +)) / Double(levels.count)
      pulse.add(novelty, level: level)
      bassPulse.add(bassNovelty, level: level)
      syllables.add(levels, level: level)
      novelty.removeAll(keepingCapacity: true)
      bassNovelty.removeAll(keepingCapacity: true)
      levels.removeAll(keepingCapacity: true)
    }

    mutating func finish() throws(AnalysisError) -> TraitsFinding {
      guard let loudest = distribution.loudest, loudest > Self.silence else { return .none(reason: "silence") }
      let seconds = Double(distribution.soundCount * Self.levelLength) / CriticalBands.columnsPerSecond
      guard seconds >= Self.minSeconds, let measures else { return .none(reason: "too_short") }
      return TraitsFinding(
        energy: measures.energy.rounded(toPlaces: 3), danceability: measures.danceability.rounded(toPlaces: 3),
        speechiness: measures.speechiness.rounded(toPlaces: 3))
    }

    /// The measures of the track; `nil` if all segments are silent.
    var measures: SoundMeasures? {
      guard let pulse = pulse.value, let bassPulse = bassPulse.value else { return nil }
      return SoundMeasures(
        novelty: noveltySum / levelSum, bassNovelty: bassNoveltySum / levelSum,
        dynamics: distribution.percentile(0.95) - distribution.percentile(0.2),
        brightShare: bandPowers[CriticalBands.firstBright...].reduce(0, +) / bandPowers.reduce(0, +),
        pulse: (pulse + bassPulse) / 2, syllables: syllables.value)
    }
  }
}
