internal import Analysis
internal import Library
internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

/// Creates media items for files of the library.
package enum LibraryItem {
  /// The name of the property that contains the path as it appears in reports.
  package static let path = "path"

  static func item(path: FilePath, tags: TagFinding?) -> MediaItem {
    let track = Track(path: path, tags: tags)
    var item = MediaItem(
      title: track.title, artist: track.artist, album: track.album, isrc: track.first("isrc"), genres: track.genres,
      creationDate: track.date?.description)
    item.properties[Self.path] = .string(DisplayPath.text(of: path))
    if let recording = track.first("musicbrainz_recordingid") {
      item.properties["musicbrainz_recordingid"] = .string(recording)
    }
    return item
  }

  /// Returns a digest that is the same for equal items, even in different runs of the program.
  static func digest(of item: MediaItem) -> ContentID {
    let texts =
      [item.title, item.artist, item.album, item.isrc, item.creationDate] + item.genres.map { $0 }
      + item.properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
    return ContentID(hashing: Array(texts.map { $0 ?? "" }.joined(separator: "\u{0}").utf8))
  }
}
