internal import Analysis
internal import LibraryStore
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A track as the rows of the app's lists show it.
extension Song {
  private var fileName: String { row.path.lastComponent.map { DisplayPath.text(of: FilePath($0.string)) } ?? "" }
  private var folder: String? { row.path.removingLastComponent().lastComponent?.string }

  /// Members of an object.
  /// - Parameter match: Marks the words of a search.
  func write(into json: inout JSONWriter, marking match: WordMatch? = nil) {
    json.put("id", id)
    json.put("title", title)
    json.put("is_untitled", isUntitled)
    json.put("file", fileName)
    json.put("folder", folder)
    json.put("artist", row.artist)
    json.putArtists("artists", artists)
    if let album {
      json.putObject("album") {
        $0.put("id", album.id)
        $0.put("name", album.name)
      }
    } else {
      json.putNull("album")
    }
    json.put("album_artist", row.albumArtist)
    json.put("genre", row.genre)
    json.put("year", row.year)
    json.put("disc", disc)
    json.put("track", track)
    json.put("tempo_bpm", row.bpm, decimals: 2)
    json.put("tempo_confidence", row.confidence, decimals: 3)
    json.put("tempo_locked", row.isLocked)
    json.put("key_camelot", row.key)
    json.put("loudness_integrated_lufs", row.integratedLoudness, decimals: 2)
    json.put("duration_s", row.durationSeconds, decimals: 3)
    json.put("codec", row.codec)
    json.put("lossless", row.isLossless)
    json.put("status", row.status.rawValue)
    json.put("added_at", row.added.description)
    if let problem {
      json.putObject("problem") { json in
        let words = ProblemWords(code: problem.code)
        json.put("code", problem.code)
        json.put("name", words.name)
        json.put("what", words.sentence)
        json.put("do", words.advice())
      }
    } else {
      json.putNull("problem")
    }
    guard let match else { return }
    json.putObject("marks") {
      $0.putMarks("title", match, in: title)
      $0.putMarks("artist", match, in: row.artist)
      $0.putMarks("album", match, in: row.album)
      $0.putMarks("file", match, in: fileName)
    }
  }
}

extension JSONWriter {
  mutating func putArtists(_ name: String, _ artists: [SongArtist]) {
    putList(name, artists) { json, artist in
      json.put("id", artist.id)
      json.put("name", artist.name)
    }
  }

  /// The places of a search's words in a name, in UTF-16 units, as scripts count them.
  mutating func putMarks(_ field: String, _ match: WordMatch, in name: String?) {
    key(field)
    beginArray()
    for range in name.map({ match.ranges(in: $0) }) ?? [] {
      guard let name else { break }
      let start = name.utf16.distance(from: name.startIndex, to: range.lowerBound)
      beginArray()
      integer(start)
      integer(start + name.utf16.distance(from: range.lowerBound, to: range.upperBound))
      endArray()
    }
    endArray()
  }
}
