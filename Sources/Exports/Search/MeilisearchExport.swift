internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A folder for Meilisearch: `documents.ndjson` for `POST /indexes/INDEX/documents?primaryKey=file_id`, `removals.json` for
/// `POST /indexes/INDEX/documents/delete-batch`, `settings.json` for `PATCH /indexes/INDEX/settings`.
/// (Meilisearch documentation, API reference.)
struct MeilisearchExport: ExportFormat {
  let name = "meilisearch"
  let abstract = "Documents, settings and removals for Meilisearch"
  let output = ExportOutput.folder

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions()
    return try MeilisearchWriter(context)
  }
}

private struct MeilisearchWriter: ExportWriter {
  private let documents: ExportFile
  private let removals: ExportFile
  private let settings: ExportFile
  private var document = JSONWriter()
  private var ids = JSONWriter()

  init(_ context: ExportContext) throws(ExportError) {
    let folder = context.output ?? "."
    documents = try ExportFile(folder.appending("documents.ndjson"))
    removals = try ExportFile(folder.appending("removals.json"))
    settings = try ExportFile(folder.appending("settings.json"))
    ids.beginArray()
  }

  mutating func append(_ record: FileRecord) throws {
    document.searchDocument(record, key: "file_id", timesAreNumbers: true)
    document.endLine()
    try documents.write(document.bytes)
    document.removeBytes()
  }

  mutating func remove(_ removal: ExportRemoval) throws {
    ids.lineBreak()
    ids.string(removal.fileID)
    try removals.write(ids.bytes)
    ids.removeBytes()
  }

  mutating func finish() throws -> [FilePath] {
    ids.endArray()
    ids.endLine()
    try removals.write(ids.bytes)
    try settings.write(Self.settings)
    return try [settings, documents, removals].map { file in
      try file.commit()
      return file.path ?? ""
    }
  }

  private static var settings: [UInt8] {
    var json = JSONWriter()
    func list(_ name: String, _ isIn: (SearchField) -> Bool) {
      json.lineBreak()
      json.key(name)
      json.beginArray()
      for field in SearchField.all where isIn(field) { json.string(field.name) }
      json.endArray()
    }
    json.beginObject()
    list("searchableAttributes", \.isSearched)
    list("filterableAttributes", \.isFiltered)
    list("sortableAttributes", \.isSorted)
    json.endObject()
    json.endLine()
    return json.bytes
  }
}
