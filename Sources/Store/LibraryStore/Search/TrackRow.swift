public import Analysis
internal import GRDB
public import Platform
internal import ResultStore
public import SystemPackage

/// A track in the song catalog. Unknown values are `nil`.
public struct TrackRow: Sendable, Equatable {
  /// Id of the row of `file`.
  public var fileID: Int64
  public var path: FilePath
  public var contentID: ContentID?
  /// The artists. Like all names here, several values are joined into one text (`ListText`).
  public var artist: String?
  public var title: String?
  public var album: String?
  public var albumArtist: String?
  public var genre: String?
  public var year: Int?
  /// Tempo in beats per minute: the correction if there is one, otherwise the tempo that was found.
  public var bpm: Double?
  /// The confidence, 0 to 1; always 1 for a corrected tempo.
  public var confidence: Double?
  /// `true` if a person set the tempo.
  public var isLocked: Bool
  /// Key in Camelot notation, such as `8A`.
  public var key: String?
  /// Integrated loudness in LUFS.
  public var integratedLoudness: Double?
  public var durationSeconds: Double?
  public var codec: String?
  public var isLossless: Bool?
  public var status: FileAnalysis.Status
  /// Time at which the file was first seen.
  public var added: Timestamp

  static let columns = """
    song.id, file.path, file.content_id, song.artist, song.title, song.album, song.album_artist, song.genre, song.year, \
    song.bpm, song.confidence, song.locked, song.key, song.lufs, song.duration_s, song.codec, song.lossless, song.status, \
    song.added_ns
    """

  static let columnCount: Int32 = 19

  init(_ row: Query) {
    fileID = row.integer(0)
    path = row.path(1)
    contentID = row.optionalText(2).flatMap { ContentID($0) }
    artist = row.optionalText(3)
    title = row.optionalText(4)
    album = row.optionalText(5)
    albumArtist = row.optionalText(6)
    genre = row.optionalText(7)
    year = row.optionalInteger(8).map { Int($0) }
    bpm = row.optionalReal(9)
    confidence = row.optionalReal(10)
    isLocked = row.flag(11)
    key = row.optionalText(12)
    integratedLoudness = row.optionalReal(13)
    durationSeconds = row.optionalReal(14)
    codec = row.optionalText(15)
    isLossless = row.isNull(16) ? nil : row.flag(16)
    status = FileAnalysis.Status(rawValue: row.text(17)) ?? .failed
    added = Timestamp(nanoseconds: row.integer(18))
  }
}
