internal import Records
internal import Text

/// A folder for OpenSearch, and Elasticsearch: `index.json` for `PUT /INDEX`, `documents.ndjson` and `removals.ndjson` for
/// `POST /INDEX/_bulk`. (OpenSearch documentation, bulk API and mappings.)
struct OpenSearchExport: SearchEngine {
  let name = "opensearch"
  let abstract = "Bulk actions and mappings for OpenSearch and Elasticsearch"
  let settingsName = "index.json"
  let documentsName = "documents.ndjson"
  let removalsName = "removals.ndjson"

  /// Characters of a text that is kept as a whole: the longest term of Lucene has 32,766 bytes, and a character at most four.
  private static let longestKeyword: Int64 = 8191

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions()
    return try SearchEngineWriter(self, context)
  }

  func writeDocument(_ record: FileRecord, into json: inout JSONWriter) {
    let id = TrackField.id(of: record)
    json.value(["index": ["_id": .string(id)]])
    json.endLine()
    json.searchDocument(record, key: "file_id", timesAreNumbers: false)
    json.endLine()
  }

  func removals(_ ids: [String]) -> String {
    ids.map { JSONValue.object(["delete": ["_id": .string($0)]]).canonicalText + "\n" }.joined()
  }

  func writeSettings(_ context: ExportContext, into json: inout JSONWriter) {
    let properties = [("file_id", ["type": "keyword"])] + TrackField.all.map { ($0.name, Self.mapping(of: $0)) }
    json.value([
      // A field that is not here is a mistake on one of the two sides.
      "mappings": ["dynamic": "strict", "properties": .object(Dictionary(properties) { first, _ in first })]
    ])
    json.endLine()
  }

  private static func mapping(of field: TrackField) -> JSONValue {
    switch field.kind {
    case .text, .texts: ["type": "text", "fields": ["keyword": keyword]]
    case .keyword, .keywords:
      field.isSearched || field.isFiltered || field.isSorted
        ? keyword : ["type": "keyword", "index": false, "doc_values": false]
    case .integer: ["type": "long"]
    case .number: ["type": "float"]
    case .boolean: ["type": "boolean"]
    case .time: ["type": "date", "format": "strict_date_time_no_millis"]
    }
  }

  private static let keyword: JSONValue = ["type": "keyword", "ignore_above": .integer(longestKeyword)]
}
