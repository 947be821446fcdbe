public import Platform

/// A manual correction of a recording's tempo. It takes precedence over all findings, both earlier and later ones.
public struct TempoCorrection: Hashable, Sendable {
  /// The corrected tempo map, beats and bars.
  public struct Grid: Hashable, Sendable {
    public var isStable: Bool
    public var map: [TempoFinding.Section]
    public var beats: [Double]
    public var metre: String?
    public var downbeats: [Double]?

    public init(
      isStable: Bool, map: [TempoFinding.Section], beats: [Double], metre: String? = nil, downbeats: [Double]? = nil
    ) {
      self.isStable = isStable
      self.map = map
      self.beats = beats
      self.metre = metre
      self.downbeats = downbeats
    }
  }

  /// Beats per minute; `nil` if there is no steady beat.
  public var bpm: Double?
  /// The grid; `nil` if there is no tempo. It is also `nil` in corrections that are older than this field; their grid
  /// is derived from the finding.
  public var grid: Grid?
  public var corrected: Timestamp
  /// The analyzer's finding; `nil` if the analyzer has not run.
  public var found: TempoFinding?

  public init(bpm: Double?, grid: Grid?, corrected: Timestamp, found: TempoFinding? = nil) {
    self.bpm = bpm
    self.grid = grid
    self.corrected = corrected
    self.found = found
  }

  /// Creates a correction from a manually edited finding.
  public init(_ finding: TempoFinding, corrected: Timestamp) {
    self.init(bpm: finding.bpm, grid: nil, corrected: corrected)
    guard bpm != nil else { return }
    grid = Grid(
      isStable: finding.isStable, map: finding.map, beats: finding.beats, metre: finding.metre,
      downbeats: finding.downbeats)
  }
}
