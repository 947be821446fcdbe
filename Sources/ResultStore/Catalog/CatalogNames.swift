internal import Analysis
internal import Foundation
internal import GRDB
internal import Platform
internal import SystemPackage
internal import Text

/// Whom and what names in tags mean: the ids of artists, albums and genres, which follow from names alone, so they are the
/// same in every database.
enum CatalogNames {
  /// What albums by several artists are filed under if no tag says so.
  static let variousArtists = "Various Artists"

  // MARK: Ids

  /// Names that differ in case or spaces alone, or in kinds of quotes and hyphens, are one.
  static func normalized(_ name: String) -> String {
    var name = name
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = name.precomposedStringWithCanonicalMapping
      name = String(String.UnicodeScalarView(name.unicodeScalars.map { plainSigns[$0] ?? $0 }))
    }
    return name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let plainSigns: [Unicode.Scalar: Unicode.Scalar] = [
    "‘": "'", "’": "'", "ʼ": "'", "“": "\"", "”": "\"", "‐": "-", "‑": "-", "–": "-", "—": "-",
  ]

  static func artistID(_ name: String) -> String { id("artist", [normalized(name)]) }

  /// - Parameters:
  ///   - release: MusicBrainz release, which tells editions apart.
  ///   - artists: Album artists. Without them, tracks with the name of the album belong together if they are in one folder.
  static func albumID(_ name: String, release: String?, artists: [String], isCompilation: Bool, path: FilePath)
    -> String
  {
    if let release { return id("release", [release.lowercased()]) }
    let name = normalized(name)
    if !artists.isEmpty { return id("album", [name] + artists.map(normalized)) }
    if isCompilation { return id("album", [name, normalized(variousArtists)]) }
    return id("folder", [name, DisplayPath.text(of: folder(of: path))])
  }

  private static func id(_ kind: String, _ parts: [String]) -> String {
    ContentID(hashing: Array(([kind] + parts).joined(separator: "\0").utf8)).description
  }

  /// Where the files of an album are. Discs in folders of their own (`CD 2`, `Disc 1`) are one album.
  private static func folder(of path: FilePath) -> FilePath {
    let folder = path.removingLastComponent()
    guard let name = folder.lastComponent?.string.lowercased() else { return folder }
    let isDisc = ["cd", "disc", "disk", "disque", "medium"].contains { kind in
      guard name.hasPrefix(kind) else { return false }
      let number = name.dropFirst(kind.count).drop { $0 == " " || $0 == "_" || $0 == "-" || $0 == "." }
      return !number.isEmpty && number.count <= 2 && number.allSatisfy(\.isWholeNumber)
    }
    return isDisc ? folder.removingLastComponent() : folder
  }

  /// A name for addresses: letters and digits, `-` between words, such as `drum-bass`.
  static func genreID(_ name: String) -> String {
    let id = normalized(name).split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    return id.isEmpty ? ContentID(hashing: Array(name.utf8)).description : id
  }

  // MARK: Credits

  /// Performers one by one: as the tag `artists` lists them, or else out of the credit in `artist`, where guests and lists
  /// are told apart by `feat.`, ` / ` and `; `.
  static func artists(listed: [String], credited: [String]) -> [String] {
    distinct(listed.isEmpty ? credited.flatMap(names(inCredit:)) : listed)
  }

  static func names(inCredit credit: String) -> [String] {
    var names: [[Substring]] = [[]]
    var bracket: Character?
    let words = credit.split(whereSeparator: \.isWhitespace)
    for (index, word) in words.enumerated() {
      let isBehindName = !(names.last ?? []).isEmpty && index < words.count - 1
      let isBracketed = word.first == "(" || word.first == "["
      let isGuest = index < words.count - 1 && guests.contains(word.drop { $0 == "(" || $0 == "[" }.lowercased())
      // `A; feat. B`
      if isGuest, names.count > 1, (names.last ?? []).isEmpty { continue }
      if isBehindName, isGuest {
        if isBracketed { bracket = word.first == "(" ? ")" : "]" }
        names.append([])
      } else if isBehindName, word == "/" || word == ";" {
        names.append([])
      } else if word.last == ";" {
        names[names.count - 1].append(word.dropLast())
        names.append([])
      } else {
        names[names.count - 1].append(word)
      }
    }
    let named = names.filter { !$0.isEmpty }
    return named.enumerated().map { place, words in
      var name = words.joined(separator: " ")
      // `A, feat. B`: the comma stands between names.
      while place < named.count - 1, let last = name.last, last == "," || last == ";" || last.isWhitespace {
        name.removeLast()
      }
      if let bracket, name.last == bracket, !name.contains(where: { $0 == "(" || $0 == "[" }) { name.removeLast() }
      return name
    }
  }

  private static let guests: Set<String> = ["feat.", "feat", "ft.", "ft", "featuring"]

  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter {
      let name = normalized($0)
      return !name.isEmpty && seen.insert(name).inserted
    }
  }

  // MARK: Lists

  /// A list of names as a column has it: JSON, or NULL for an empty one.
  static func list(_ names: [String]) -> String? {
    if names.isEmpty { return nil }
    var writer = JSONWriter()
    writer.beginArray()
    for name in names { writer.string(name) }
    writer.endArray()
    return writer.text
  }

  static func names(in list: String?) -> [String] {
    guard let list, case .array(let values)? = try? JSONValue(parsing: list.utf8) else { return [] }
    return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  // MARK: SQL

  /// What statements that fill the catalog call.
  static let sqlFunctions: [DatabaseFunction] = [
    DatabaseFunction("track_id", argumentCount: 1, pure: true) { values in
      Data.fromDatabaseValue(values[0]).map { ContentID(ofPath: FilePath(bytes: $0)).description }
    },
    DatabaseFunction("artist_id", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(artistID)
    },
    DatabaseFunction("genre_id", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(genreID)
    },
    // Of the lists of the tags `artists` and `artist`.
    DatabaseFunction("artist_list", argumentCount: 2, pure: true) { values in
      let (listed, credited) = (names(in: .fromDatabaseValue(values[0])), names(in: .fromDatabaseValue(values[1])))
      return list(artists(listed: listed, credited: credited))
    },
    // Of a list of genres; what one value names with “ / ” between is several.
    DatabaseFunction("genre_list", argumentCount: 1, pure: true) { values in
      let names = String.fromDatabaseValue(values[0])?.split(separator: " / ").map { String($0) } ?? []
      var seen: Set<String> = []
      return list(names.filter { seen.insert(genreID($0)).inserted })
    },
    // Name, MusicBrainz release, list of album artists, compilation, path.
    DatabaseFunction("album_id", argumentCount: 5, pure: true) { values in
      guard let name = String.fromDatabaseValue(values[0]), !normalized(name).isEmpty,
        let path = Data.fromDatabaseValue(values[4])
      else { return nil }
      return albumID(
        name, release: .fromDatabaseValue(values[1]), artists: names(in: .fromDatabaseValue(values[2])),
        isCompilation: Bool.fromDatabaseValue(values[3]) ?? false, path: FilePath(bytes: path))
    },
    // A list as one text.
    DatabaseFunction("joined_names", argumentCount: 1, pure: true) { values in
      let names = names(in: .fromDatabaseValue(values[0]))
      return names.isEmpty ? nil : names.joined(separator: ", ")
    },
  ]
}
