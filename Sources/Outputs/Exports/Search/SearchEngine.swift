internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A search engine, described by the files that its export contains.
protocol SearchEngine: ExportFormat {
  var settingsName: String { get }
  var documentsName: String { get }
  var removalsName: String { get }

  func writeSettings(_ context: ExportContext, into json: inout JSONWriter)
  /// Writes one document, including its line break.
  func writeDocument(_ record: FileRecord, _ context: ExportContext, into json: inout JSONWriter)
  /// The text before, between and after batches of removals. The text before and after is written even if there are no
  /// removals.
  var removalMarks: (start: String, separator: String, end: String) { get }
  /// Returns the batch of removals for the documents with these ids. There are at most `removalBatch` ids, each
  /// consisting of letters and digits.
  func removals(_ ids: [String]) -> String
}

extension SearchEngine {
  var long: Set<String> { ["descriptor"] }
  var output: ExportOutput { .folder(files: [settingsName, documentsName, removalsName]) }
  var removalMarks: (start: String, separator: String, end: String) { ("", "", "") }
}

/// Maximum number of removals per batch. For Typesense, the ids of a batch must fit into a URL.
private let removalBatch = 100

/// Writes the files for a search engine. All documents are in one file, which can be split after any document for bulk
/// requests.
struct SearchEngineWriter: ExportWriter {
  private let engine: any SearchEngine
  private let context: ExportContext
  private let settings: ExportFile
  private let documents: ExportFile
  private let removals: ExportFile
  private var document = JSONWriter()
  private var removedIDs: [String] = []
  private var hasRemovals = false

  init(_ engine: any SearchEngine, _ context: ExportContext) throws(ExportError) {
    self.engine = engine
    self.context = context
    let folder = context.output ?? "."
    settings = try ExportFile(folder.appending(engine.settingsName))
    documents = try ExportFile(folder.appending(engine.documentsName))
    removals = try ExportFile(folder.appending(engine.removalsName))
    try removals.write(engine.removalMarks.start)
  }

  mutating func append(_ record: FileRecord) throws {
    engine.writeDocument(record, context, into: &document)
    try documents.write(document.bytes)
    document.removeBytes()
  }

  mutating func remove(_ removal: ExportRemoval) throws {
    removedIDs.append(removal.fileID)
    if removedIDs.count == removalBatch { try flushRemovals() }
  }

  private mutating func flushRemovals() throws(ExportError) {
    if removedIDs.isEmpty { return }
    if hasRemovals { try removals.write(engine.removalMarks.separator) }
    try removals.write(engine.removals(removedIDs))
    removedIDs.removeAll()
    hasRemovals = true
  }

  mutating func finish() throws -> [FilePath] {
    try flushRemovals()
    try removals.write(engine.removalMarks.end)
    var json = JSONWriter()
    engine.writeSettings(context, into: &json)
    try settings.write(json.bytes)
    return try ExportFile.commit([settings, documents, removals], listed: true)
  }
}
