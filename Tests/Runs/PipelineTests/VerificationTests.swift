import Analysis
import AnalysisEngine
import AnalysisTesting
import Foundation
import Glibc
import LibraryScan
import Platform
import Records
import Synchronization
import SystemPackage
import Testing

@testable import Pipeline
@testable import ResultStore

/// Verification of files whose analyses come from elsewhere, without a checksum or with an incomplete one.
@Suite(.bounded) struct VerificationTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let original: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
    var random = SplitMix64.fresh()
    // A chunk without audio follows the samples.
    original =
      WAVFile(.noise(seed: random.next(), sampleRate: 8_000, seconds: 0.25)).bytes
      + Array("LIST".utf8) + [16, 0, 0, 0] + (0..<16).map { _ in .random(in: 0...255, using: &random) }
  }

  // MARK: - The library

  /// Writes a file, and puts its times back if it existed.
  private func put(_ bytes: [UInt8], as name: String) throws -> FilePath {
    let path = try folder.write(bytes, as: name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path.string)
    return path
  }

  /// Writes a file and merges its analysis.
  /// - Parameter change: Changes the analysis, which has no checksum, before it is stored.
  private func add(_ bytes: [UInt8], as name: String, _ change: (inout FileAnalysis) -> Void = { _ in }) throws
    -> FilePath
  {
    let path = try put(bytes, as: name)
    let plan = try Self.plan()
    var analysis = try #require(plan.makeFileAnalyzer().analyze(AnalysisJob(path: path)))
    #expect(analysis.checksum == nil)
    change(&analysis)
    var stamp = FileStamp(try #require(ScannedFile(lookingAt: path)))
    stamp.statusChanged = nil
    try ResultMerger(store: store, programVersion: "1").merge(
      [WorkerResult(.analysis(analysis, of: stamp), analyzed: Timestamp(nanoseconds: 7))],
      from: ResultOrigin(pipeline: "p", digest: "d", wanted: plan.wanted))
    return path
  }

  private static func plan() throws -> AnalysisPlan {
    try LibraryVerification.definition.plan(with: [AnalyzerKind(NoTags.self)])
  }

  private func verify(accepts: Bool = false) async throws -> LibraryVerification.Outcome {
    try await LibraryVerification(
      store: store, request: LibraryVerification.Request(jobs: 1, accepts: accepts), control: RunControl()
    ) { _ in }.perform(Self.plan())
  }

  private var changedAudio: [UInt8] {
    var bytes = original
    bytes[1_000] ^= 4
    return bytes
  }

  private var changedTags: [UInt8] {
    var bytes = original
    bytes[bytes.count - 3] ^= 4
    return bytes
  }

  private func events(_ path: FilePath) throws -> [String] {
    try store.events(at: path).filter { ![.firstSeen, .analyzed, .verified].contains($0.kind) }.map {
      [$0.kind.rawValue, $0.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  // MARK: - Files without a checksum

  /// The audio is compared with the content id of the analysis.
  @Test func changedAudioIsReportedBeforeThereIsAChecksum() async throws {
    let path = try add(original, as: "a.wav")
    let other = try add(original, as: "b.wav")
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == 1 && found.totals.taken == 1 && found.totals.all == 2)
    let trouble = try #require(found.troubles.first)
    #expect(found.troubles.count == 1 && trouble.path == path && trouble.isNews)
    #expect(trouble.kind == .changedSilently && trouble.hit == .audio)
    #expect(trouble.message == "Bytes changed although size and times did not, in the audio.")
    let stored = try #require(try store.checksum(at: path))
    #expect(stored.state == .changedSilently && stored.hit == .audio && stored.checksum == nil)
    #expect(try events(path) == ["changed_silently audio"])
    let record = try #require(try store.record(at: path))
    #expect(record.status == .partial && record.problem?.code == Problem.changedSilently)
    #expect(try store.checksum(at: other)?.state == nil && store.record(at: other)?.status == .ok)

    // Known from now on, until the file has its former audio again.
    let again = try await verify()
    #expect(again.totals.knownChanged == 1 && again.totals.changedSilently == 0 && again.totals.verified == 1)
    #expect(again.troubles.map(\.isNews) == [false])
    _ = try put(original, as: "a.wav")
    let last = try await verify()
    #expect(last.totals.restored == 1 && last.troubles.isEmpty)
    #expect(try events(path) == ["changed_silently audio", "restored"])
    #expect(try store.record(at: path)?.status == .ok)
  }

  /// Nothing is known about the bytes outside the audio, so they are taken as they are.
  @Test func sameAudioIsTaken() async throws {
    let path = try add(original, as: "a.wav")
    _ = try put(changedTags, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.taken == 1 && found.totals.all == 1 && found.troubles.isEmpty)
    let checksum = try #require(try store.checksum(at: path)?.checksum)
    #expect(checksum.whole == ContentID(hashing: changedTags) && checksum.byteCount == Int64(original.count))
    #expect(try events(path) == [] && store.record(at: path)?.status == .ok)
    #expect(try await verify().totals.verified == 1)
    // The checksum covers all bytes, and the range of the audio tells the two kinds of changes apart.
    _ = try put(original, as: "a.wav")
    #expect(try await verify().troubles.map(\.hit) == [.tags])
    _ = try put(changedAudio, as: "a.wav")
    #expect(try await verify().troubles.map(\.hit) == [.audio])
  }

  @Test func changedAudioCanBeAccepted() async throws {
    let path = try add(original, as: "a.wav")
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify(accepts: true)
    #expect(found.troubles.isEmpty && found.totals.taken == 1)
    #expect(try events(path) == ["accepted"])
    #expect(try await verify().totals.verified == 1)
  }

  /// In other containers, FFmpeg finds the audio, and another version may find another range.
  @Test(
    arguments: [
      ("wav", true), ("rf64", true), ("w64", true), ("aiff", true), ("au", true), ("caf", true), ("flac", true),
      ("mp3", true), ("ogg", true), ("mp4", false), ("matroska", false), ("asf", false), ("wv", false), ("tak", false),
    ])
  func onlySteadyContainersShowOtherAudio(container: String, isSteady: Bool) async throws {
    _ = try add(original, as: "a.wav") { $0.format?.container = container }
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == (isSteady ? 1 : 0) && found.totals.taken == (isSteady ? 0 : 1))
    #expect(found.troubles.map(\.hit) == (isSteady ? [.audio] : []))
  }

  /// An analysis that found no audio has nothing that could be compared.
  @Test func filesWithoutAContentIDAreTaken() async throws {
    _ = try add(original, as: "a.wav") { $0.contentID = nil }
    _ = try add([UInt8](repeating: 7, count: 900), as: "b.mp3")
    _ = try put(changedAudio, as: "a.wav")
    _ = try put([UInt8](repeating: 8, count: 900), as: "b.mp3")
    let found = try await verify()
    #expect(found.totals.taken == 2 && found.totals.all == 2 && found.troubles.isEmpty)
  }

  @Test func changesOfSizeOrTimeAreLeftToTheScan() async throws {
    _ = try add(original, as: "longer.wav")
    _ = try add(original, as: "later.wav")
    let gone = try add(original, as: "gone.wav")
    _ = try put(original + [0], as: "longer.wav")
    try folder.write(changedAudio, as: "later.wav")
    try FileManager.default.removeItem(atPath: gone.string)
    let found = try await verify()
    #expect(found.totals.leftToScan == 2 && found.totals.missing == 1 && found.totals.all == 3)
    #expect(found.troubles.isEmpty)
  }

  // MARK: - Shares and stops

  /// Files are read until their bytes reach the share.
  @Test(arguments: [(0, 0), (0.01, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.51, 3), (0.75, 3), (0.76, 4), (1, 4), (2, 4)])
  func shares(share: Double, count: Int) async throws {
    for name in ["a", "b", "c", "d"] { _ = try add(original, as: "\(name).wav") }
    let planned = Mutex(-1)
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(share: share, jobs: 1), control: RunControl()
    ) { if case .planned(let count) = $0 { planned.withLock { $0 = count } } }.perform(Self.plan())
    #expect(found.totals.taken == count && found.totals.all == count && !found.wasStopped)
    #expect(planned.withLock { $0 } == min(4, Int((4 * share).rounded(.up))))
  }

  @Test func onlyTheseFoldersAreRead() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("x").string, withIntermediateDirectories: true)
    let paths = try ["a.wav", "x/b.wav", "x/c.wav"].map { try add(original, as: $0) }
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(roots: [folder.file("x")], jobs: 1), control: RunControl()
    ) { _ in }.perform(Self.plan())
    #expect(found.totals.taken == 2)
    #expect(try paths.map { try store.checksum(at: $0) != nil } == [false, true, true])
  }

  @Test func stopsAreTold() async throws {
    let path = try add(original, as: "a.wav")
    let control = RunControl()
    control.requestStop()
    let found = try await LibraryVerification(
      store: store, request: LibraryVerification.Request(jobs: 1), control: control
    ) { _ in }.perform(Self.plan())
    #expect(found.wasStopped && found.totals.all == 0)
    #expect(try store.checksum(at: path) == nil)
  }

  // MARK: - Single files

  /// Looks at the one file of the library.
  private func look(_ control: RunControl = RunControl()) throws -> VerifiedFile.Outcome? {
    let request = LibraryVerification.Request(jobs: 1)
    let file = try #require(try VerificationSession(store: store).next(limit: 9).first)
    return try FileVerifier(plan: Self.plan(), request: request, control: control).verify(file)?.outcome
  }

  /// A file that cannot be read has not changed, whether its bytes are known or not.
  @Test(arguments: [true, false]) func unreadableFilesAreTold(hasChecksum: Bool) throws {
    let path = try add(original, as: "a.wav") {
      if hasChecksum {
        $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
      }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path.string)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path.string)
    let outcome = try withoutPrivileges { try look() }
    guard case .unreadable(let reason) = outcome else {
      Issue.record("\(outcome as Any)")
      return
    }
    #expect(reason.hasSuffix(".") && reason.lowercased().contains("permi"), "\(reason)")
  }

  /// A verification that is abandoned tells nothing about the file.
  @Test(arguments: [true, false]) func abandonedFilesAreLeft(hasChecksum: Bool) throws {
    _ = try add(original, as: "a.wav") {
      if hasChecksum {
        $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
      }
    }
    let control = RunControl(grace: .seconds(-1))
    guard case .some = try look(control) else {
      Issue.record("It was abandoned without a stop.")
      return
    }
    control.requestStop()
    let outcome = try look(control)
    #expect(outcome == nil, "\(outcome as Any)")
  }

  @Test func foldersInPlaceOfFilesAreLeftToTheScan() throws {
    let path = try add(original, as: "a.wav")
    try FileManager.default.removeItem(atPath: path.string)
    guard case .missing = try look() else {
      Issue.record("It is not missing.")
      return
    }
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    guard case .leftToScan = try look() else {
      Issue.record("It is not left to the scan.")
      return
    }
  }

  // MARK: - Files with a checksum of the whole file only

  /// The content id decides if the checksum has no hash of the audio.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags])
  func theContentIDTellsWhatHasChanged(hit: StoredChecksum.Hit) async throws {
    let whole = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
    let path = try add(original, as: "a.wav") { $0.checksum = whole }
    #expect(try await verify().totals.verified == 1)
    _ = try put(hit == .audio ? changedAudio : changedTags, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.changedSilently == 1 && found.troubles.map(\.hit) == [hit])
    let place = hit == .audio ? "in the audio." : "in the tags or headers; the audio is untouched."
    #expect(found.troubles.first?.message.contains(place) == true)
    #expect(try events(path) == ["changed_silently \(hit.rawValue)"])
  }

  // MARK: - Events and limits

  @Test func requestsHaveTheseDefaults() {
    let request = LibraryVerification.Request(jobs: 1)
    #expect(request.share == 1 && !request.accepts && !request.ignoresStatusChanges && request.roots == nil)
  }

  /// Verifies the library, and returns the events along with the outcome.
  private func verification(
    _ request: LibraryVerification.Request = LibraryVerification.Request(jobs: 1), control: RunControl = RunControl(),
    maxBatchAge: Duration? = nil, _ onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> (outcome: LibraryVerification.Outcome, log: EventLog) {
    let log = EventLog(onEvent)
    var verification = LibraryVerification(store: store, request: request, control: control, report: log.take)
    if let maxBatchAge { verification.maxBatchAge = maxBatchAge }
    return (try await verification.perform(Self.plan()), log)
  }

  @Test func filesAreReportedAsTheyAreRead() async throws {
    _ = try add(original, as: "a.wav")
    let gone = try add(original, as: "b.wav")
    _ = try add(original, as: "c.wav")
    _ = try put(changedAudio, as: "c.wav")
    try FileManager.default.removeItem(atPath: gone.string)
    let (found, log) = try await verification()
    let size = original.count
    #expect(
      log.all == [
        "began verify", "planned 3", "started a.wav", "verified a.wav \(size) good", "started b.wav",
        "verified b.wav 0 good", "started c.wav", "verified c.wav \(size) bad",
      ])
    // A missing file has no bytes.
    #expect(found.totals.bytes == Int64(2 * size) && found.totals.missing == 1)
    #expect(found.losses.isEmpty && !found.wasStopped)
    // The record of the verification is closed.
    let ends = try store.read { db in
      let select = try Query(db, "SELECT finished_ns IS NOT NULL, bytes FROM verification")
      var ends: [Int64] = []
      try select.forEachRow { ends += [select.integer(0), select.integer(1)] }
      return ends
    }
    #expect(ends == [1, Int64(2 * size)])
  }

  @Test func lostFoldersAreReported() async throws {
    let music = folder.file("music")
    try music.makeFolder()
    for name in ["music/a.wav", "music/b.wav"] { _ = try add(original, as: name) }
    try FileManager.default.removeItem(atPath: music.string)
    let (found, log) = try await verification(LibraryVerification.Request(roots: [music], jobs: 1))
    #expect(found.losses == [LibraryVerification.Loss(path: music, condition: .missing, fileCount: 2)])
    #expect(log.notices.count == 1)
    #expect(
      log.notices.first?.hasPrefix(
        "library_missing: \(music) disappeared during the run. 2 files in it were not read.") == true)
  }

  /// Adds files that cannot be read, because their folder is a link to itself.
  private func addUnreadable(_ count: Int) throws -> [FilePath] {
    let loop = folder.file("loop").string
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let paths = (0..<count).map { folder.file("loop/\($0).wav") }
    let results = paths.map { path in
      WorkerResult(
        .analysis(
          FileAnalysis(status: .ok),
          of: FileStamp(path: path, device: 1, inode: 1, sizeBytes: 5, modified: Timestamp(nanoseconds: 5))),
        analyzed: Timestamp(nanoseconds: 7))
    }
    try ResultMerger(store: store, programVersion: "1").merge(
      results, from: ResultOrigin(pipeline: "p", digest: "d", wanted: try Self.plan().wanted))
    return paths
  }

  /// All files count, but only the first thousand are listed.
  @Test func troublesAreListedUpToALimit() async throws {
    let paths = try addUnreadable(1_001)
    let (first, log) = try await verification()
    #expect(first.totals.unreadable == 1_001 && first.totals.all == 1_001 && first.totals.bytes == 0)
    #expect(first.troubles.map(\.path) == Array(paths.prefix(1_000)) && LibraryVerification.troubleLimit == 1_000)
    #expect(first.troubles.allSatisfy { $0.kind == .unreadable && $0.isNews && $0.hit == nil })
    #expect(log.all.count { $0.hasSuffix(" 0 bad") } == 1_001)
    // No news the second time.
    let (second, _) = try await verification()
    #expect(second.totals.knownUnreadable == 1_001 && second.totals.unreadable == 0)
    #expect(second.troubles.count == 1_000 && second.troubles.allSatisfy { !$0.isNews })
  }

  /// Results are stored after each 200 files. An interruption loses fewer.
  @Test func resultsAreStoredInBatches() async throws {
    let paths = try addUnreadable(202)
    let started = Mutex(0)
    let stored = Mutex<[Int: [Bool]]>([:])
    let store = store
    let (found, _) = try await verification(maxBatchAge: .seconds(3_600)) { event in
      guard case .started = event else { return }
      let number = started.withLock { number in
        number += 1
        return number
      }
      guard number >= 200 else { return }
      let known = [paths[0], paths[199], paths[200]].map { (try? store.checksum(at: $0)) != nil }
      stored.withLock { $0[number] = known }
    }
    #expect(found.totals.unreadable == 202 && found.totals.all == 202)
    #expect(
      stored.withLock { $0 } == [200: [false, false, false], 201: [true, true, false], 202: [true, true, false]])
  }

  @Test func resultsAreStoredAfterASecond() async throws {
    #expect(
      LibraryVerification(store: store, request: LibraryVerification.Request(jobs: 1), control: RunControl()) { _ in }
        .maxBatchAge == .seconds(1))
    let paths = try addUnreadable(3)
    let store = store
    for (age, expected) in [(Duration.zero, [0, 1, 2]), (.seconds(3_600), [3, 3, 3])] {
      let stored = Mutex<[Int]>([])
      _ = try await verification(maxBatchAge: age) { event in
        guard case .started = event else { return }
        let known = paths.count { (try? store.checksum(at: $0)) != nil }
        stored.withLock { $0.append(known) }
      }
      #expect(stored.withLock { $0 } == expected)
    }
  }

  /// An empty file counts as one byte, so that a share does not contain all empty files.
  @Test(
    arguments: [
      // Exactly one file of four, and one byte more.
      (["a": 100, "b": 100, "c": 100, "d": 100], 99.5 / 400, 1),
      (["a": 100, "b": 100, "c": 100, "d": 100], 100.5 / 400, 2),
      (["a": 0, "b": 0, "c": 3], 0.5, 2), (["a": 0, "b": 0, "c": 0], 1, 3), (["a": 0, "b": 0, "c": 0], 0.99, 0),
      (["a": 0, "b": 0, "c": 2, "d": 0], 1, 4),
    ] as [([String: Int], Double, Int)])
  func sharesAreCountedInBytes(sizes: [String: Int], share: Double, count: Int) async throws {
    for (name, size) in sizes.sorted(by: { $0.key < $1.key }) {
      _ = try add([UInt8](repeating: 7, count: size), as: "\(name).wav")
    }
    let (found, log) = try await verification(LibraryVerification.Request(share: share, jobs: 1))
    #expect(log.started.count == count && found.totals.all == count && !found.wasStopped)
  }

  /// The last file counts, too.
  @Test func abandonedFilesAreReportedAsAStop() async throws {
    _ = try add(original, as: "a.wav")
    let control = RunControl(grace: .seconds(-1))
    let (found, log) = try await verification(control: control) { event in
      if case .started = event { control.requestStop() }
    }
    #expect(found.wasStopped && found.totals.all == 0)
    #expect(log.all == ["began verify", "planned 1", "started a.wav"])
  }

  // MARK: - More single files

  @Test func linksToFilesAreRead() async throws {
    let path = try add(original, as: "a.wav")
    try FileManager.default.moveItem(atPath: path.string, toPath: folder.file("b.wav").string)
    try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: "b.wav")
    let found = try await verify()
    #expect(found.totals.taken == 1 && found.totals.all == 1)
  }

  /// Without a container, nobody knows how the content id was computed.
  @Test func audioOfUnknownContainersIsTaken() async throws {
    _ = try add(original, as: "a.wav") { $0.format = nil }
    _ = try put(changedAudio, as: "a.wav")
    let found = try await verify()
    #expect(found.totals.taken == 1 && found.totals.all == 1 && found.troubles.isEmpty)
  }

  /// Only a file whose bytes have changed is decoded, and the result becomes part of the message.
  @Test(arguments: [true, false]) func onlyChangedFilesAreDecoded(hasChecksum: Bool) async throws {
    var bytes = try SmallFile.read(Repository.path("Fixtures/signals/short.flac"), limit: 1 << 20)
    // The MD5 of the samples is wrong.
    bytes[30] ^= 1
    _ = try add(bytes, as: "a.flac") {
      $0.contentID = ContentID(hashing: [1])
      if hasChecksum { $0.checksum = FileChecksum(whole: ContentID(hashing: [2]), byteCount: Int64(bytes.count)) }
    }
    let trouble = try #require(try await verify().troubles.first)
    #expect(trouble.kind == .changedSilently && trouble.hit == .audio)
    #expect(trouble.message.contains("Decoding it now: ") == hasChecksum, "\(trouble.message)")
  }

  /// The status time shows that a program has written to a file, unless it is ignored.
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func statusTimesAreCompared(hasChecksum: Bool, ignores: Bool) async throws {
    let path = try put(original, as: "a.wav")
    let plan = try Self.plan()
    var analysis = try #require(plan.makeFileAnalyzer().analyze(AnalysisJob(path: path)))
    if hasChecksum {
      analysis.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
    }
    var stamp = FileStamp(try #require(ScannedFile(lookingAt: path)))
    stamp.statusChanged = Timestamp(nanoseconds: 1_000_000_001_000_000_000)
    try ResultMerger(store: store, programVersion: "1").merge(
      [WorkerResult(.analysis(analysis, of: stamp), analyzed: Timestamp(nanoseconds: 7))],
      from: ResultOrigin(pipeline: "p", digest: "d", wanted: plan.wanted))
    _ = try put(changedAudio, as: "a.wav")
    let (found, _) = try await verification(LibraryVerification.Request(jobs: 1, ignoresStatusChanges: ignores))
    let trouble = try #require(found.troubles.first)
    #expect(trouble.message.contains("Its status time differs") == !ignores, "\(trouble.message)")
  }

  /// A worker that fails for a reason of its own tells nothing about the bytes.
  @Test(
    arguments: [
      (#"{"stage": "open", "code": "worker_trouble", "message": "Odd."}"#, "left"),
      (#"{"stage": "open", "code": "unknown_format", "message": "Odd."}"#, "left"),
      (#"{"stage": "open", "code": "read_error", "message": "Odd."}"#, "unreadable Odd."), ("null", "left"),
    ])
  func filesWithoutAChecksumAreLeftUnlessTheSystemFailed(problem: String, expected: String) throws {
    _ = try add(original, as: "a.wav")
    let answer =
      #"{"result": {"status": "failed", "problem": \#(problem), "remarks": [], "reuses_known_audio": false, "outcomes": []}}"#
    let script = #"echo '{"ready": true}'; read line; echo '\#(answer)'"#
    let pool = WorkerPool(arguments: ["sh", "-c", script], plan: try Self.plan(), kinds: [])
    var request = LibraryVerification.Request(jobs: 1)
    request.isolation = .workers(pool)
    let file = try #require(try VerificationSession(store: store).next(limit: 9).first)
    let outcome = try FileVerifier(plan: Self.plan(), request: request, control: RunControl()).verify(file)?.outcome
    pool.close()
    switch outcome {
    case .leftToScan?: #expect(expected == "left")
    case .unreadable(let reason)?: #expect(expected == "unreadable \(reason)")
    default: Issue.record("\(outcome as Any)")
    }
  }

  /// Results stay if no worker can be started for a later file.
  @Test func resultsStayWithoutWorkers() async throws {
    let path = try add(original, as: "a.wav") {
      $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
    }
    let other = try add(original, as: "b.wav") {
      $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
    }
    _ = try put(changedAudio, as: "b.wav")
    var request = LibraryVerification.Request(jobs: 1)
    request.isolation = .workers(WorkerPool(arguments: ["sh", "-c", "exit 1"], plan: try Self.plan(), kinds: []))
    await #expect(throws: WorkerPool.StartFailure.self) { try await verification(request) }
    #expect(try store.checksum(at: path)?.verified != nil && store.checksum(at: other)?.verified == nil)
  }

  /// Bytes come from the disk, not from memory, and leave memory afterwards.
  @Test func filesAreReadFromTheDisk() async throws {
    let paths = try ["a.wav", "b.wav"].map { name in
      let path = try add(original, as: name) {
        $0.checksum = FileChecksum(whole: ContentID(hashing: original), byteCount: Int64(original.count))
      }
      let file = try FileDescriptor.open(path, .readOnly)
      defer { try? file.close() }
      // Only pages that are on the disk can leave memory.
      try #require(fsync(file.rawValue) == 0)
      return path
    }
    func isInMemory(_ path: FilePath) throws -> Bool? { try MappedFile(path)?.isInMemory(at: 0) }
    #expect(try isInMemory(paths[0]) != false)
    let file = try FileDescriptor.open(paths[1], .readOnly)
    file.advise(.notNeeded)
    try file.close()
    // Some file systems exist only in memory.
    guard try isInMemory(paths[1]) == false else { return }
    let (found, _) = try await verification(LibraryVerification.Request(roots: [paths[0]], jobs: 1))
    #expect(found.totals.verified == 1)
    #expect(try isInMemory(paths[0]) == false)
  }
}

/// Stands for the analyzer that the pipeline of the verification names.
private struct NoTags: Analyzer {
  static let id = "tags"
  static let version = 1
  static let summary = "Finds nothing."

  init(_ configuration: NoConfiguration) {}
  var feed: Feed { .file }
  func makeSession(for file: AudioFile) throws(AnalysisError) -> Session { Session() }

  struct Session: AnalysisSession {
    struct Finding: AnalysisFinding {}

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {}
    mutating func finish() throws(AnalysisError) -> Finding { Finding() }
  }
}
