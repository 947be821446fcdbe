internal import Analysis
internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

/// What the catalog says of a file of the library.
package enum LibraryItem {
  /// The property that holds the path, as reports show it.
  package static let path = "path"

  static func item(path: FilePath, tags: TagFinding?) -> MediaItem {
    func values(_ name: String) -> [String] { tags?.fields[name] ?? [] }
    func joined(_ name: String) -> String? { values(name).isEmpty ? nil : values(name).joined(separator: ", ") }
    var item = MediaItem(
      title: joined("title") ?? path.stem, artist: joined("artist"),
      album: joined("album"), isrc: values("isrc").first, genres: values("genre"),
      creationDate: values("date").first ?? values("originaldate").first)
    item.properties[Self.path] = .string(DisplayPath.text(of: path))
    if let recording = values("musicbrainz_recordingid").first {
      item.properties["musicbrainz_recordingid"] = .string(recording)
    }
    return item
  }

  /// Equal for equal items, in every run.
  static func digest(of item: MediaItem) -> ContentID {
    let texts =
      [item.title, item.artist, item.album, item.isrc, item.creationDate] + item.genres.map { $0 }
      + item.properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
    return ContentID(hashing: Array(texts.map { $0 ?? "" }.joined(separator: "\u{0}").utf8))
  }
}
