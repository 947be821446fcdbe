import Analysis
import AnalysisTesting
import DSP
import Foundation
import LibraryScan
import Platform
import Records
import Synchronization
import SystemPackage
import Testing

@testable import Pipeline
@testable import ResultStore

/// Runs over a small library, in this process.
@Suite(.bounded) struct LibraryRunTests {
  private let folder: TemporaryDirectory
  private let library: FilePath
  private let store: ResultStore
  private let probe = Probe()

  init() throws {
    folder = try TemporaryDirectory()
    library = folder.file("library")
    try library.makeFolder()
    store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
  }

  // MARK: - The library

  /// Writes a file with an old time.
  @discardableResult
  private func put(_ bytes: [UInt8], as name: String) throws -> FilePath {
    let path = try folder.write(bytes, as: "library/\(name)")
    try setTime(path)
    return path
  }

  private func setTime(_ path: FilePath, seconds: Double = 1_000_000_000) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path.string)
  }

  private func remove(_ paths: FilePath...) throws {
    for path in paths { try FileManager.default.removeItem(atPath: path.string) }
  }

  private static func sound(_ seed: UInt64, seconds: Double = 0.25) -> [UInt8] {
    WAVFile(.noise(seed: seed, sampleRate: 8_000, seconds: seconds)).bytes
  }

  /// The audio of `sound(1)` in a file that is larger by a chunk of this size.
  private static func paddedSound(_ size: UInt8) -> [UInt8] {
    var bytes = sound(1) + Array("JUNK".utf8) + [size, 0, 0, 0] + [UInt8](repeating: 0, count: Int(size))
    let length = UInt32(bytes.count - 8)
    for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    return bytes
  }

  /// A file of this size that contains no audio.
  private static func noise(_ size: Int) -> [UInt8] { [UInt8](repeating: 7, count: size) }

  // MARK: - Runs

  /// Status times are ignored: the files have just been made, and would seem to have been touched.
  private func request(
    _ plugins: [AnalyzerPlugin], roots: LibraryRun.Roots? = nil, scan: ScanOptions = ScanOptions()
  ) -> LibraryRun.Request {
    LibraryRun.Request(
      roots: roots ?? .paths([library]), scan: scan,
      plan: AnalysisPlan(name: "probes", plugins: plugins, resampler: .soxr), jobs: 1, programVersion: "1",
      ignoresStatusChanges: true)
  }

  private func run(
    _ request: LibraryRun.Request, control: RunControl = RunControl(),
    onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> (outcome: LibraryRun.Outcome, log: EventLog) {
    let log = EventLog(onEvent)
    let run = LibraryRun(store: store, request: request, control: control, report: log.take)
    let outcome = try await run.run()
    try run.finish(outcome, exitStatus: 7)
    return (outcome, log)
  }

  /// A run whose library changes between the scan and the analysis.
  private func run(
    _ request: LibraryRun.Request, changing change: @escaping @Sendable () throws -> Void
  ) async throws -> (outcome: LibraryRun.Outcome, log: EventLog) {
    try await run(request) { event in
      guard case .began(.analyze) = event else { return }
      #expect(throws: Never.self) { try change() }
    }
  }

  /// Entries as if a walk had found them.
  private func listing(
    _ entries: [LibraryWalker.Entry], atEnd: @escaping @Sendable () -> Void = {}
  ) -> LibraryRun.Roots {
    let rest = Mutex(entries[...])
    return .listing {
      let entry = rest.withLock { $0.popFirst() }
      if entry == nil { atEnd() }
      return entry
    }
  }

  private func file(_ path: FilePath) throws -> LibraryWalker.Entry {
    .file(try #require(ScannedFile(lookingAt: path)))
  }

  private func scanned(_ paths: FilePath...) -> [RunRecord.Root] {
    paths.map { RunRecord.Root(path: $0, condition: .scanned) }
  }

  // MARK: - Events and totals

  @Test func requestsHaveTheseDefaults() {
    let request = LibraryRun.Request(
      roots: .paths([]), plan: AnalysisPlan(name: "p", plugins: [], resampler: .soxr), jobs: 1, programVersion: "1")
    #expect(!request.ignoresStatusChanges && !request.isProfiled && request.digests.isEmpty)
  }

  @Test func runsReportWhatTheyDo() async throws {
    try put(Self.sound(1), as: "a.wav")
    try put(Self.sound(2, seconds: 0.5), as: "b.wav")
    try put(Self.noise(900), as: "c.mp3")
    try put([1], as: "cover.jpg")
    let (outcome, log) = try await run(request([probe.plugin("sound", feed: Probe.audio)]))
    // The largest file comes first.
    #expect(
      log.all == [
        "began scan", "began analyze", "planned 3", "started b.wav", "finished b.wav ok 0.5", "started a.wav",
        "finished a.wav ok 0.25", "started c.mp3", "finished c.mp3 failed unknown_format 0.0",
      ])
    #expect(probe.seen == ["sound b.wav", "sound a.wav"])
    #expect(outcome.totals == RunTotals(analyzed: 2, failed: 1, skipped: 1) && outcome.state == .finished)
    #expect(outcome.newlyFailed == 1 && outcome.newlyDamaged == 0 && outcome.unsettled == 0 && outcome.reused == 0)
    #expect(outcome.pending == 0 && outcome.stillChanging == 0 && outcome.audioDuration == 0.75)
    #expect(outcome.roots == scanned(library) && outcome.stageTimes.isEmpty)
    let record = try #require(try store.latestRun())
    #expect(record.id == outcome.runID && record.state == .finished && record.exitStatus == 7)
    #expect(record.totals == outcome.totals && record.newlyFailed == 1 && record.pending == 0)
    #expect(record.roots == scanned(library) && record.pipeline == "probes" && record.finished != nil)

    // The next run has nothing to do.
    let (again, quiet) = try await run(request([probe.plugin("sound", feed: Probe.audio)]))
    #expect(quiet.all == ["began scan", "began analyze", "planned 0"])
    #expect(again.totals == RunTotals(cached: 2, failed: 1, skipped: 1) && again.newlyFailed == 0)
    #expect(again.audioDuration == 0 && again.pending == 0 && again.stillChanging == 0)
  }

  @Test func stagesAreMeasuredOnRequest() async throws {
    try put(Self.sound(1), as: "a.wav")
    var request = request([probe.plugin("sound", feed: Probe.audio)])
    request.isProfiled = true
    let times = try await run(request).outcome.stageTimes.seconds
    #expect(["scan", "store", "decode"].allSatisfy { times[$0, default: 0] > 0 }, "\(times)")
  }

  @Test func dryRunsLeaveNoTrace() async throws {
    for name in ["a.wav", "b.wav"] { try put(Self.sound(1), as: name) }
    let (outcome, log) = try await run(request([probe.plugin("p")], scan: ScanOptions(isDryRun: true)))
    #expect(log.all == ["began scan"] && probe.seen.isEmpty)
    #expect(outcome.runID == 0 && outcome.state == .finished && outcome.pending == 2 && outcome.scan.new == 2)
    #expect(outcome.totals == RunTotals() && outcome.roots == scanned(library))
    #expect(try store.latestRun() == nil && store.runs().isEmpty)
  }

  @Test func digestsAreStoredOnRequest() async throws {
    let path = try put(Self.sound(1), as: "a.wav")
    _ = try await run(request([probe.plugin("p")]))
    #expect(try store.checksum(at: path)?.checksum?.whole == ContentID(hashing: Self.sound(1)))
    #expect(try store.checksum(at: path)?.checksum?.digests == [:])
    var request = request([probe.plugin("p")], scan: ScanOptions(force: true))
    request.digests = [.sha256]
    _ = try await run(request)
    #expect(try store.checksum(at: path)?.checksum?.digests[.sha256]?.count == 32)
  }

  @Test func failingAnalyzersAreReported() async throws {
    try put(Self.sound(1), as: "a.wav")
    try put(Self.sound(2, seconds: 0.5), as: "b.wav")
    // Every analyzer fails on a file without audio, which says nothing about the analyzer.
    try put(Self.noise(900), as: "c.mp3")
    let plugins = [
      probe.plugin("odd") { (file) throws(AnalysisError) in
        throw .failed("No model for \(file.path.lastComponent?.string ?? "").")
      },
      probe.plugin("fine"), probe.plugin("absent") { (_) throws(AnalysisError) in throw .notApplicable("Not here.") },
      probe.plugin("mute") { (file) throws(AnalysisError) in
        if file.path.lastComponent == "a.wav" { throw .failed("no words") }
      },
    ]
    let (outcome, log) = try await run(request(plugins))
    #expect(outcome.totals == RunTotals(analyzed: 2, failed: 1))
    #expect(
      log.notices == [
        "analyzer_failing: the analyzer mute failed on 1 file; first reason: no words",
        "analyzer_failing: the analyzer odd failed on 2 files; first reason: No model for b.wav",
      ])
  }

  // MARK: - Order and batches

  /// The queue is in the order of paths; the largest of each 64 files come first.
  @Test func filesAreTakenInBatches() async throws {
    for number in 1...65 { try put(Self.noise(number), as: "\(100 + number).wav") }
    let (outcome, log) = try await run(request([]))
    #expect(log.started == ((1...64).reversed() + [65]).map { "\(100 + $0).wav" })
    #expect(outcome.totals == RunTotals(failed: 65))
  }

  @Test func resultsAreStoredInBatches() async throws {
    for number in 1...202 { try put(Self.noise(1), as: "\(1_000 + number).wav") }
    let began = ContinuousClock.now
    let started = Mutex<[FilePath]>([])
    let stored = Mutex<[Int: [Bool]]>([:])
    let store = store
    let (outcome, _) = try await run(request([])) { event in
      guard case .started(let path) = event else { return }
      let paths = started.withLock { paths in
        paths.append(path)
        return paths
      }
      guard paths.count >= 200 else { return }
      let known = [paths[0], paths[198], paths[paths.count - 2]].map { (try? store.record(at: $0))?.analyzed != nil }
      stored.withLock { $0[paths.count] = known }
    }
    #expect(outcome.totals == RunTotals(failed: 202) && outcome.newlyFailed == 202 && outcome.pending == 0)
    // On a busy machine, a second may pass before that.
    if ContinuousClock.now - began <= .seconds(1) {
      #expect(
        stored.withLock { $0 } == [200: [false, false, false], 201: [true, true, true], 202: [true, true, false]])
    }
  }

  // MARK: - Interruptions

  /// The results up to the stop are stored, and the next run continues with the other files as if nothing had happened.
  @Test func interruptedRunsGoOn() async throws {
    for (name, size) in [("a", 300), ("b", 400), ("c", 500)] { try put(Self.noise(size), as: "\(name).wav") }
    let control = RunControl()
    let log = EventLog { if case .finished = $0 { control.requestStop() } }
    // The process ends before it can close the record.
    let outcome = try await LibraryRun(
      store: store, request: request([]), control: control, report: log.take
    ).run()
    #expect(log.started == ["c.wav"] && outcome.state == .interrupted)
    #expect(outcome.totals == RunTotals(failed: 1) && outcome.pending == 2)
    try put(Self.noise(350), as: "d.wav")
    let (next, rest) = try await run(request([]))
    // Files on which a run died would come last.
    #expect(rest.started == ["b.wav", "d.wav", "a.wav"])
    #expect(next.totals == RunTotals(failed: 4) && next.newlyFailed == 3 && next.state == .finished)
  }

  /// Files that are missing after a stop may just not have been looked at.
  @Test func stoppedRunsMissNothing() async throws {
    let paths = try ["a.wav", "b.wav"].map { try put(Self.noise(5), as: $0) }
    let control = RunControl()
    let (outcome, log) = try await run(request([]), control: control) { event in
      guard case .started = event else { return }
      for path in paths { try? FileManager.default.removeItem(atPath: path.string) }
      control.requestStop()
    }
    #expect(log.started.count == 1 && log.notices.isEmpty)
    #expect(outcome.state == .interrupted && outcome.pending == 2 && outcome.roots == scanned(library))
  }

  /// After a stop during the scan, files that were not found may still be there.
  @Test(arguments: [true, false]) func onlyWholeScansShowWhatIsMissing(isStopped: Bool) async throws {
    let kept = try put(Self.noise(5), as: "a.wav")
    let gone = try put(Self.noise(5), as: "b.wav")
    _ = try await run(request([]))
    try remove(gone)
    let control = RunControl()
    let root = LibraryWalker.Entry.root(RootReport(path: library, state: .scanned(fileCount: 1)))
    let roots = try listing([file(kept), root]) { if isStopped { control.requestStop() } }
    let (outcome, _) = try await run(request([], roots: roots), control: control)
    #expect(outcome.state == (isStopped ? .interrupted : .finished))
    #expect(outcome.totals == RunTotals(failed: 1, vanished: isStopped ? 0 : 1))
    #expect(try store.record(at: gone)?.isVanished == !isStopped)
  }

  @Test func failedScansAreRecorded() async throws {
    struct Trouble: Error {}
    let run = LibraryRun(
      store: store, request: request([], roots: .listing { throw Trouble() }), control: RunControl()
    ) { _ in }
    await #expect(throws: Trouble.self) { try await run.run() }
    let record = try #require(try store.latestRun())
    #expect(record.state == .failed && record.exitStatus == nil && record.finished != nil)
    #expect(record.totals == RunTotals() && record.newlyFailed == 0 && record.newlyDamaged == 0 && record.pending == 0)
  }

  // MARK: - Files that change during the run

  enum Change: CaseIterable {
    case none
    /// A program writes on, and the time does not show it, or only the time does.
    case grown, rewritten
    case replaced
  }

  @Test(arguments: Change.allCases) func filesThatAreBeingWrittenWait(change: Change) async throws {
    let path = try put(Self.sound(1), as: "a.wav")
    try put([1], as: "cover.jpg")
    let isPostponed = change == .grown || change == .rewritten
    let (outcome, log) = try await run(request([probe.plugin("p")])) {
      switch change {
      case .none: break
      case .grown: try put(Self.sound(1, seconds: 0.5), as: "a.wav")
      case .rewritten: try folder.write(Self.sound(2), as: "library/a.wav")
      case .replaced:
        let other = try folder.write(Self.sound(3, seconds: 0.5), as: "other.wav")
        try FileManager.default.removeItem(atPath: path.string)
        try FileManager.default.moveItem(atPath: other.string, toPath: path.string)
      }
    }
    #expect(log.started == ["a.wav"] && log.notices.isEmpty)
    #expect(probe.seen == (isPostponed ? [] : ["p a.wav"]))
    #expect(outcome.totals == RunTotals(analyzed: isPostponed ? 0 : 1, skipped: isPostponed ? 2 : 1))
    #expect(outcome.stillChanging == (isPostponed ? 1 : 0) && outcome.pending == 0)
    if isPostponed {
      let record = try #require(try store.record(at: path))
      #expect(record.status == .skipped && record.problem?.code == "still_changing")
    }
    // The next run finds the file as it is now.
    let (next, _) = try await run(request([probe.plugin("p")]))
    #expect(next.totals == RunTotals(analyzed: change == .none ? 0 : 1, cached: change == .none ? 1 : 0, skipped: 1))
  }

  @Test(arguments: [1, 2]) func missingFilesAreReported(count: Int) async throws {
    let paths = try ["a.wav", "b.wav", "c.wav"].map { try put(Self.noise(5), as: $0) }
    let (outcome, log) = try await run(request([])) {
      for path in paths.prefix(count) { try FileManager.default.removeItem(atPath: path.string) }
    }
    let files = count == 1 ? "1 file has" : "2 files have"
    #expect(log.notices == ["files_gone: \(files) disappeared since the scan; the next run checks again"])
    #expect(outcome.totals == RunTotals(failed: 3 - count) && outcome.pending == count)
    #expect(outcome.roots == scanned(library))
  }

  @Test func lostLibrariesAreReported() async throws {
    let other = folder.file("other")
    try other.makeFolder()
    try put(Self.noise(5), as: "a.wav")
    try setTime(try folder.write(Self.noise(5), as: "other/b.wav"))
    let (outcome, log) = try await run(request([], roots: .paths([other, library]))) {
      try FileManager.default.removeItem(atPath: other.string)
    }
    #expect(outcome.roots == scanned(library) + [RunRecord.Root(path: other, condition: .missing)])
    #expect(
      log.notices == [
        "library_missing: \(other) disappeared during the run. 1 file in it was not analyzed. Is the drive mounted? "
          + "Nothing in it counts as removed; run again when it is back."
      ])
    #expect(outcome.totals == RunTotals(failed: 1) && outcome.pending == 1)
    #expect(try store.latestRun()?.roots == outcome.roots)
  }

  // MARK: - Work that is known

  @Test func onlyMissingAnalyzersRun() async throws {
    let path = try put(Self.sound(1), as: "a.wav")
    let plugins = ["first", "second", "third"].map { probe.plugin($0) }
    _ = try await run(request([plugins[0]]))
    #expect(probe.take() == ["first a.wav"])
    _ = try await run(request(Array(plugins[...1])))
    #expect(probe.take() == ["second a.wav"])
    _ = try await run(request(Array(plugins[...1])))
    #expect(probe.take().isEmpty)
    // Nothing is trusted if this is forced.
    _ = try await run(request(Array(plugins[...1]), scan: ScanOptions(force: true)))
    #expect(probe.take() == ["first a.wav", "second a.wav"])
    // Another file with this name has no findings yet.
    _ = try await run(request(plugins)) {
      let other = try folder.write(Self.sound(2, seconds: 0.5), as: "other.wav")
      try FileManager.default.removeItem(atPath: path.string)
      try FileManager.default.moveItem(atPath: other.string, toPath: path.string)
    }
    #expect(probe.take() == ["first a.wav", "second a.wav", "third a.wav"])
  }

  /// A retry does not trust what the failed attempt found.
  @Test func retriesRunEverything() async throws {
    try put(Self.sound(1), as: "a.wav")
    let plugins = [
      probe.plugin("fine"), probe.plugin("odd") { (_) throws(AnalysisError) in throw .failed("Odd.") },
    ]
    _ = try await run(request(plugins))
    _ = probe.take()
    let (again, _) = try await run(request(plugins))
    #expect(probe.take().isEmpty && again.totals == RunTotals(cached: 1))
    let (retried, _) = try await run(request(plugins, scan: ScanOptions(retryFailed: true)))
    #expect(probe.take() == ["fine a.wav", "odd a.wav"])
    #expect(retried.scan.retried == 1 && retried.totals == RunTotals(analyzed: 1))
  }

  /// The same audio between other tags is not decoded again, unless that is forced.
  @Test func knownAudioIsNotDecoded() async throws {
    let plugin = probe.plugin("sound", feed: Probe.audio)
    try put(Self.sound(1), as: "a.wav")
    _ = try await run(request([plugin]))
    try put(Self.paddedSound(16), as: "b.wav")
    _ = probe.take()
    let (outcome, _) = try await run(request([plugin]))
    #expect(probe.take().isEmpty && outcome.reused == 1 && outcome.audioDuration == 0)
    #expect(outcome.totals == RunTotals(analyzed: 1, cached: 1))
    let (forced, _) = try await run(request([plugin], scan: ScanOptions(force: true)))
    #expect(probe.take() == ["sound a.wav", "sound b.wav"])
    #expect(forced.reused == 0 && forced.audioDuration == 0.5 && forced.totals == RunTotals(analyzed: 2))
  }

  /// The findings of the file itself come before those of others with the same audio, which may be fewer.
  @Test func editedFilesKeepTheirFindings() async throws {
    let plugins = ["first", "second"].map { probe.plugin($0, feed: Probe.audio) }
    try put(Self.sound(1), as: "a.wav")
    _ = try await run(request(plugins))
    try put(Self.paddedSound(16), as: "b.wav")
    _ = try await run(request([plugins[0]]))
    #expect(probe.take() == ["first a.wav", "second a.wav"])
    try put(Self.paddedSound(32), as: "a.wav")
    let (outcome, _) = try await run(request(plugins))
    #expect(outcome.scan.changed == 1 && outcome.scan.outdated == 1 && outcome.totals == RunTotals(analyzed: 2))
    #expect(probe.take() == ["second b.wav"])
  }

  /// Only the kernel sets the status time, but backups and mounts change it, too.
  @Test(arguments: [true, false]) func statusTimesAreComparedUnlessIgnored(ignores: Bool) async throws {
    let path = try put(Self.sound(1), as: "a.wav")
    var request = request([probe.plugin("p")])
    request.ignoresStatusChanges = ignores
    _ = try await run(request)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
    let (outcome, _) = try await run(request)
    #expect(outcome.scan.touched == (ignores ? 0 : 1) && outcome.scan.cached == (ignores ? 1 : 0))
  }

  // MARK: - The scan

  /// Progress is reported after each thousand of entries, whether they are files or skipped.
  @Test func scansReportTheirProgress() async throws {
    let entries = (0..<2_300).map { number -> LibraryWalker.Entry in
      let path = library.appending("\(number).wav")
      guard number % 3 == 0 else { return .skipped(SkippedEntry(path: path, reason: .notAudio)) }
      return .file(
        ScannedFile(
          path: path, device: 1, inode: UInt64(number), size: 5, modified: Timestamp(nanoseconds: 5),
          statusChanged: Timestamp(nanoseconds: 5), linkCount: 1))
    }
    let (outcome, log) = try await run(
      request([], roots: listing(entries), scan: ScanOptions(isDryRun: true)))
    #expect(log.all == ["began scan", "scanned 1000", "scanned 2000"])
    #expect(outcome.scan.new == 767 && outcome.scan.skipped == 1_533 && outcome.totals.skipped == 1_533)
  }

  @Test func entriesAreCountedByTheirReason() async throws {
    let failing = try put(Self.noise(5), as: "a.wav")
    _ = try await run(request([]))
    let new = try put(Self.noise(6), as: "b.wav")
    func skipped(_ name: String, _ reason: SkipReason) -> LibraryWalker.Entry {
      .skipped(SkippedEntry(path: library.appending(name), reason: reason))
    }
    let (outcome, _) = try await run(
      request(
        [],
        roots: try listing([
          file(failing), file(new), skipped("c.wav", .stillChanging), skipped("d.jpg", .notAudio),
          skipped("e.jpg", .notAudio), skipped("f", .unreadableEntry), skipped("g", .unreadableFolder),
        ])))
    #expect(outcome.totals == RunTotals(failed: 4, skipped: 3) && outcome.stillChanging == 1)
    #expect(outcome.scan.knownFailures == 1 && outcome.scan.newFailures == 2 && outcome.newlyFailed == 3)
    #expect(try store.record(at: library.appending("d.jpg"))?.problem?.message == SkipReason.notAudio.sentence)
  }

  /// Nothing in a folder that could not be read counts as removed.
  @Test(arguments: [(SkipReason.unreadableFolder, 0), (.hidden, 1)])
  func unreadableFoldersHideFiles(reason: SkipReason, vanished: Int) async throws {
    try library.appending("sub").makeFolder()
    let gone = try put(Self.noise(5), as: "sub/a.wav")
    let kept = try put(Self.noise(6), as: "b.wav")
    _ = try await run(request([]))
    try remove(gone)
    let roots = try listing([
      .skipped(SkippedEntry(path: library.appending("sub"), reason: reason, isFolder: true)), file(kept),
      .root(RootReport(path: library, state: .scanned(fileCount: 1))),
    ])
    let (outcome, _) = try await run(request([], roots: roots))
    #expect(outcome.totals.vanished == vanished)
  }

  /// A root that disappears at the end of the walk does not show what is missing. Others do.
  @Test func rootsAreLookedAtAgain() async throws {
    let (target, link) = (folder.file("target"), folder.file("link"))
    try target.makeFolder()
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
    let kept = try put(Self.noise(5), as: "a.wav")
    let gone = try put(Self.noise(6), as: "b.wav")
    try setTime(try folder.write(Self.noise(7), as: "target/c.wav"))
    let (first, _) = try await run(request([], roots: .paths([library, link])))
    #expect(first.totals == RunTotals(failed: 3) && first.roots == scanned(library, link))
    try remove(gone, target)
    let reports = [library, link].map {
      LibraryWalker.Entry.root(RootReport(path: $0, state: .scanned(fileCount: 1)))
    }
    let (outcome, log) = try await run(request([], roots: try listing([file(kept)] + reports)))
    #expect(outcome.totals == RunTotals(failed: 1, vanished: 1))
    #expect(outcome.roots == scanned(library) + [RunRecord.Root(path: link, condition: .missing)])
    #expect(
      log.notices == [
        "library_missing: \(link) does not exist; if it is on another drive, is the drive mounted? Nothing below it "
          + "counts as removed (the results of 1 file are kept)."
      ])
    // A file has taken the place of the folder.
    try remove(link)
    try folder.write([1], as: "link")
    let (last, notices) = try await run(request([], roots: try listing([file(kept)] + reports)))
    #expect(last.roots == scanned(library) + [RunRecord.Root(path: link, condition: .unreadable)])
    #expect(notices.notices.first?.contains("cannot be read (it could be read before)") == true)
  }

  /// A path that nobody knows may be mistyped.
  @Test func rootsWithoutFilesAreReported() async throws {
    try put(Self.noise(5), as: "a.wav")
    _ = try await run(request([]))
    let (mistyped, other, empty) = (folder.file("librari"), folder.file("xyz"), folder.file("librar"))
    func root(_ path: FilePath, _ state: RootReport.State) -> LibraryWalker.Entry {
      .root(RootReport(path: path, state: state))
    }
    let roots = listing([
      root(mistyped, .missing), root(other, .missing), root(library, .missing), root(empty, .empty),
      root(mistyped, .unreadable("No")), root(library, .alreadyScanned), root(library.appending("a.wav"), .single),
    ])
    let (outcome, log) = try await run(request([], roots: roots, scan: ScanOptions(isDryRun: true)))
    let (missing, below) = (
      "does not exist; if it is on another drive, is the drive mounted?", "othing below it counts as removed"
    )
    #expect(
      log.notices == [
        "library_missing: \(mistyped) does not exist; did you mean \(library)?",
        "library_missing: \(other) \(missing) N\(below).",
        "library_missing: \(library) \(missing) N\(below) (the results of 1 file are kept).",
        "library_empty: \(empty) holds no audio files; if it is on another drive, is the drive mounted? N\(below).",
        "library_unreadable: \(mistyped) cannot be read (No); n\(below).",
      ])
    #expect(outcome.roots.map(\.condition) == [.missing, .missing, .missing, .empty, .unreadable])
    #expect(outcome.roots.map(\.path) == [mistyped, other, library, empty, mistyped])
  }

  /// A disk that is not mounted leaves an empty folder on another disk.
  @Test func missingDisksAreReported() async throws {
    try put(Self.noise(5), as: "a.wav")
    let disk = library.appending("disk")
    try disk.makeFolder()
    let file = disk.appending("x.wav")
    let device = try #require(FolderStatus(at: library)).device
    let plan = AnalysisPlan(name: "probes", plugins: [], resampler: .soxr)
    try ResultMerger(store: store, programVersion: "1").merge(
      [
        WorkerResult(
          .analysis(
            FileAnalysis(status: .ok),
            of: FileStamp(
              path: file, device: device + 1, inode: 1, sizeBytes: 5, modified: Timestamp(nanoseconds: 5))),
          analyzed: Timestamp(nanoseconds: 7))
      ], from: ResultOrigin(pipeline: "p", digest: "d", wanted: plan.wanted))
    let (outcome, log) = try await run(request([]))
    #expect(outcome.totals == RunTotals(failed: 1))
    #expect(outcome.roots == scanned(library) + [RunRecord.Root(path: disk, condition: .empty)])
    #expect(
      log.notices == [
        "disk_missing: \(disk) is empty, but 1 known file was on a disk there. Is the drive mounted? Known results are "
          + "kept; if the disk is gone for good, delete the empty folder."
      ])
    #expect(try store.record(at: file)?.isVanished == false)
  }
}
