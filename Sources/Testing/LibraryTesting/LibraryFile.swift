public import Analysis
public import Platform
internal import Records
public import ResultStore
public import SystemPackage
internal import Text

/// A file that exists only in the database, with the findings of analyzers.
public struct LibraryFile: Sendable {
  public var path: FilePath
  public var tags: TagFinding
  public var findings: [(analyzer: String, finding: any AnalysisFinding)]
  /// The reason the file failed; `nil` if it did not.
  public var failure: Problem?
  /// The reason the file was analyzed only in part; `nil` if it was analyzed completely.
  public var damage: Problem?
  public var remarks: [Problem] = []
  /// The analyzers that do not apply to the file, with the reasons.
  public var notApplicable: [String: String] = [:]
  public var format: AudioFormat
  /// The content id. It is derived from the path, unless the file is a copy of another one.
  public var contentID: ContentID
  public var sizeBytes: Int64 = 1000
  public var modified = Timestamp(nanoseconds: 1)

  public static let seconds = 200.0

  public init(
    path: FilePath, tags: [String: [String]], findings: [(analyzer: String, finding: any AnalysisFinding)] = [],
    lyrics: [TagFinding.Lyrics] = [], failure: Problem? = nil
  ) {
    self.path = path
    self.tags = TagFinding(fields: tags, hasLyrics: !lyrics.isEmpty, lyrics: lyrics)
    self.findings = findings
    self.failure = failure
    format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: 44_100, channelCount: 2, bitDepth: 16, bitRate: 900_000,
      isLossless: true, claimedFrameCount: Int64(44_100 * Self.seconds), frameCount: Int64(44_100 * Self.seconds))
    contentID = ContentID(ofPath: path)
  }

  /// The file's id in the APIs and the song catalog.
  public var id: String { ContentID(ofPath: path).description }

  static func identity(_ analyzer: String) -> AnalyzerIdentity {
    AnalyzerIdentity(id: analyzer, version: 1, digest: "")
  }

  var analyzers: [String] { ["tags"] + findings.map(\.analyzer) + notApplicable.keys.sorted() }

  var analysis: FileAnalysis {
    if let failure { return FileAnalysis(status: .failed, problem: failure) }
    let made = [("tags", tags as any AnalysisFinding)] + findings.map { ($0, $1) }
    let outcomes =
      made.map { AnalyzerOutcome(analyzer: Self.identity($0), result: .finding($1)) }
      + notApplicable.sorted { $0.key < $1.key }.map {
        AnalyzerOutcome(analyzer: Self.identity($0.key), result: .notApplicable($0.value))
      }
    var analysis = FileAnalysis(
      status: damage == nil ? .ok : .partial, problem: damage, remarks: remarks, contentID: contentID, format: format,
      decodedDuration: format.duration, outcomes: outcomes)
    analysis.checksum = checksum
    return analysis
  }

  /// A checksum derived from the path.
  private var checksum: FileChecksum {
    let whole = ContentID(ofPath: path)
    let bytes = Array("\(whole)".utf8)
    return FileChecksum(
      whole: whole, byteCount: sizeBytes,
      digests: [.sha256: (0..<32).map { bytes[$0 % bytes.count] }, .md5: (0..<16).map { bytes[$0] }])
  }
}

/// Files, and the analyses that are wanted for them.
public struct LibraryFiles: Sendable {
  private let files: [LibraryFile]
  public let wanted: WantedAnalyses

  public init(_ files: [LibraryFile]) {
    self.files = files
    let members = Set(files.flatMap(\.analyzers)).union(["tags"]).sorted().map(LibraryFile.identity)
    wanted = WantedAnalyses(
      members: members.map { WantedAnalyses.Member(identity: $0, readsAudio: $0.id != "tags") }, decoderVersion: 1)
  }

  private var stamps: [FileStamp] {
    files.enumerated().map { index, file in
      FileStamp(
        path: file.path, device: 1, inode: UInt64(index + 1), sizeBytes: file.sizeBytes, modified: file.modified)
    }
  }

  /// Stores the results for some files, or for all, as if workers had sent them.
  public func merge(_ paths: Set<FilePath>? = nil, into store: ResultStore, analyzed: Timestamp = .now) throws {
    let merger = ResultMerger(store: store, programVersion: "1")
    let results = zip(files, stamps).filter { paths?.contains($0.0.path) ?? true }.map { file, stamp in
      WorkerResult(.analysis(file.analysis, of: stamp), analyzed: analyzed)
    }
    try merger.merge(results, from: ResultOrigin(pipeline: "p", digest: "d", wanted: wanted))
    _ = try merger.finish(.finished) { _ in 0 }
  }

  /// Stores the results of a run that finds all files except those in `gone`.
  public func run(
    in store: ResultStore, root: FilePath, without gone: Set<FilePath>, skipping skipped: [SkippedFile],
    analyzed: Timestamp
  ) throws {
    let run = try store.beginRun(
      programVersion: "1", pipeline: "p", configuration: .object(["jobs": .integer(2)]), configurationDigest: "d",
      analyzers: wanted.members.map(\.identity), roots: [RunRecord.Root(path: root, condition: .scanned)])
    // Only tags are wanted here, because files that lack some of the other findings would be analyzed again.
    let known = WantedAnalyses(members: wanted.members.filter { $0.identity.id == "tags" }, decoderVersion: 1)
    let scan = ScanSession(store: store, run: run, wanted: known, started: analyzed) { !gone.contains($0) }
    _ = try scan.classify(stamps.filter { !gone.contains($0.path) })
    try scan.skip(skipped)
    let pending = try scan.makePendingQueue().next(limit: files.count)
    let analyses = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.analysis) })
    let writer = ResultWriter(store: store, run: run, wanted: wanted) { analyzed }
    try writer.commit(
      pending.compactMap { file in
        analyses[file.path].map { FileResult(fileID: file.fileID, analysis: $0, analyzed: analyzed) }
      })
    try scan.markVanished(in: [VanishScope(root: root)])
    let (seen, made) = (scan.counts, writer.counts)
    try store.finishRun(
      run, state: .finished, exitStatus: 3, roots: [RunRecord.Root(path: root, condition: .scanned)],
      totals: RunTotals(
        analyzed: made.analyzed, partial: made.partial, cached: seen.cached, failed: made.failed + seen.knownFailures,
        skipped: seen.skipped, vanished: seen.vanished),
      newlyFailed: made.newlyFailed, newlyDamaged: made.newlyDamaged, pending: 0)
  }
}
