import Analysis
import AnalysisTesting
import GRDB
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

/// The store's part of a verification: the order in which files are read again, and the rows for each outcome.
@Suite(.bounded) struct VerificationSessionTests {
  private static let path: FilePath = "/music/a.flac"
  private static let second: Int64 = 1_000_000_000

  /// Day of September 2026, at midnight.
  private static func day(_ day: Int64) -> Timestamp {
    Timestamp(nanoseconds: (1_788_220_800 + 86_400 * (day - 1)) * second)
  }

  private static func checksum(_ name: String, size: Int64 = 1000) -> FileChecksum {
    FileChecksum(
      whole: ContentID(hashing: Array("whole \(name)".utf8)), byteCount: size, audio: 100..<900,
      audioHash: ContentID(hashing: Array("audio \(name)".utf8)),
      digests: [.sha256: (0..<32).map { UInt8($0) }, .md5: (100..<116).map { UInt8($0) }])
  }

  /// Analyzes files that wait, at a given time.
  @discardableResult
  private func analyze(
    _ library: ScannedLibrary, at time: Timestamp, _ options: ScanOptions = ScanOptions(),
    _ change: (PendingFile, inout FileAnalysis) -> Void = { _, _ in }
  ) throws -> ScannedLibrary.Night {
    library.time = time
    return try library.night(options) { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.checksum = Self.checksum(file.path.string, size: file.sizeBytes)
      change(file, &analysis)
      return analysis
    }
  }

  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put(Self.path, statusChanged: 6_500_000_000)
    try analyze(library, at: Self.day(1))
    return library
  }

  /// Verifies the one file of a library with a given outcome.
  @discardableResult
  private func verify(
    _ library: ScannedLibrary, on day: Int64, accepts: Bool = false, run: Int64? = nil,
    _ outcome: VerifiedFile.Outcome
  ) throws -> VerificationTotals {
    let session = try VerificationSession(store: library.store, run: run, accepts: accepts, started: Self.day(day))
    let file = try #require(try session.next(limit: 2).first)
    try session.commit([VerifiedFile(file: file, outcome: outcome, byteCount: 77)], at: Self.day(day))
    let totals = session.totals
    #expect(totals.bytes == 77 && totals.all == 1)
    return totals
  }

  private func events(_ library: ScannedLibrary, _ path: FilePath = path) throws -> [String] {
    try library.store.events(at: path).filter { ![.firstSeen, .analyzed, .verified].contains($0.kind) }.map {
      [$0.kind.rawValue, $0.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  private func stored(_ library: ScannedLibrary) throws -> StoredChecksum {
    try #require(try library.store.checksum(at: Self.path))
  }

  private func record(_ library: ScannedLibrary) throws -> FileRecord {
    try #require(try library.store.record(at: Self.path))
  }

  // MARK: - Order

  private func names(_ session: VerificationSession, limit: Int) throws -> [[String]] {
    var batches: [[String]] = []
    while true {
      let files = try session.next(limit: limit)
      if files.isEmpty { break }
      batches.append(files.map { $0.path.stem ?? "" })
    }
    #expect(try session.next(limit: limit).isEmpty)
    return batches
  }

  /// Library with files that were never read whole, and others that were read at several times.
  private func manyFiles() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    for (day, names) in [
      (3, ["x/c", "y/d"]), (2, ["x/e", "x/f", "y/g"]), (4, ["x/unread1", "y/unread2"]), (8, ["x/h"]),
    ]
      as [(Int64, [String])]
    {
      for name in names { library.put(FilePath("/music/\(name).flac")) }
      try analyze(library, at: Self.day(day)) { file, analysis in
        if file.path.string.contains("unread") { analysis.checksum = nil }
      }
    }
    return library
  }

  /// Files that were never read come first, then those read longest ago; those read since the start do not come again.
  @Test func orderOfFiles() throws {
    let library = try manyFiles()
    func session(_ day: Int64, _ roots: [FilePath]? = nil) throws -> VerificationSession {
      try VerificationSession(store: library.store, roots: roots, started: Self.day(day))
    }
    #expect(
      try names(session(9), limit: 2) == [["unread1", "unread2"], ["e", "f"], ["g", "c"], ["d", "h"]])
    #expect(
      try names(session(9), limit: 100) == [["unread1", "unread2"], ["e", "f", "g", "c", "d", "h"]])
    // The last one was read on the day of the start.
    #expect(try names(session(8), limit: 100).last == ["e", "f", "g", "c", "d"])
    #expect(try names(session(9), limit: 1).count == 8)
    #expect(
      try names(session(9, ["/music/x"]), limit: 100) == [["unread1"], ["e", "f", "c", "h"]])
    // One folder after the other.
    #expect(
      try names(session(9, ["/music/y", "/music/x"]), limit: 100)
        == [["unread1"], ["unread2"], ["e", "f", "c", "h"], ["g", "d"]])
    #expect(try names(session(9, ["/music/z"]), limit: 100) == [])
    #expect(try names(session(9, []), limit: 100) == [])
  }

  @Test func extentOfAVerification() throws {
    let library = try ScannedLibrary()
    for (name, size) in [("a", 1), ("b", 10), ("gone", 100), ("skipped", 1_000), ("changed", 10_000)]
      as [(String, Int64)]
    {
      library.put(FilePath("/music/x/\(name)"), size: size)
    }
    library.put("/music/y/c", size: 100_000)
    library.put(
      FileStamp(path: "s3:/b/object", device: 0, inode: 1, sizeBytes: 1, modified: Timestamp(nanoseconds: 1)))
    try library.night()
    library.remove("/music/x/gone")
    library.put("/music/x/changed", size: 10_001)
    library.put("/music/x/new", size: 1_000_000)
    try library.night(
      skipping: [SkippedFile(path: "/music/x/skipped", code: "ignored", message: "Ignored.")], analyze: { _ in nil })
    for (roots, fileCount, byteCount) in [
      (nil, 3, 100_011), (["/music/x"], 2, 11), (["/music/y", "/music/x/a"], 2, 100_001), ([], 0, 0),
    ] as [([FilePath]?, Int, Int64)] {
      let extent = try VerificationSession(store: library.store, roots: roots).extent()
      #expect(extent.fileCount == fileCount && extent.byteCount == byteCount, "\(roots ?? [])")
    }
  }

  @Test func filesToReadAreDescribed() throws {
    let library = try ScannedLibrary()
    library.time = Self.day(1)
    let found = FileStamp(
      path: Self.path, device: 12, inode: 34, sizeBytes: 56, modified: Timestamp(nanoseconds: 78_000_000_000),
      statusChanged: Timestamp(nanoseconds: 90_000_000_000))
    library.put(found)
    try analyze(library, at: Self.day(1))
    let file = try #require(
      try VerificationSession(store: library.store, started: Self.day(2)).next(limit: 1).first)
    #expect(file.path == Self.path && file.device == 12 && file.sizeBytes == 56 && file.status == .ok)
    #expect(file.contentID == ScannedLibrary.contentID(Self.path.string) && file.container == "flac")
    #expect(file.known == StoredChecksum(checksum: Self.checksum(Self.path.string, size: 56), well: Self.day(1)))
    #expect(!file.isChanged(found) && file.wasWritten(found) == false)
    var other = found
    other.sizeBytes = 57
    #expect(file.isChanged(other))
    other = found
    other.modified = Timestamp(nanoseconds: 99_500_000_000)
    #expect(file.isChanged(other))
    other = found
    other.statusChanged = Timestamp(nanoseconds: 99_500_000_000)
    #expect(!file.isChanged(other) && file.wasWritten(other) == true)
    other.statusChanged = nil
    #expect(file.wasWritten(other) == nil)
  }

  // MARK: - Outcomes

  @Test func wellFileIsOnRecord() throws {
    let library = try library()
    var found = Self.checksum(Self.path.string)
    let totals = try verify(library, on: 2, .well(found))
    #expect(totals.verified == 1 && totals.news == 0)
    var expected = StoredChecksum(checksum: found, well: Self.day(2))
    expected.verified = Self.day(2)
    #expect(try stored(library) == expected)
    #expect(try events(library) == [])
    let verified = try library.store.events(at: Self.path).filter { $0.kind == .verified }
    #expect(verified == [FileEvent(kind: .verified, time: Self.day(2), run: nil, detail: nil)])
    // The first digests stay.
    found.digests = [.md5: [UInt8](repeating: 1, count: 16)]
    try verify(library, on: 3, .well(found))
    #expect(try stored(library).checksum == expected.checksum)
    #expect(try library.store.check() == [])
  }

  /// A change is news once. Other bytes are news again, and the former ones end it.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags]) func changesAreToldOnce(hit: StoredChecksum.Hit) throws {
    let library = try library()
    let run = library.run
    func change(_ name: String, day: Int64) throws -> VerificationTotals {
      try verify(
        library, on: day, .changed(Self.checksum(name), SilentChange(hit: hit, well: Self.day(day - 1))))
    }
    var totals = try change("b", day: 2)
    #expect(totals.changedSilently == 1 && totals.news == 1)
    let state = try stored(library)
    #expect(state.state == .changedSilently && state.hit == hit && state.found == Self.checksum("b").whole)
    #expect(state.foundAt == Self.day(2) && state.well == Self.day(1) && state.verified == nil)
    #expect(state.checksum == Self.checksum(Self.path.string))
    let problem = Problem(
      stage: .verify, code: Problem.changedSilently, message: SilentChange(hit: hit, well: Self.day(1)).message)
    #expect(try record(library).status == .partial && record(library).problem == problem)
    let history = try #require(try library.store.history(at: Self.path))
    #expect(history.firstFailedRun == run && history.failedAttempts == 1 && history.failed == Self.day(2))
    // Reported by the verification, not by the run.
    #expect(try library.store.newDamageGroups(in: run, examples: 1).isEmpty)
    #expect(try library.store.check() == [])

    totals = try change("b", day: 3)
    #expect(totals.knownChanged == 1 && totals.news == 0)
    #expect(try record(library).problem == problem && stored(library).foundAt == Self.day(2))
    #expect(try events(library) == ["changed_silently \(hit.rawValue)"])

    totals = try change("c", day: 4)
    #expect(totals.changedSilently == 1)
    #expect(try stored(library).found == Self.checksum("c").whole)
    #expect(try record(library).problem?.message == SilentChange(hit: hit, well: Self.day(3)).message)
    #expect(try events(library).count == 2)

    totals = try verify(library, on: 5, .well(Self.checksum(Self.path.string)))
    #expect(totals.restored == 1 && totals.verified == 0 && totals.news == 0)
    #expect(try events(library).last == "restored")
    #expect(try stored(library).state == nil && stored(library).found == nil && stored(library).hit == nil)
    #expect(try record(library).status == .ok && record(library).problem == nil)
    #expect(try library.store.check() == [])
    #expect(try verify(library, on: 6, .well(Self.checksum(Self.path.string))).verified == 1)
  }

  /// Runs name themselves in what a verification at their end finds.
  @Test func verificationOfARunIsOnItsRecord() throws {
    let library = try library()
    let first = library.run
    try analyze(library, at: Self.day(2))
    try verify(
      library, on: 3, run: first, .changed(Self.checksum("b"), SilentChange(hit: .audio, well: nil)))
    #expect(try library.store.history(at: Self.path)?.firstFailedRun == first)
    let events = try library.store.events(at: Self.path).filter { $0.kind == .changedSilently }
    #expect(events == [FileEvent(kind: .changedSilently, time: Self.day(3), run: first, detail: "audio")])
  }

  /// A file that is damaged for another reason keeps that reason, whatever happens to its bytes.
  @Test func otherDamageStays() throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    let problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
    try analyze(library, at: Self.day(1)) { _, analysis in (analysis.status, analysis.problem) = (.partial, problem) }
    try verify(library, on: 2, .changed(Self.checksum("b"), SilentChange(hit: .audio, well: nil)))
    #expect(try record(library).status == .partial && record(library).problem == problem)
    #expect(try stored(library).state == .changedSilently)
    try verify(library, on: 3, .well(Self.checksum(Self.path.string)))
    #expect(try record(library).status == .partial && record(library).problem == problem)
    #expect(try stored(library).state == nil)
  }

  @Test func changedBytesCanBeAccepted() throws {
    let library = try library()
    let outcome = VerifiedFile.Outcome.changed(Self.checksum("b"), SilentChange(hit: .tags, well: nil))
    try verify(library, on: 2, outcome)
    let totals = try verify(library, on: 3, accepts: true, outcome)
    #expect(totals.taken == 1 && totals.changedSilently == 0)
    #expect(try stored(library) == StoredChecksum(checksum: Self.checksum("b"), well: Self.day(3)))
    #expect(try record(library).status == .ok && record(library).problem == nil)
    #expect(try events(library) == ["changed_silently tags", "accepted"])
    #expect(try library.store.check() == [])
  }

  @Test func unreadableFileIsToldOnce() throws {
    let library = try library()
    var totals = try verify(library, on: 2, .unreadable("No permission."))
    #expect(totals.unreadable == 1 && totals.knownUnreadable == 0 && totals.news == 1)
    #expect(try stored(library).state == .unreadable && stored(library).foundAt == Self.day(2))
    #expect(try stored(library).checksum == Self.checksum(Self.path.string))
    totals = try verify(library, on: 3, .unreadable("No permission."))
    #expect(totals.unreadable == 0 && totals.knownUnreadable == 1 && totals.news == 0)
    #expect(try events(library) == ["unreadable No permission."])
    #expect(try stored(library).foundAt == Self.day(2))
    #expect(try record(library).status == .ok)
    totals = try verify(library, on: 4, .well(Self.checksum(Self.path.string)))
    #expect(totals.verified == 1 && totals.restored == 0)
    #expect(try stored(library).state == nil)
    #expect(try events(library) == ["unreadable No permission."])
  }

  /// A file that had no checksum gets one, or one less certain if its audio is known to have changed.
  @Test func fileWithoutAChecksum() throws {
    func library() throws -> ScannedLibrary {
      let library = try ScannedLibrary()
      library.put(Self.path)
      try analyze(library, at: Self.day(1)) { _, analysis in analysis.checksum = nil }
      #expect(try library.store.checksum(at: Self.path) == nil)
      return library
    }
    let well = try library()
    #expect(try verify(well, on: 2, .taken(Self.checksum("b"))).taken == 1)
    #expect(try stored(well) == StoredChecksum(checksum: Self.checksum("b"), well: Self.day(2)))
    #expect(try events(well) == [])

    let damaged = try library()
    try verify(damaged, on: 2, .changed(Self.checksum("b"), SilentChange(hit: .audio, well: nil)))
    #expect(try stored(damaged).state == .changedSilently && stored(damaged).checksum == nil)
    #expect(try record(damaged).status == .partial)
    let totals = try verify(damaged, on: 3, .taken(Self.checksum("a")))
    #expect(totals.restored == 1 && totals.taken == 0)
    #expect(try events(damaged) == ["changed_silently audio", "restored"])
    #expect(try record(damaged).status == .ok && stored(damaged).state == nil)

    let closed = try library()
    #expect(try verify(closed, on: 2, .unreadable("No permission.")).unreadable == 1)
    #expect(try verify(closed, on: 3, .unreadable("No permission.")).knownUnreadable == 1)
    #expect(try verify(closed, on: 4, .taken(Self.checksum("b"))).taken == 1)
    #expect(try events(closed) == ["unreadable No permission."])
  }

  @Test func filesLeftToTheScanAreOnlyCounted() throws {
    let library = try library()
    let before = try stored(library)
    #expect(try verify(library, on: 2, .missing).missing == 1)
    #expect(try verify(library, on: 2, .leftToScan).leftToScan == 1)
    #expect(try stored(library) == before && events(library) == [])
  }

  /// A run that analyzes a file while it is verified has the last word.
  @Test func analysisInTheMeantimeCounts() throws {
    let library = try library()
    let session = try VerificationSession(store: library.store, started: Self.day(2))
    let file = try #require(try session.next(limit: 1).first)
    library.put(Self.path, size: 7)
    try analyze(library, at: Self.day(3)) { _, analysis in analysis.checksum = Self.checksum("new", size: 7) }
    let before = try stored(library)
    let change = SilentChange(hit: .audio, well: nil)
    try session.commit([VerifiedFile(file: file, outcome: .changed(Self.checksum("b"), change))], at: Self.day(4))
    #expect(session.totals.leftToScan == 1 && session.totals.all == 1 && session.totals.bytes == 0)
    #expect(try stored(library) == before && record(library).status == .ok)
  }

  // MARK: - Totals

  @Test func totalsAreStoredWithEachBatch() throws {
    let library = try manyFiles()
    let run = library.run
    let session = try VerificationSession(store: library.store, run: run, started: Self.day(9))
    func row() throws -> [Int64?] {
      try DatabaseQueue(path: library.database.string).read { db in
        let row = try #require(
          try Row.fetchOne(
            db,
            sql: """
              SELECT run, started_ns, finished_ns, bytes, verified, taken, restored, changed_silently, known_changed,
                unreadable, missing, left_to_scan FROM verification ORDER BY id DESC LIMIT 1
              """))
        return (0..<12).map { row[$0] }
      }
    }
    let start = [run, Self.day(9).nanoseconds]
    #expect(try row() == start + [nil, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    try session.commit([])
    let unread = try session.next(limit: 10)
    try session.commit(
      unread.map { VerifiedFile(file: $0, outcome: .taken(Self.checksum("x")), byteCount: 100) }, at: Self.day(9))
    #expect(try row() == start + [nil, 200, 0, 2, 0, 0, 0, 0, 0, 0])
    let read = try session.next(limit: 10)
    #expect(read.count == 6)
    let change = SilentChange(hit: .tags, well: nil)
    let outcomes: [VerifiedFile.Outcome] = [
      .well(Self.checksum("")), .changed(Self.checksum("b"), change), .unreadable("No."), .unreadable("No."), .missing,
      .leftToScan,
    ]
    try session.commit(
      zip(read, outcomes).map { VerifiedFile(file: $0, outcome: $1, byteCount: 1) }, at: Self.day(9))
    #expect(try row() == start + [nil, 206, 1, 2, 0, 1, 0, 2, 1, 1])
    try session.finish(at: Self.day(10))
    #expect(try row() == start + [Self.day(10).nanoseconds, 206, 1, 2, 0, 1, 0, 2, 1, 1])

    // Files that are known to be unreadable count as such in the stored row.
    let next = try VerificationSession(store: library.store, started: Self.day(20))
    let files = try next.next(limit: 10).filter { $0.known?.state == .unreadable }
    #expect(files.count == 2)
    try next.commit([VerifiedFile(file: files[0], outcome: .unreadable("No."))], at: Self.day(20))
    #expect(next.totals.knownUnreadable == 1)
    #expect(try row()[9] == 1 && row()[0] == nil)
  }

  /// Each number has its place in the sums.
  @Test func sumsOfTotals() {
    let places: [WritableKeyPath<VerificationTotals, Int>] = [
      \.verified, \.taken, \.restored, \.changedSilently, \.knownChanged, \.unreadable, \.knownUnreadable, \.missing,
      \.leftToScan,
    ]
    var all = VerificationTotals()
    #expect(all.all == 0 && all.news == 0 && all.bytes == 0)
    for place in places {
      #expect(all[keyPath: place] == 0)
      var one = VerificationTotals()
      one[keyPath: place] = 5
      #expect(one.all == 5)
      #expect(one.news == (place == \.changedSilently || place == \.unreadable ? 5 : 0))
    }
    for (power, place) in places.enumerated() { all[keyPath: place] = 1 << power }
    #expect(all.all == 511 && all.news == 8 + 32)
  }
}
