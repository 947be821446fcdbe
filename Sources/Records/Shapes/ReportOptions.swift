/// What goes into a report, and how.
public struct ReportOptions: Hashable, Sendable {
  /// The long lists of each file, beats, downbeats and the course of onsets; the records must have been read with them.
  public var includesBeats: Bool
  /// The words of songs, likewise.
  public var includesLyrics: Bool
  public var includesChapters: Bool
  /// CSV only: an apostrophe before text that a spreadsheet would run as a formula. It changes such text.
  public var guardsFormulas: Bool

  public init(
    includesBeats: Bool = false, includesLyrics: Bool = false, includesChapters: Bool = false,
    guardsFormulas: Bool = false
  ) {
    self.includesBeats = includesBeats
    self.includesLyrics = includesLyrics
    self.includesChapters = includesChapters
    self.guardsFormulas = guardsFormulas
  }
}
