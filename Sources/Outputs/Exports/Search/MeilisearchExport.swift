internal import Records
internal import Text

/// A folder for Meilisearch: `documents.ndjson` for `POST /indexes/INDEX/documents?primaryKey=file_id`, `removals.json`
/// for `POST /indexes/INDEX/documents/delete-batch`, and `settings.json` for `PATCH /indexes/INDEX/settings`.
/// (Meilisearch documentation, API reference.)
struct MeilisearchExport: SearchEngine {
  let name = "meilisearch"
  let abstract = "Documents, settings and removals for Meilisearch; --option vectors=yes"
  let settingsName = "settings.json"
  let documentsName = "documents.ndjson"
  let removalsName = "removals.json"

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions([LikenessVector.option])
    try context.checkVectors(["yes"])
    return try SearchEngineWriter(self, context)
  }

  /// Writes a document. Times are numbers, because filters can compare numbers but not dates. A track without a vector
  /// must be marked as such.
  func writeDocument(_ record: FileRecord, _ context: ExportContext, into json: inout JSONWriter) {
    json.searchDocument(record, key: "file_id", timesAreNumbers: true) { json in
      guard context.vectors != nil else { return }
      json.key("_vectors")
      json.beginObject()
      json.key(LikenessVector.field)
      if let vector = LikenessVector(record) { json.vector(vector) } else { json.null() }
      json.endObject()
    }
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
    if context.vectors != nil {
      json.lineBreak()
      json.key("embedders")
      json.value([
        LikenessVector.field: ["source": "userProvided", "dimensions": .integer(LikenessVector.dimensionCount)]
      ])
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
