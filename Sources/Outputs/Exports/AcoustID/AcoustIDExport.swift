internal import Analysis
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A folder for AcoustID. Each line of `lookups.txt` and `submissions.txt` is the form of one request, and
/// `tracks.ndjson` lists the position of each track in these two files. The files contain no keys. Nothing is sent
/// unless the option `send` requests it. (AcoustID web service, acoustid.org/webservice: `/v2/lookup` with `batch=1`,
/// `/v2/submit`.)
struct AcoustIDExport: ExportFormat {
  let name = "acoustid"
  let abstract = "Look-ups and submissions for AcoustID; sends them only with --option send=…"
  let output = ExportOutput.folder(files: ["lookups.txt", "submissions.txt", "tracks.ndjson"])

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["send", "server", "key-file", "meta"])
    return try AcoustIDWriter(context)
  }
}

private struct AcoustIDWriter: ExportWriter {
  private var lookups: AcoustIDList
  private var submissions: AcoustIDList
  private let tracks: ExportFile
  private var line = JSONWriter()
  private let sending: AcoustIDSender?

  init(_ context: ExportContext) throws {
    let folder = context.output ?? "."
    // A missing key must be reported before anything is written.
    sending = try AcoustIDSender(context)
    let meta = context.options["meta"] ?? "recordings"
    lookups = AcoustIDList(
      try ExportFile(folder.appending("lookups.txt")),
      common: [("format", "json"), ("batch", "1"), ("meta", meta)], maxEntries: AcoustIDList.lookupEntries)
    submissions = AcoustIDList(
      try ExportFile(folder.appending("submissions.txt")),
      common: [("format", "json"), ("clientversion", context.program)])
    tracks = try ExportFile(folder.appending("tracks.ndjson"))
  }

  mutating func append(_ record: FileRecord) throws {
    let fingerprint = AcoustIDTrack(record)
    let lookup = try fingerprint.lookupFields.map { try lookups.append($0) }
    let submission = try fingerprint.submissionFields.map { try submissions.append($0) }
    line.beginObject()
    line.key("file_id")
    line.string(ContentID(ofPath: record.path).description)
    line.key("path")
    line.string(DisplayPath.text(of: record.path))
    line.place("lookup", lookup)
    line.place("submission", submission)
    line.key("left_out")
    if let reason = fingerprint.reason { line.string(reason) } else { line.null() }
    line.endObject()
    line.endLine()
    try tracks.write(line.bytes)
    line.removeBytes()
  }

  /// Does nothing, because AcoustID accepts no retractions.
  mutating func remove(_ removal: ExportRemoval) throws {}

  mutating func finish() throws -> [FilePath] {
    try lookups.finish()
    try submissions.finish()
    var files = try ExportFile.commit([lookups.file, submissions.file, tracks], listed: true)
    if let sending, let list = sending.isSubmission ? submissions.file.path : lookups.file.path {
      files.append(try sending.send(list))
    }
    return files
  }
}

extension JSONWriter {
  fileprivate mutating func place(_ name: String, _ place: AcoustIDList.Location?) {
    key(name)
    guard let place else { return null() }
    beginObject()
    key("line")
    integer(place.line)
    key("index")
    integer(place.index)
    endObject()
  }
}

/// A file of requests, one per line. Each request contains as many fingerprints as fit.
struct AcoustIDList {
  /// The position of a fingerprint. Lines are counted from 1, fingerprints from 0.
  struct Location {
    var line: Int
    var index: Int
  }

  /// Maximum number of fingerprints in one look-up.
  static let lookupEntries = 20
  /// Maximum size of a request in bytes, with room for the keys.
  static let maxRequestBytes = 1_000_000 - 500

  let file: ExportFile
  private let common: [(String, String)]
  private let maxEntries: Int
  private var form: AcoustIDForm
  private var lineCount = 0

  init(_ file: ExportFile, common: [(String, String)], maxEntries: Int = .max) {
    self.file = file
    self.common = common
    self.maxEntries = maxEntries
    form = AcoustIDForm(common: common)
  }

  mutating func append(_ values: [(String, String)]) throws(ExportError) -> Location {
    let fields = AcoustIDForm.fields(values)
    let isFull = form.entries.count == maxEntries || form.size + AcoustIDForm.size(of: fields) > Self.maxRequestBytes
    if isFull, !form.entries.isEmpty { try endLine() }
    form.append(fields)
    return Location(line: lineCount + 1, index: form.entries.count - 1)
  }

  /// Completes `file`, which the caller must then commit.
  mutating func finish() throws(ExportError) {
    if !form.entries.isEmpty { try endLine() }
  }

  private mutating func endLine() throws(ExportError) {
    try file.write(form.text + "\n")
    form = AcoustIDForm(common: common)
    lineCount += 1
  }
}
