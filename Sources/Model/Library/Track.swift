public import Analysis
public import Records
public import SystemPackage
internal import Text

/// The presentation of a track, based on its tags or, without tags, on its file name. Search, reports, exports, pages
/// and servers all use this type, so a track has the same title, artist and year everywhere.
public struct Track: Sendable {
  public let path: FilePath
  private let fields: [String: [String]]

  public init(path: FilePath, tags: TagFinding?) {
    self.path = path
    fields = tags?.fields ?? [:]
  }

  // MARK: Tags

  /// Returns all nonempty values of a tag.
  /// - Parameter name: A name from `TagField`.
  public func values(_ name: String) -> [String] {
    guard let values = fields[name] else { return [] }
    return values.contains(where: \.isEmpty) ? values.filter { !$0.isEmpty } : values
  }

  /// Returns all values of a tag as one text; `nil` if there are none.
  public func text(_ name: String) -> String? { ListText.joined(values(name)) }

  public func first(_ name: String) -> String? { values(name).first }

  /// Returns the value of a tag if it is a whole number greater than zero.
  public func number(_ name: String) -> Int? { first(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

  // MARK: Names

  public var titleTag: String? { text("title") }

  /// The title tag, or the file name without its extension if there is none.
  public var title: String { Self.title(titleTag, of: path) }

  /// The credit as one text.
  public var artist: String? { Credit.text(credited: values("artist"), listed: values("artists")) }

  public var artists: [String] { Credit.performers(listed: values("artists"), credited: values("artist")) }

  public var album: String? { text("album") }

  /// The individual performers of the release.
  public var albumArtists: [String] { Credit.performers(listed: [], credited: values("albumartist")) }

  public var genres: [String] { Credit.genres(values("genre")) }

  /// Artist and title as one text.
  public var name: String { Self.name(artist: artist, title: title) }

  /// - Parameter tag: The title tag; `nil` if the track has none.
  public static func title(_ tag: String?, of path: FilePath) -> String { tag ?? path.stem ?? "" }

  /// `Artist - Title`, or only the title if the artist is unknown.
  public static func name(artist: String?, title: String) -> String {
    artist.map { "\($0) - \(title)" } ?? title
  }

  // MARK: Dates

  /// The date of this release if known, otherwise that of the first release.
  public var date: PartialDate? {
    for name in Self.dateFields {
      for value in values(name) { if let date = PartialDate(value) { return date } }
    }
    return nil
  }

  public var year: Int? { date?.year }

  /// The tags with a release date, in order of precedence.
  public static let dateFields = ["date", "originaldate", "originalyear"]
}

extension FileRecord {
  public var track: Track { Track(path: path, tags: tags) }
}
