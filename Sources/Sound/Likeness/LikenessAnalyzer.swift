public import Analysis

/// Computes a descriptor of a track's sound, for finding similar tracks. docs/likeness.md describes the method.
///
/// Statistics are computed for blocks of ten seconds. Their weighted mean over the track, projected to 128 numbers, is
/// the descriptor.
public struct LikenessAnalyzer: Analyzer {
  public static let id = "likeness"
  public static let version = 1
  public static let summary = "Descriptor of the sound, for finding similar tracks"

  public init(_ configuration: NoConfiguration) {}

  public var feed: Feed { .spectrum(SoundFrame.layout) }

  public func makeSession(for file: AudioFile) -> Session { Session() }

  /// Keeps the features of the current block, and sums over earlier blocks.
  public struct Session: AnalysisSession {
    /// Minimum duration of a track, in seconds.
    static let minSeconds = 5.0
    /// Minimum number of frames in the last block, unless there is no earlier block with sound.
    private static let minBlockFrames = 64

    private var frame = SoundFrame()
    private var statistics = SoundStatistics()
    private var frameCount = 0
    private var sums = [Double](repeating: 0, count: SoundStatistics.count)
    private var weight = 0.0

    init() {}

    public mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      try SoundFrame.layout.check(values)
      guard index.isMultiple(of: Int64(SoundFrame.columnsPerFrame)) else { return }
      frame.read(values)
      statistics.append(frame)
      frameCount += 1
      if statistics.frameCount == SoundStatistics.blockLength { endBlock() }
    }

    private mutating func endBlock() {
      guard let block = statistics.next() else { return }
      for (index, number) in block.numbers.enumerated() { sums[index] += block.weight * Double(number) }
      weight += block.weight
    }

    public mutating func finish() throws(AnalysisError) -> LikenessFinding {
      guard Double(frameCount) >= Self.minSeconds * SoundFrame.framesPerSecond else {
        return .none(reason: "too_short")
      }
      if weight == 0 || statistics.frameCount >= Self.minBlockFrames { endBlock() }
      guard weight > 0 else { return .none(reason: "silence") }
      let descriptor = SoundProjection.fitted(sums.map { $0 / weight })
      return LikenessFinding(version: SoundDescriptor.version, descriptor: descriptor.bytes)
    }
  }
}
