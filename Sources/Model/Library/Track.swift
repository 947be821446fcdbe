public import Analysis
public import Records
public import SystemPackage
internal import Text

/// A track as people name it: what its tags, and without them the name of its file, say. Search, reports, exports, pages and
/// servers all ask here, so a track has one title, one artist and one year wherever it is shown.
public struct Track: Sendable {
  public let path: FilePath
  private let fields: [String: [String]]

  public init(path: FilePath, tags: TagFinding?) {
    self.path = path
    fields = tags?.fields ?? [:]
  }

  // MARK: Tags

  /// All values of a tag but empty ones.
  /// - Parameter name: A name of `TagField`.
  public func values(_ name: String) -> [String] {
    guard let values = fields[name] else { return [] }
    return values.contains(where: \.isEmpty) ? values.filter { !$0.isEmpty } : values
  }

  /// All values of a tag as one text; `nil` if it has none.
  public func text(_ name: String) -> String? { ListText.joined(values(name)) }

  public func first(_ name: String) -> String? { values(name).first }

  /// A whole number greater than zero.
  public func number(_ name: String) -> Int? { first(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

  // MARK: Names

  /// Title in the tag; `nil` for a track without one.
  public var titleTag: String? { text("title") }

  /// Title in the tag, or else the name of the file without its extension.
  public var title: String { Self.title(titleTag, of: path) }

  /// The credit as one text.
  public var artist: String? { Credit.text(credited: values("artist"), listed: values("artists")) }

  /// Performers one by one.
  public var artists: [String] { Credit.performers(listed: values("artists"), credited: values("artist")) }

  public var album: String? { text("album") }

  /// Performers of the release one by one.
  public var albumArtists: [String] { Credit.performers(listed: [], credited: values("albumartist")) }

  /// One by one.
  public var genres: [String] { Credit.genres(values("genre")) }

  /// Artist and title.
  public var name: String { Self.name(artist: artist, title: title) }

  /// - Parameter tag: `nil` for a track without one.
  public static func title(_ tag: String?, of path: FilePath) -> String { tag ?? path.stem ?? "" }

  /// `Artist - Title`, or the title of a track whose artist is not known.
  public static func name(artist: String?, title: String) -> String {
    artist.map { "\($0) - \(title)" } ?? title
  }

  // MARK: Dates

  /// Date of this release, or else of the first one.
  public var date: PartialDate? {
    for name in Self.dateFields {
      for value in values(name) { if let date = PartialDate(value) { return date } }
    }
    return nil
  }

  public var year: Int? { date?.year }

  /// Tags that tell when a track was released, the one that counts most first.
  public static let dateFields = ["date", "originaldate", "originalyear"]
}

extension FileRecord {
  public var track: Track { Track(path: path, tags: tags) }
}
