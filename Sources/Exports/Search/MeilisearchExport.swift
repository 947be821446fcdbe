internal import Records
internal import Text

/// A folder for Meilisearch: `documents.ndjson` for `POST /indexes/INDEX/documents?primaryKey=file_id`, `removals.json` for
/// `POST /indexes/INDEX/documents/delete-batch`, `settings.json` for `PATCH /indexes/INDEX/settings`.
/// (Meilisearch documentation, API reference.)
struct MeilisearchExport: SearchEngine {
  let name = "meilisearch"
  let abstract = "Documents, settings and removals for Meilisearch"
  let settingsName = "settings.json"
  let documentsName = "documents.ndjson"
  let removalsName = "removals.json"

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions()
    return try SearchEngineWriter(self, context)
  }

  /// Filters compare numbers and not dates.
  func writeDocument(_ record: FileRecord, into json: inout JSONWriter) {
    json.searchDocument(record, key: "file_id", timesAreNumbers: true)
    json.endLine()
  }

  var removalMarks: (start: String, separator: String, end: String) { ("[", ",", "]\n") }

  func removals(_ ids: [String]) -> String { ids.map { "\n\"\($0)\"" }.joined(separator: ",") }

  func writeSettings(_ context: ExportContext, into json: inout JSONWriter) {
    json.beginObject()
    for (name, isIn) in Self.attributes {
      json.lineBreak()
      json.key(name)
      json.beginArray()
      for field in TrackField.all where field[keyPath: isIn] { json.string(field.name) }
      json.endArray()
    }
    json.endObject()
    json.endLine()
  }

  private static var attributes: [(name: String, isIn: KeyPath<TrackField, Bool>)] {
    [
      ("searchableAttributes", \.isSearched), ("filterableAttributes", \.isFiltered),
      ("sortableAttributes", \.isSorted),
    ]
  }
}
