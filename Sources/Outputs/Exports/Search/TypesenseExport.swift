internal import Records
internal import Text

/// A folder for Typesense: `schema.json` for `POST /collections`, `documents.jsonl` for `POST
/// /collections/NAME/documents/import?action=upsert`, and `removals.txt`, each line of which is a `filter_by` for
/// `DELETE /collections/NAME/documents`. (Typesense documentation, API reference.)
struct TypesenseExport: SearchEngine {
  let name = "typesense"
  let abstract = "Documents, schema and removals for Typesense; --option collection=tracks, vectors=yes"
  let settingsName = "schema.json"
  let documentsName = "documents.jsonl"
  let removalsName = "removals.txt"

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["collection", LikenessVector.option])
    try context.checkVectors(["yes"])
    if let name = context.options["collection"], name.isEmpty {
      throw ExportError.badOption("collection", value: name, expected: "the name of a collection")
    }
    return try SearchEngineWriter(self, context)
  }

  /// Writes a document, whose key is under `id`. Times are numbers.
  func writeDocument(_ record: FileRecord, _ context: ExportContext, into json: inout JSONWriter) {
    json.searchDocument(record, key: "id", timesAreNumbers: true) { json in
      guard context.vectors != nil, let vector = LikenessVector(record) else { return }
      json.key(LikenessVector.field)
      json.vector(vector)
    }
    json.endLine()
  }

  func removals(_ ids: [String]) -> String { "id:[\(ids.joined(separator: ","))]\n" }

  /// Writes the schema. All fields are optional, because unknown values are left out.
  func writeSettings(_ context: ExportContext, into json: inout JSONWriter) {
    json.beginObject()
    json.key("name")
    json.string(context.options["collection"] ?? "tracks")
    json.key("fields")
    json.beginArray()
    for field in TrackField.all {
      json.lineBreak()
      json.beginObject()
      json.key("name")
      json.string(field.name)
      json.key("type")
      json.string(Self.type(of: field.kind))
      json.key("optional")
      json.bool(true)
      // A facet can be counted and, if it is text, matched as a whole.
      if field.isFiltered {
        json.key("facet")
        json.bool(true)
      }
      if field.isSorted || field.kind.isText {
        json.key("sort")
        json.bool(field.isSorted)
      }
      if !field.isSearched, !field.isFiltered, !field.isSorted {
        json.key("index")
        json.bool(false)
      }
      json.endObject()
    }
    if context.vectors != nil {
      json.lineBreak()
      json.value([
        "name": .string(LikenessVector.field), "type": "float[]", "num_dim": .integer(LikenessVector.dimensionCount),
        "optional": true,
      ])
    }
    json.endArray()
    json.endObject()
    json.endLine()
  }

  private static func type(of kind: TrackField.Kind) -> String {
    switch kind {
    case .text, .keyword: "string"
    case .texts, .keywords: "string[]"
    case .integer, .time: "int64"
    case .number: "float"
    case .boolean: "bool"
    }
  }
}

extension TrackField.Kind {
  fileprivate var isText: Bool { self == .text || self == .keyword }
}
