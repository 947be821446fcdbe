import Analysis
import AnalysisTesting
import GRDB
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

/// The rows that a scan writes, and those that it leaves alone.
@Suite(.bounded) struct ScanRowTests {
  private static let path: FilePath = "/music/a.flac"
  private static let start = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
  private static let later = Timestamp(nanoseconds: 1_795_000_900_000_000_000)

  private struct Stored: Hashable {
    var size, modified, statusChanged, looked, device, inode, pending, vanished: Int64?
    var skipCode: String?
  }

  private func stored(_ library: ScannedLibrary, _ path: FilePath = path) throws -> Stored {
    try DatabaseQueue(path: library.database.string).read { db in
      let row = try #require(
        try Row.fetchOne(
          db,
          sql: """
            SELECT size_bytes, mtime_ns, ctime_ns, looked_ns, device, inode, pending, vanished_run, skip_code FROM file
            WHERE display_path = ?
            """, arguments: [path.string]))
      return Stored(
        size: row[0], modified: row[1], statusChanged: row[2], looked: row[3], device: row[4], inode: row[5],
        pending: row[6], vanished: row[7], skipCode: row[8])
    }
  }

  /// Scans files, and returns their verdicts and the number of rows of files that the scan updated.
  private func updates(
    _ library: ScannedLibrary, _ files: [FileStamp]? = nil
  ) throws -> (count: Int, verdicts: [ScanVerdict]) {
    let database = try DatabaseQueue(path: library.database.string)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS probe (file INTEGER);
          CREATE TRIGGER IF NOT EXISTS probed AFTER UPDATE ON file BEGIN INSERT INTO probe VALUES (NEW.id); END;
          DELETE FROM probe;
          """)
    }
    let verdicts = try scan(library, files)
    let count = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM probe") }
    return (count ?? 0, verdicts)
  }

  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.time = Self.start
    library.put(Self.path, modified: 5_500_000_000, statusChanged: 6_500_000_000)
    library.put("/music/other.flac", modified: 5_500_000_000, statusChanged: 6_500_000_000)
    try library.night()
    library.time = Self.later
    return library
  }

  private func scan(_ library: ScannedLibrary, _ files: [FileStamp]? = nil) throws -> [ScanVerdict] {
    try library.beginRun()
    return try library.scan().classify(files ?? library.all)
  }

  @Test func firstScanWritesWhatItSaw() throws {
    let library = try library()
    let file = try #require(library.file(Self.path))
    #expect(
      try stored(library)
        == Stored(
          size: 1000, modified: 5_500_000_000, statusChanged: 6_500_000_000, looked: Self.start.nanoseconds, device: 7,
          inode: Int64(file.inode), pending: 0, vanished: nil, skipCode: nil))
  }

  @Test func unchangedFilesAreNotWrittenAgain() throws {
    let library = try library()
    let before = try stored(library)
    let all = try updates(library)
    #expect(all.count == 0 && all.verdicts == [.cached, .cached])
    #expect(try stored(library) == before)
    // A status time that this mount does not have is no difference.
    var file = try #require(library.file(Self.path))
    file.statusChanged = nil
    let one = try updates(library, [file])
    #expect(one.count == 0 && one.verdicts == [.cached])
    #expect(try stored(library) == before)
  }

  /// A difference in any part is written, and nothing else; the time of the scan only where times or reasons differ.
  @Test(arguments: ["device", "inode", "fractions", "status", "size"])
  func eachDifferenceIsWritten(part: String) throws {
    let library = try library()
    var file = try #require(library.file(Self.path))
    var expected = try stored(library)
    var verdict = ScanVerdict.cached
    switch part {
    case "device": (file.device, expected.device) = (8, 8)
    case "inode": (file.inode, expected.inode) = (77, 77)
    case "fractions":
      file.modified = Timestamp(nanoseconds: 5_000_000_000)
      file.statusChanged = Timestamp(nanoseconds: 6_000_000_000)
      (expected.modified, expected.statusChanged) = (5_000_000_000, 6_000_000_000)
      expected.looked = Self.later.nanoseconds
    case "status":
      file.statusChanged = Timestamp(nanoseconds: 7_500_000_000)
      (expected.statusChanged, expected.looked) = (7_500_000_000, Self.later.nanoseconds)
      (expected.pending, verdict) = (5, .pending(.touched))
    default:
      (file.sizeBytes, expected.size) = (1001, 1001)
      (expected.looked, expected.pending, verdict) = (Self.later.nanoseconds, 2, .pending(.changed))
    }
    let updates = try updates(library, [file])
    #expect(updates.count == 1 && updates.verdicts == [verdict])
    #expect(try stored(library) == expected)
  }

  @Test func waitingFileOfTheSameStateIsNotWrittenAgain() throws {
    let library = try library()
    library.wanted = ScannedLibrary.wanted(tempo: AnalyzerIdentity(id: "tempo", version: 2, digest: "o1"))
    let first = try updates(library)
    #expect(first.count == 2 && first.verdicts == [.pending(.outdated), .pending(.outdated)])
    let before = try stored(library)
    #expect(before.pending == 3 && before.looked == Self.later.nanoseconds)
    library.time = Timestamp(nanoseconds: Self.later.nanoseconds + 1)
    let second = try updates(library)
    #expect(second.count == 0 && second.verdicts == first.verdicts)
    #expect(try stored(library) == before)
  }

  @Test func returnOfASkippedAndOfAVanishedFileIsWritten() throws {
    let library = try library()
    let before = try stored(library)
    let skip = SkippedFile(path: Self.path, code: "ignored", message: "An ignore rule names it.")
    try library.night(skipping: [skip])
    #expect(try stored(library).skipCode == "ignored")
    #expect(try scan(library)[0] == .cached)
    #expect(try stored(library) == before)

    let file = try #require(library.file(Self.path))
    library.remove(Self.path)
    let night = try library.night()
    #expect(try stored(library).vanished == night.run)
    library.put(file)
    #expect(try scan(library)[0] == .cached)
    #expect(try stored(library) == before)
  }

  // MARK: - Skipped files

  /// Each new reason replaces the former one, in whatever part it differs.
  @Test func reasonsForSkippingFollowTheLatest() throws {
    let library = try library()
    let path: FilePath = "/music/x"
    library.put(path)
    func skip(_ code: String, _ message: String, isFailure: Bool = false) throws -> (ScanCounts, FileRecord) {
      let file = SkippedFile(path: path, code: code, message: message, isFailure: isFailure)
      let night = try library.night(skipping: [file])
      return (night.scan, try #require(try library.store.record(at: path)))
    }
    for (code, message) in [("odd", "Odd."), ("odd", "Very odd."), ("strange", "Very odd."), ("odd", "Very odd.")] {
      let (counts, record) = try skip(code, message)
      #expect(counts.skipped == 1 && record.status == .skipped)
      #expect(record.problem == Problem(stage: .scan, code: code, message: message))
    }
    // The same words, but now as a failure, and as none again.
    var (counts, record) = try skip("odd", "Very odd.", isFailure: true)
    #expect(counts.newFailures == 1 && counts.skipped == 0 && record.status == .failed)
    (counts, record) = try skip("odd", "Odder.", isFailure: true)
    #expect(counts.newFailures == 0 && counts.knownFailures == 1)
    #expect(record.status == .failed && record.problem?.message == "Odder.")
    #expect(try library.store.figures().failures == ["odd": 1])
    #expect(try library.store.history(at: path)?.failedAttempts == 2)
    (counts, record) = try skip("odd", "Odder.")
    #expect(counts.skipped == 1 && record.status == .skipped)
    #expect(try library.store.figures().failures.isEmpty)
  }

  /// A failure that comes back after its entry vanished is a new one, with the same words.
  @Test func failureAfterVanishingIsNew() throws {
    let library = try library()
    let path: FilePath = "/music/closed"
    let closed = SkippedFile(path: path, code: "unreadable_folder", message: "No permission.", isFailure: true)
    library.put(path)
    let first = try library.night(skipping: [closed])
    #expect(first.scan.newFailures == 1)
    #expect(try library.night(skipping: [closed]).scan.knownFailures == 1)
    #expect(try library.store.history(at: path)?.firstFailedRun == first.run)
    library.remove(path)
    #expect(try library.night().scan.vanished == 1)
    library.put(path)
    let last = try library.night(skipping: [closed])
    #expect(last.scan.newFailures == 1 && last.scan.knownFailures == 0)
    let history = try #require(try library.store.history(at: path))
    #expect(history.vanishedRun == nil && history.firstFailedRun == last.run && history.failedAttempts == 1)
  }

  /// A file that never was analyzed gets the size and time of the skip; an analyzed one keeps its own.
  @Test func sizesOfSkippedFiles() throws {
    let library = try library()
    let modified = Timestamp(nanoseconds: 9)
    for size in [5, 6] as [Int64] {
      let files = ["/music/x", Self.path].map {
        SkippedFile(path: $0, code: "odd", message: "Odd \(size).", sizeBytes: size, modified: modified)
      }
      library.put("/music/x")
      try library.night(skipping: files)
      #expect(try stored(library, "/music/x").size == size)
      #expect(try stored(library, "/music/x").modified == 9)
      #expect(try stored(library).size == 1000)
      #expect(try stored(library).modified == 5_500_000_000)
    }
  }

  @Test func dryRunCountsSkippedFilesOnceAndForgetsNothing() throws {
    let library = try library()
    let known = SkippedFile(path: "/music/known", code: "odd", message: "Odd.")
    library.put(known.path)
    try library.night(skipping: [known])
    let scan = library.scan(ScanOptions(isDryRun: true))
    let closed = SkippedFile(path: "/music/closed", code: "unreadable_folder", message: "No.", isFailure: true)
    for _ in 1...2 { try scan.skip([closed]) }
    #expect(scan.counts.newFailures == 1 && scan.counts.knownFailures == 0 && scan.counts.skipped == 0)
    // A missing file counts as vanished, and an existing entry that was only skipped is kept.
    library.remove(Self.path)
    #expect(try scan.markVanished(in: [VanishScope(root: "/music")]) == 1)
    #expect(scan.counts.vanished == 1)
    #expect(try library.store.record(at: Self.path)?.isVanished == false)
    #expect(try library.store.record(at: known.path)?.problem?.code == "odd")
    #expect(try library.store.record(at: closed.path) == nil)
  }

  // MARK: - Verdicts

  /// Files without outcomes and files with some do not share a judgment, in whatever order they come.
  @Test func filesWithoutOutcomesAreJudgedByThemselves() throws {
    let library = try ScannedLibrary()
    for name in ["a-none", "b-all", "c-none"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      if file.path.string.hasSuffix("all") { return ScannedLibrary.analysis(of: file) }
      return FileAnalysis(status: .failed, problem: Problem(stage: .decode, code: "corrupt", message: "Damaged."))
    }
    let files = library.all
    for order in [files, files.reversed()] {
      let verdicts = try scan(library, order)
      #expect(verdicts == [.pending(.outdated), .cached, .pending(.outdated)])
    }
  }

  @Test func ordinaryFailureIsNotInQuarantine() throws {
    let library = try library()
    library.put("/music/bad.flac")
    try library.night { $0.path.stem == "bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    let counts = try library.night().scan
    #expect(counts.knownFailures == 1 && counts.quarantined == 0 && counts.knownDamaged == 0)
  }

  @Test func objectsAreKnownByTheirTags() throws {
    let library = try ScannedLibrary()
    var object = FileStamp(
      path: "s3:/bucket/a.wav", device: 0, inode: 5, sizeBytes: 9, modified: Timestamp(nanoseconds: 7_000_000_000))
    library.put(object)
    try library.night()
    object.modified = Timestamp(nanoseconds: 99_000_000_000)
    #expect(try scan(library, [object]) == [.cached])
    object.inode = 6
    #expect(try scan(library, [object]) == [.pending(.changed)])
    // The same bytes under another name are another object.
    library.remove(object.path)
    object = FileStamp(
      path: "s3:/bucket/b.wav", device: 0, inode: 6, sizeBytes: 9, modified: Timestamp(nanoseconds: 99_000_000_000))
    try library.beginRun()
    let session = library.scan()
    #expect(try session.classify([object]) == [.pending(.new)])
    #expect(session.counts.moved == 0)
  }

  // MARK: - Moves

  /// Renaming changes the status time. The events tell the old name, and the checksum stays.
  @Test func moveIsOnRecord() throws {
    let library = try ScannedLibrary()
    library.time = Self.start
    library.put("/music/old/a.flac", modified: 5_500_000_000, statusChanged: 6_500_000_000)
    library.put("/music/old/whole.flac", modified: 5_000_000_000, statusChanged: 6_500_000_000)
    let whole = ContentID(hashing: [1, 2, 3])
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.checksum = FileChecksum(whole: whole, byteCount: file.sizeBytes)
      return analysis
    }
    library.time = Self.later
    for name in ["a", "whole"] {
      let new = FilePath("/music/new/\(name).flac")
      library.move(FilePath("/music/old/\(name).flac"), to: new)
      var file = try #require(library.file(new))
      file.statusChanged = Timestamp(nanoseconds: 7_500_000_000)
      library.put(file)
    }
    let night = try library.night()
    #expect(night.scan.moved == 2 && night.scan.cached == 2 && night.pending.isEmpty)
    for name in ["a", "whole"] {
      let new = FilePath("/music/new/\(name).flac")
      let moves = try library.store.events(at: new).filter { $0.kind == .moved }
      #expect(
        moves == [FileEvent(kind: .moved, time: Self.later, run: night.run, detail: "from /music/old/\(name).flac")])
      #expect(try library.store.checksum(at: new)?.checksum?.whole == whole)
    }
  }

  /// A file that only seems to be a moved one does not take over its checksum.
  @Test func doubtfulMoveForgetsTheChecksum() throws {
    let library = try ScannedLibrary()
    for name in ["1", "2"] { library.put(FilePath("/music/\(name).wav"), modified: 5_000_000_000) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.checksum = FileChecksum(whole: ContentID(ofPath: file.path), byteCount: file.sizeBytes)
      return analysis
    }
    library.move("/music/1.wav", to: "/music/new/1.wav")
    let night = try library.night(analyze: { _ in nil })
    #expect(night.scan.moved == 1 && night.scan.touched == 1)
    #expect(try library.store.checksum(at: "/music/new/1.wav") == nil)
    #expect(try library.store.checksum(at: "/music/2.wav") != nil)
  }

  /// A new file shows that its disk is there, so what is missing on that disk is gone.
  @Test func newFileShowsThatItsDiskIsThere() throws {
    let library = try ScannedLibrary()
    func put(_ path: FilePath) {
      var file = library.put(path)
      file.device = 9
      library.put(file)
    }
    put("/music/usb/a.flac")
    try library.night()
    library.remove("/music/usb/a.flac")
    library.folders = ["/music": (7, false), "/music/usb": (7, true)]
    put("/music/usb2/new.flac")
    #expect(try library.night().scan.vanished == 1)
  }

  // MARK: - Work of a plan

  @Test(arguments: [false, true]) func workOfAPlan(isDryRun: Bool) throws {
    let library = try ScannedLibrary()
    for name in ["cached", "changed", "outdated"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path.string.hasSuffix("outdated") { analysis.outcomes.removeLast() }
      return analysis
    }
    library.put("/music/changed", size: 5)
    library.put("/music/new")
    let all = ["tags", "tempo", "chromaprint"]
    let expected: [FileWork?] = [
      nil, FileWork(.changed, missing: all, format: ScannedLibrary.format), FileWork(.new, missing: all, format: nil),
      FileWork(.outdated, missing: ["chromaprint"], format: ScannedLibrary.format),
    ]
    try library.beginRun()
    let scan = library.scan(ScanOptions(isDryRun: isDryRun))
    #expect(try scan.work(for: library.all) == expected)
    // Files that were seen before need no more work.
    #expect(try scan.work(for: library.all) == [nil, nil, nil, nil])
  }

  @Test func forcedWorkIsWhole() throws {
    let library = try library()
    try library.beginRun()
    let scan = library.scan(ScanOptions(force: true, isDryRun: true))
    let file = try #require(library.file(Self.path))
    let all = ["tags", "tempo", "chromaprint"]
    #expect(try scan.work(for: [file]) == [FileWork(.outdated, missing: all, format: ScannedLibrary.format)])
  }
}
