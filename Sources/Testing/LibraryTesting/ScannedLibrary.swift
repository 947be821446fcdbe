package import Analysis
internal import Foundation
package import Platform
package import Records
package import ResultStore
package import SystemPackage
internal import Text

/// A store in its own folder, with a simulated music library. The folder is removed when this object is deallocated.
package final class ScannedLibrary {
  package let folder: FilePath
  package let database: FilePath
  package private(set) var store: ResultStore
  /// The simulated disk, whose stamps stand in for `lstat`.
  private let disk = Disk()
  package var wanted = ScannedLibrary.wanted()
  package var run: Int64 = 0
  /// The time of the runs that `night` simulates; `nil` for the current time.
  package var time: Timestamp?

  /// The existing folders, as seen by a scan that looks for missing disks.
  package var folders: [FilePath: (device: Int64, isEmpty: Bool)] = [:]

  /// The existing files, which the sessions share.
  private final class Disk: @unchecked Sendable {
    private let lock = NSLock()
    private var files: [FilePath: FileStamp] = [:]

    subscript(path: FilePath) -> FileStamp? {
      get { lock.withLock { files[path] } }
      set { lock.withLock { files[path] = newValue } }
    }

    var all: [FileStamp] {
      lock.withLock { files.values.sorted { $0.path.string < $1.path.string } }
    }
  }

  package init() throws {
    let path = NSTemporaryDirectory() + "/nocturne-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    folder = FilePath(path)
    database = folder.appending("library.sqlite")
    store = try ResultStore(path: database, findings: ScannedLibrary.findings)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder.string) }

  package func reopen(
    findings: [any DeclaredFinding.Type] = ScannedLibrary.findings, access: ResultStore.Access = .readWrite
  ) throws {
    store = try ResultStore(path: database, findings: findings, access: access)
  }

  package static let tags = AnalyzerIdentity(id: "tags", version: 1, digest: "t1")
  package static let tempo = AnalyzerIdentity(id: "tempo", version: 1, digest: "o1")
  package static let chromaprint = AnalyzerIdentity(id: "chromaprint", version: 1, digest: "c1")

  package static func wanted(
    tags: AnalyzerIdentity = tags, tempo: AnalyzerIdentity = tempo, extra: [AnalyzerIdentity] = [], decoder: Int = 1
  ) -> WantedAnalyses {
    WantedAnalyses(
      members: [
        WantedAnalyses.Member(identity: tags, readsAudio: false),
        WantedAnalyses.Member(identity: tempo, readsAudio: true),
        WantedAnalyses.Member(identity: chromaprint, readsAudio: true),
      ] + extra.map { WantedAnalyses.Member(identity: $0, readsAudio: true) },
      decoderVersion: decoder)
  }

  // MARK: Disk

  private var nextInode: UInt64 = 100

  @discardableResult
  package func put(
    _ path: FilePath, size: Int64 = 1000, modified: Int64 = 5_000_000_000, statusChanged: Int64? = nil
  ) -> FileStamp {
    nextInode += 1
    let file = FileStamp(
      path: path, device: 7, inode: disk[path]?.inode ?? nextInode, sizeBytes: size,
      modified: Timestamp(nanoseconds: modified), statusChanged: statusChanged.map { Timestamp(nanoseconds: $0) })
    disk[path] = file
    return file
  }

  package func put(_ file: FileStamp) { disk[file.path] = file }
  package func remove(_ path: FilePath) { disk[path] = nil }
  package func file(_ path: FilePath) -> FileStamp? { disk[path] }
  package var all: [FileStamp] { disk.all }

  package func move(_ old: FilePath, to new: FilePath) {
    guard var file = disk[old] else { return }
    disk[old] = nil
    file.path = new
    disk[new] = file
  }

  // MARK: Runs

  package func beginRun() throws {
    run = try store.beginRun(
      programVersion: "1.0", pipeline: "default", configuration: .object(["jobs": .integer(2)]),
      configurationDigest: "d", analyzers: wanted.members.map(\.identity),
      roots: [RunRecord.Root(path: "/music", condition: .scanned)])
  }

  package func scan(_ options: ScanOptions = ScanOptions()) -> ScanSession {
    let disk = disk
    let folders = folders
    return ScanSession(
      store: store, run: run, wanted: wanted, options: options, started: time ?? .now,
      pathExists: { disk[$0] != nil }, folderAt: { folders[$0] })
  }

  /// The results of a complete run, as a pipeline would produce them.
  package struct Night {
    package var scan: ScanCounts
    package var written: WriteCounts
    package var pending: [PendingFile] = []
    package var run: Int64

    package var totals: RunTotals {
      RunTotals(
        analyzed: written.analyzed, partial: written.partial, cached: scan.cached,
        failed: written.failed + scan.knownFailures,
        skipped: scan.skipped, vanished: scan.vanished)
    }
  }

  @discardableResult
  package func night(
    _ options: ScanOptions = ScanOptions(), skipping skipped: [SkippedFile] = [], scopes: [VanishScope]? = nil,
    analyze: (PendingFile) -> FileAnalysis? = { ScannedLibrary.analysis(of: $0) }
  ) throws -> Night {
    try beginRun()
    let scan = scan(options)
    let passedOver = Set(skipped.map(\.path))
    _ = try scan.classify(disk.all.filter { !passedOver.contains($0.path) })
    try scan.skip(skipped)
    let queue = scan.makePendingQueue()
    let writer = ResultWriter(store: store, run: run, wanted: wanted) { [time] in time ?? .now }
    var pending: [PendingFile] = []
    while true {
      let batch = try queue.next(limit: 3)
      if batch.isEmpty { break }
      pending += batch
      try writer.commit(
        batch.compactMap { file in analyze(file).map { FileResult(fileID: file.fileID, analysis: $0) } })
    }
    try scan.markVanished(in: scopes ?? [VanishScope(root: "/music")])
    let night = Night(scan: scan.counts, written: writer.counts, pending: pending, run: run)
    try store.finishRun(
      run, state: .finished, exitStatus: 0, roots: [RunRecord.Root(path: "/music", condition: .scanned)],
      totals: night.totals, newlyFailed: writer.counts.newlyFailed,
      newlyDamaged: writer.counts.newlyDamaged, pending: 0)
    return night
  }

  // MARK: Analyses

  package static let findings: [any DeclaredFinding.Type] = [
    TagFinding.self, TempoFinding.self, FingerprintFinding.self, SignatureFinding.self, LoudnessFinding.self,
  ]

  package static func tempoFinding(_ bpm: Double = 126) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: 0.93, octaveConfidence: 0.875,
      candidates: [
        TempoFinding.Candidate(bpm: bpm, weight: 0.81), TempoFinding.Candidate(bpm: bpm / 2, weight: 0.125),
      ],
      isStable: true, map: [TempoFinding.Section(startSeconds: 0.25, bpm: bpm)], beats: [0.41, 0.8862, 1.3624],
      metre: "4/4", downbeats: [0.41], onsets: TempoFinding.OnsetSummary(stepSeconds: 0.5, values: [0, 0.25, 1]))
  }

  package static func tagFinding(title: String, artist: [String] = ["Someone", "Someone Else"]) -> TagFinding {
    TagFinding(
      fields: ["title": [title], "artist": artist, "track": ["3"], "other:MOOD": ["calm", "late"]],
      pictures: [TagFinding.Picture(type: "front cover", mime: "image/jpeg", sizeBytes: 51_234)], hasLyrics: true,
      formats: ["id3v2.4", "id3v1"])
  }

  package static let format = AudioFormat(
    container: "flac", codec: "flac", sampleRate: 44_100, channelCount: 2, bitDepth: 16, bitRate: 882_000,
    isLossless: true, claimedFrameCount: 441_000, frameCount: 441_000)

  /// Returns a complete analysis. The content id is derived from `audio` or, if that is `nil`, from the path.
  package static func analysis(
    of file: PendingFile, title: String? = nil, audio: String? = nil, tempo: AnalyzerIdentity = tempo,
    tags: AnalyzerIdentity = tags
  ) -> FileAnalysis {
    FileAnalysis(
      status: .ok, contentID: contentID(audio ?? file.path.string),
      decodingID: decodingID(audio ?? file.path.string), format: format, decodedDuration: 10,
      outcomes: [
        AnalyzerOutcome(
          analyzer: tags, result: .finding(tagFinding(title: title ?? "Title of \(file.path.stem ?? "")"))),
        AnalyzerOutcome(analyzer: tempo, result: .finding(tempoFinding())),
        AnalyzerOutcome(
          analyzer: chromaprint,
          result: .finding(FingerprintFinding(algorithm: "chromaprint-2", duration: 10, value: "AQAA"))),
      ])
  }

  package static func contentID(_ text: String) -> ContentID { ContentID(hashing: Array(text.utf8)) }

  package static func decodingID(_ text: String) -> ContentID { contentID("decoding \(text)") }

  package static let broken = FileAnalysis(
    status: .failed, problem: Problem(stage: .decode, code: "corrupt", message: "The stream is damaged."),
    outcomes: [AnalyzerOutcome(analyzer: tags, result: .finding(TagFinding()))])

  package func records(_ selection: RecordSelection = RecordSelection()) throws -> [FileRecord] {
    var records: [FileRecord] = []
    try store.forEachRecord(selection) { records.append($0) }
    return records
  }
}
