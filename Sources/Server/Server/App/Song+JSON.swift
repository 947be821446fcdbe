internal import Analysis
internal import LibraryStore
internal import Platform
internal import Records
internal import Serving
internal import SystemPackage
internal import Text

/// A row of the app's lists.
struct ListRow<Value: Sendable>: Sendable {
  let value: Value
  /// The search words to mark.
  var match: WordMatch?

  init(_ value: Value, marking match: WordMatch? = nil) {
    self.value = value
    self.match = match
  }
}

/// A page of a list, with the number of items in the whole list.
struct ListPage<Item: Sendable>: Sendable {
  var count: Int
  var isCountExact = true
  /// The offset; `nil` in all sections of a search except tracks.
  var offset: Int?
  /// Number of failed files; `nil` in lists that do not show it. It is counted only for the first page; on later pages,
  /// the inner value is `nil`.
  var failed: Int??
  var items: [Item]
}

extension JSONType {
  static func page<Item>(_ name: String, _ item: JSONType<Item>, _ others: Field<Value>...) -> Self
  where Value == ListPage<Item> {
    .object(
      name,
      groups: [
        .required("count", .integer) { $0.count }, .required("count_is_exact", .flag) { $0.isCountExact },
        .ifAny("offset", .integer) { $0.offset },
      ], others, [.required("items", .list(item)) { $0.items }])
  }
}

extension JSONType<ListPage<ListRow<Song>>> {
  static var appTracks: Self {
    .page("AppTracks", .appTrack, .ifAny("failed", .nullable(.integer)) { $0.failed })
  }
}

/// A track, with the fields that the rows of the app's lists show.
extension JSONType<ListRow<Song>> {
  static var appTrack: Self { .object("AppTrack", groups: fields) }

  static var fields: [Field<ListRow<Song>>] {
    [
      .required("id", .text) { $0.value.id }, .required("title", .text) { $0.value.title },
      .required("is_untitled", .flag) { $0.value.isUntitled }, .required("file", .text) { $0.value.fileName },
      .optional("folder", .text) { $0.value.row.path.removingLastComponent().lastComponent?.string },
      .optional("artist", .text) { $0.value.row.artist }, .required("artists", .list(.artistLink)) { $0.value.artists },
      .optional("album", .albumLink) { $0.value.album }, .optional("album_artist", .text) { $0.value.row.albumArtist },
      .optional("genre", .text) { $0.value.row.genre }, .optional("year", .integer) { $0.value.row.year },
      .optional("disc", .integer) { $0.value.disc }, .optional("track", .integer) { $0.value.track },
      .optional("tempo_bpm", .number(decimals: 2)) { $0.value.row.bpm },
      .optional("tempo_confidence", .number(decimals: 3)) { $0.value.row.confidence },
      .required("tempo_locked", .flag) { $0.value.row.isLocked }, .optional("key_camelot", .text) { $0.value.row.key },
      .optional("loudness_integrated_lufs", .number(decimals: 2)) { $0.value.row.integratedLoudness },
      .optional("duration_s", .number(decimals: 3)) { $0.value.row.durationSeconds },
      .optional("codec", .text) { $0.value.row.codec }, .optional("lossless", .flag) { $0.value.row.isLossless },
      .required("status", .text) { $0.value.row.status.rawValue }, .required("added_at", .time) { $0.value.row.added },
      .optional("problem", .object("AppNamedProblem", groups: Problem.namedFields)) { $0.value.problem },
      .marks([
        "title": { $0.title }, "artist": { $0.row.artist }, "album": { $0.row.album }, "file": { $0.fileName },
      ]),
    ]
  }
}

extension Song {
  fileprivate var fileName: String { row.path.lastComponent.map { DisplayPath.text(of: FilePath($0.string)) } ?? "" }
}

extension Problem {
  /// The problem's code, with a name, a description and advice that users understand.
  static var namedFields: [Field<Problem>] {
    [
      .required("code", .text) { $0.code }, .required("name", .text) { ProblemWords(code: $0.code).name },
      .required("what", .text) { ProblemWords(code: $0.code).sentence },
      .required("do", .text) { ProblemWords(code: $0.code).advice() },
    ]
  }
}

extension JSONType {
  fileprivate static func link(
    _ id: @escaping @Sendable (Value) -> String, _ name: @escaping @Sendable (Value) -> String
  )
    -> Self
  {
    .object("NamedLink", .required("id", .text, id), .required("name", .text, name))
  }
}

extension JSONType<SongArtist> {
  static var artistLink: Self { .link({ $0.id }, { $0.name }) }
}

extension JSONType<Song.Album> {
  static var albumLink: Self { .link({ $0.id }, { $0.name }) }
}

extension Field {
  /// The ranges of the search words in names, in UTF-16 units as in JavaScript.
  static func marks<Value>(_ names: KeyValuePairs<String, @Sendable (Value) -> String?>) -> Self
  where Record == ListRow<Value> {
    .ifAny("marks", .map(.list(.list(.integer)))) { row in
      row.match.map { match in names.map { (key: $0.key, value: match.marks(in: $0.value(row.value) ?? "")) } }
    }
  }
}

extension WordMatch {
  fileprivate func marks(in text: String) -> [[Int]] {
    ranges(in: text).map { range in
      let start = text.utf16.distance(from: text.startIndex, to: range.lowerBound)
      return [start, start + text.utf16.distance(from: range.lowerBound, to: range.upperBound)]
    }
  }
}
