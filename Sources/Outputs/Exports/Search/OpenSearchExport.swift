internal import Records
internal import Text

/// A folder for OpenSearch and Elasticsearch: `index.json` for `PUT /INDEX`, and `documents.ndjson` and
/// `removals.ndjson` for `POST /INDEX/_bulk`. (OpenSearch documentation, bulk API and mappings.)
struct OpenSearchExport: SearchEngine {
  let name = "opensearch"
  let abstract = "Bulk actions and mappings for OpenSearch and Elasticsearch; --option vectors=opensearch|elasticsearch"
  let settingsName = "index.json"
  let documentsName = "documents.ndjson"
  let removalsName = "removals.ndjson"

  /// Maximum number of characters in a keyword. Lucene's longest term has 32,766 bytes, and a character has at most
  /// four.
  private static let maxKeywordLength: Int64 = 8191

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions([LikenessVector.option])
    try context.checkVectors(Self.vectorMappings.keys.sorted().reversed())
    return try SearchEngineWriter(self, context)
  }

  func writeDocument(_ record: FileRecord, _ context: ExportContext, into json: inout JSONWriter) {
    let id = TrackField.id(of: record)
    json.value(["index": ["_id": .string(id)]])
    json.endLine()
    json.searchDocument(record, key: "file_id", timesAreNumbers: false) { json in
      guard context.vectors != nil, let vector = LikenessVector(record) else { return }
      json.key(LikenessVector.field)
      json.vector(vector)
    }
    json.endLine()
  }

  func removals(_ ids: [String]) -> String {
    ids.map { JSONValue.object(["delete": ["_id": .string($0)]]).canonicalText + "\n" }.joined()
  }

  func writeSettings(_ context: ExportContext, into json: inout JSONWriter) {
    var properties: [String: JSONValue] = ["file_id": ["type": "keyword"]]
    for field in TrackField.all { properties[field.name] = Self.mapping(of: field) }
    properties[LikenessVector.field] = context.vectors.flatMap { Self.vectorMappings[$0] }
    // The mapping is strict, because a field that is in a document but not in the mapping is a mistake.
    var index: [String: JSONValue] = ["mappings": ["dynamic": "strict", "properties": .object(properties)]]
    if context.vectors == "opensearch" { index["settings"] = ["index": ["knn": true]] }
    json.value(.object(index))
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

  /// The vector types of the engines, which use different names for the type and its options.
  private static let vectorMappings: [String: JSONValue] = [
    "opensearch": [
      "type": "knn_vector", "dimension": .integer(LikenessVector.dimensionCount),
      "method": ["name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"],
    ],
    "elasticsearch": [
      "type": "dense_vector", "dims": .integer(LikenessVector.dimensionCount), "similarity": "cosine",
    ],
  ]

  private static let keyword: JSONValue = ["type": "keyword", "ignore_above": .integer(maxKeywordLength)]
}
