internal import Analysis
internal import Foundation
internal import GRDB
internal import Library
internal import Platform
internal import SystemPackage
internal import Text

/// Names and ids as they are stored in the tables of the song catalog. `Library` defines what the names and ids mean;
/// SQL functions call `Library`.
package enum NameList {
  /// Returns the column value of a list of names: JSON, or NULL for an empty list.
  package static func list(_ names: [String]) -> String? {
    if names.isEmpty { return nil }
    var writer = JSONWriter()
    writer.beginArray()
    for name in names { writer.string(name) }
    writer.endArray()
    return writer.text
  }

  package static func names(in list: String?) -> [String] {
    guard let list, case .array(let values)? = try? JSONValue(parsing: list.utf8) else { return [] }
    return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  private static func names(_ value: DatabaseValue) -> [String] { names(in: .fromDatabaseValue(value)) }

  /// SQL functions for the statements that fill the song catalog.
  static let sqlFunctions: [DatabaseFunction] = [
    DatabaseFunction("track_id", argumentCount: 1, pure: true) { values in
      Data.fromDatabaseValue(values[0]).map { ContentID(ofPath: FilePath(bytes: $0)).description }
    },
    DatabaseFunction("artist_id", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(SongCatalogID.artist)
    },
    DatabaseFunction("genre_id", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).map(SongCatalogID.genre)
    },
    // Artists from the lists of the tags `artists` and `artist`.
    DatabaseFunction("artist_list", argumentCount: 2, pure: true) { values in
      list(Credit.performers(listed: names(values[0]), credited: names(values[1])))
    },
    // The credit from the same lists, as one text.
    DatabaseFunction("credit_text", argumentCount: 2, pure: true) { values in
      Credit.text(credited: names(values[1]), listed: names(values[0]))
    },
    // Genres from the list of the tag `genre`.
    DatabaseFunction("genre_list", argumentCount: 1, pure: true) { values in list(Credit.genres(names(values[0]))) },
    // The ISO 8601 date of a tag's value; NULL if the value is not a date.
    DatabaseFunction("partial_date", argumentCount: 1, pure: true) { values in
      String.fromDatabaseValue(values[0]).flatMap { PartialDate($0)?.description }
    },
    // Arguments: name, MusicBrainz release, list of album artists, compilation, path.
    DatabaseFunction("album_id", argumentCount: 5, pure: true) { values in
      guard let name = String.fromDatabaseValue(values[0]), !Credit.normalized(name).isEmpty,
        let path = Data.fromDatabaseValue(values[4])
      else { return nil }
      return SongCatalogID.album(
        name, release: .fromDatabaseValue(values[1]), artists: names(values[2]),
        isCompilation: Bool.fromDatabaseValue(values[3]) ?? false, path: FilePath(bytes: path))
    },
    // A list as one text.
    DatabaseFunction("joined_names", argumentCount: 1, pure: true) { values in ListText.joined(names(values[0])) },
  ]
}
