import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Exports
import Foundation
import LibraryScan
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import AnalysisTasks

/// The list of a plan's files on disk, its estimates and its texts.
@Suite(.bounded) struct PlanTests {
  // MARK: The list

  private static func files(_ count: Int, using random: inout SplitMix64) -> [PlannedFile] {
    let lists: [[String]] = [["tags"], ["tags", "tempo"], [], ["key"]]
    return (0..<count).map { number in
      let name = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 48...255, using: &random) }
      return PlannedFile(
        path: FilePath(bytes: Array("/music/".utf8) + name), sizeBytes: .random(in: 0...(1 << 40), using: &random),
        modified: Timestamp(nanoseconds: .random(in: -5...(1 << 60), using: &random)),
        reason: PendingReason.allCases.randomElement(using: &random) ?? .new,
        missing: lists.randomElement(using: &random) ?? [],
        codec: ["mp3", "flac", nil].randomElement(using: &random) ?? nil,
        duration: number.isMultiple(of: 3) ? nil : .random(in: 0...9, using: &random),
        expectedSeconds: .random(in: 0...9, using: &random))
    }
  }

  /// Files come back as they were, also those beyond the buffer.
  @Test(arguments: [1, 2, 50, 4_000]) func filesComeBack(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    let files = Self.files(count, using: &random)
    var spool = try PlanSpool()
    for file in files { try spool.append(file) }
    let counted = spool.count
    #expect(counted == count)
    try spool.flush()
    for index in files.indices.shuffled(using: &random) {
      let file = try spool.file(index)
      #expect(file == files[index])
    }
  }

  // MARK: Partitions

  @Test func equalPartsAreFilledInTurn() {
    #expect(WorkPartitions(seconds: [1, 1, 1, 1, 1], count: 2).files() == [[0, 2, 4], [1, 3]])
    #expect(WorkPartitions(seconds: [1, 5, 2, 4, 3], count: 3).parts == [1, 0, 2, 1, 2])
    #expect(
      WorkPartitions(seconds: [1, 1], count: 0).count == 1 && WorkPartitions(seconds: [1, 1], count: 5).count == 2)
    #expect(WorkPartitions(seconds: [300, 0], count: nil).count == 1)
    #expect(WorkPartitions(seconds: [300, 1], count: nil).count == 2)
    #expect(WorkPartitions(seconds: [1, 1], count: nil).count == 1)
  }

  // MARK: Estimates

  @Test func estimatesAreSums() throws {
    let place = try Workplace()
    let estimate = WorkEstimate(try place.plan(only: nil))
    func millions(
      _ name: FilePath, size: Int64 = 1_000_000, codec: String? = nil, duration: Double? = nil, _ missing: String...
    ) -> Double {
      estimate.seconds(name, sizeBytes: size, codec: codec, duration: duration, missing: missing) * WorkEstimate.speed
    }
    func isNear(_ value: Double, _ other: Double) -> Bool { abs(value - other) < 1e-6 * max(1, other) }
    #expect(isNear(millions("a.mp3", "tags"), 11.5) && isNear(millions("a.mp3"), 11.5))
    #expect(isNear(millions("a.mp3", duration: 10, "key"), 11.5 + 10 * (7.98 + 4.12)))
    #expect(isNear(millions("a.mp3", duration: 10, "key", "tags", "loudness"), 11.5 + 10 * (7.98 + 5.65)))
    for wrong in [0, -1, Double.nan, .infinity] {
      #expect(isNear(millions("a.mp3", size: 300_000, duration: wrong, "key"), 11.5 + 10 * (7.98 + 4.12)))
    }
    #expect(isNear(millions("a.mp3", duration: 0.5, "key"), 11.5 + 0.5 * (7.98 + 4.12)))
    // All analyzers together share some of the work.
    let all = Array(WorkEstimate.analyzers.keys)
    let everything = estimate.seconds("a.mp3", sizeBytes: 1, codec: nil, duration: 10, missing: all)
    #expect(isNear(everything * WorkEstimate.speed, 11.5 + 10 * (7.98 + 25.2)))
    for (codec, kind) in [
      ("pcm_s16", "wav"), ("aac", "m4a"), ("vorbis", "ogg"), ("opus", "opus"), ("alac", "flac"), ("mp2", "mp3"),
    ] {
      let known = try #require(WorkEstimate.decoding[kind])
      #expect(isNear(millions("a.x", codec: codec, duration: 10, "key"), 11.5 + 10 * (known + 4.12)), "\(codec)")
    }
    let bytes = ["wav": 176_400, "flac": 100_000, "mp3": 30_000, "opus": 16_000, "ogg": 20_000, "m4a": 24_000]
    for (name, count) in bytes {
      let known = try #require(WorkEstimate.decoding[name])
      let path = FilePath("/a.\(name.uppercased())")
      #expect(isNear(millions(path, size: Int64(10 * count), "key"), 11.5 + 10 * (known + 4.12)), "\(name)")
    }
    #expect(WorkEstimate.speed == 19_500)
  }

  // MARK: Texts

  private func planner(
    _ place: Workplace, _ scan: ScanOptions = ScanOptions(), only analyzers: Set<String> = ["tags", "chromaprint"],
    partitions: Int? = nil
  ) throws -> WorkPlanner {
    WorkPlanner(
      LibraryRun.Request(
        roots: .paths([place.library]), scan: scan, plan: try place.plan(only: analyzers), jobs: 1,
        programVersion: Nocturne.version),
      database: place.database, partitionCount: partitions)
  }

  @Test func textsOfPlans() async throws {
    let place = try Workplace()
    #expect(try planner(place).run.scan.isDryRun)
    try place.put(sound(1), as: "a.wav")
    let one = try planner(place).perform()
    let lines = one.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "1 file to analyze (1 new); unchanged: 0.")
    #expect(lines[1].hasPrefix("0 MB, about 0.0 s of CPU time.") && lines[2] == "1 partition of 0.0 s to 0.0 s.")
    #expect(lines[3] == "Missing findings:" && lines[4].hasPrefix("  tags ") && lines[4].hasSuffix(": 1 file"))
    #expect(lines[5].hasPrefix("  chromaprint 1: 1 file") && lines.count == 7)
    #expect(one.bytes == Int64(sound(1).count) && one.partitions.map(\.fileCount) == [1])
    let expected = WorkEstimate(one.pipeline).seconds(
      "a.wav", sizeBytes: one.bytes, codec: nil, duration: nil, missing: ["tags", "chromaprint"])
    #expect(abs(one.expectedSeconds - expected) < 1e-12 && one.partitions[0].bytes == one.bytes)
    _ = try await place.run(try place.analysis())
    #expect(try planner(place).perform().text == "Nothing to analyze: 1 file is unchanged.\n")
    try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    try place.put(sound(2), as: "b.wav")
    _ = try await place.run(try place.analysis())
    #expect(
      try planner(place).perform().text
        == "Nothing to analyze: 2 files are unchanged.\n1 file known as failing is left out; --retry-failed adds it.\n")
    let more = try planner(place, only: ["tags", "chromaprint", "key"]).perform().text
    #expect(
      more.hasPrefix("2 files to analyze (2 with missing or outdated findings); unchanged: 0.\n1 file known as failing")
    )
    #expect(more.contains("Missing findings:\n  key ") && !more.contains("  tags "))
    try FileManager.default.removeItem(at: URL(filePath: place.library.appending("a.wav").string))
    try FileManager.default.removeItem(at: URL(filePath: place.library.appending("b.wav").string))
    #expect(try planner(place).perform().text.hasPrefix("Nothing to analyze.\n1 file known as failing is left out;"))
    try place.put([UInt8](repeating: 8, count: 900), as: "worse.mp3")
    _ = try await place.run(try place.analysis())
    #expect(
      try planner(place).perform().text.contains("2 files known as failing are left out; --retry-failed adds them."))
  }

  @Test func stoppedPlansAreNotMade() throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    #expect(throws: WorkPlanError.self) { _ = try planner(place).perform(begins: { $0.requestStop() }).fileCount }
    #expect(!FileManager.default.fileExists(atPath: place.database.string))
  }

  @Test func plansAreWrittenAsAWhole() throws {
    let place = try Workplace()
    for number in 1...4 { try place.put(sound(UInt64(number)), as: "\(number).wav") }
    let plan = try planner(place, partitions: 2).perform()
    let folder = place.folder.file("new/plan")
    try place.folder.file("new").makeFolder()
    try plan.write(to: folder)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.string)).isSuperset(of: WorkPlan.fileNames))
    let line = try Data(contentsOf: URL(filePath: folder.appending("plan.json").string))
    let summary = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    let schema = try #require(PlanSchema.files.first?.text)
    #expect(try SchemaValidator(schema).complaints(about: summary) == [])
    let parts = try #require(summary["partitions"] as? [[String: Any]])
    #expect(parts.map { $0["first_row_group"] as? Int } == [0, 1] && parts.map { $0["row_groups"] as? Int } == [1, 1])
    // Without files, nothing says where their rows are.
    let bare = try #require(try JSONSerialization.jsonObject(with: Data(plan.summaryLine())) as? [String: Any])
    #expect((bare["partitions"] as? [[String: Any]])?.allSatisfy { !($0["row_groups"] is Int) } == true)
    let file = try place.folder.write([], as: "file")
    #expect(throws: ExportError.self) { try plan.write(to: file.appending("plan")) }
  }

  // MARK: Databases

  @Test func foldersOfDatabasesAreNotMadeAnywhere() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: Never.self) { try DatabaseFolder.prepare(for: folder.file("a.sqlite")) }
    #expect(throws: Never.self) { try DatabaseFolder.prepare(for: "a.sqlite") }
    #expect(throws: StoreError.noFolder(path: folder.file("none/a.sqlite"))) {
      try DatabaseFolder.prepare(for: folder.file("none/a.sqlite"))
    }
    #expect(!folder.file("none").exists)
    let real = try RunDatabase(folder.file("a.sqlite"), isDryRun: false)
    #expect(real.path == folder.file("a.sqlite") && !real.isTemporary)
    let dry = try RunDatabase(folder.file("a.sqlite"), isDryRun: true)
    #expect(dry.path != folder.file("a.sqlite") && dry.isTemporary && dry.path.removingLastComponent().exists)
    withExtendedLifetime(dry) {}
    try folder.write([], as: "a.sqlite")
    let known = try RunDatabase(folder.file("a.sqlite"), isDryRun: true)
    #expect(known.path == folder.file("a.sqlite") && !known.isTemporary)
    #expect(throws: StoreError.self) { _ = try RunDatabase(folder.file("none/a.sqlite"), isDryRun: true) }
  }

  // MARK: Progress

  @Test func progressOfARun() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("library.sqlite")
    let store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings)
    #expect(RunProgress(ofDatabase: path) == nil)
    let lock = try RunLock.acquire(forDatabase: path)
    let own = ProcessInfo.processInfo.processIdentifier
    func progress() throws -> RunProgress { try #require(RunProgress(ofDatabase: path, ownProcess: own)) }
    #expect(try progress().text == "Another command is changing the library" && progress().isOwn)
    #expect(
      try progress().done == 0 && progress().scanned == 0 && progress().planned == nil && progress().remaining == nil)
    #expect(RunProgress(ofDatabase: path, ownProcess: own + 1)?.isOwn == false)
    func share(_ phase: String, done: Int = 0, planned: Int? = nil, scanned: Int = 0) {
      var progress = RunLock.Progress(phase: phase)
      (progress.done, progress.planned, progress.scanned) = (done, planned, scanned)
      lock.share(progress)
    }
    share("scan")
    #expect(try progress().text == "Scanning" && progress().phase == "scan")
    share("scan", scanned: 1)
    #expect(try progress().text == "Scanning: 1 file so far" && progress().scanned == 1)
    share("report", done: 3, planned: 9)
    #expect(try progress().text == "Writing reports" && progress().remaining == nil)
    share("verify", done: 3, planned: 9)
    #expect(try progress().text == "Verifying: 3 of 9 files" && progress().remaining != nil)
    share("analyze", done: 2, planned: 9)
    #expect(try progress().text == "Analyzing: 2 of 9 files" && progress().remaining == nil)
    share("analyze", done: 3)
    #expect(try progress().text == "Analyzing: 3 of 0 files" && progress().remaining == nil)
    share("analyze", done: 4, planned: 4)
    #expect(try progress().remaining == 0 && progress().done == 4 && progress().planned == 4)
    share("analyze", done: 3, planned: 2)
    #expect(try progress().remaining == nil)
    // The time that is left grows with the time that has passed.
    share("analyze", done: 3, planned: 9)
    let (before, left, after) = (
      -(try progress().started.nanoseconds - Timestamp.now.nanoseconds), try progress().remaining,
      -(try progress().started.nanoseconds - Timestamp.now.nanoseconds)
    )
    let seconds = try #require(left)
    #expect(seconds >= 2 * Double(before) / 1e9 - 1e-6 && seconds <= 2 * Double(after) / 1e9 + 1e-6)
    lock.release()
    #expect(RunProgress(ofDatabase: path) == nil)
    withExtendedLifetime(store) {}
  }

  /// All that has happened is shared when a phase begins.
  @Test func eventsAreShared() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("library.sqlite")
    let store = try ResultStore(path: path, findings: BuiltInAnalyzers.findings)
    let lock = try RunLock.acquire(forDatabase: path)
    let shared = SharedProgress(lock)
    func progress() throws -> RunProgress { try #require(RunProgress(ofDatabase: path)) }
    shared.handle(.began(.scan))
    #expect(try progress().phase == "scan")
    shared.handle(.scanned(5))
    shared.handle(.planned(3))
    shared.handle(.started("/music/b.flac"))
    shared.handle(.began(.analyze))
    let found = try progress()
    #expect(found.phase == "analyze" && found.scanned == 5 && found.planned == 3 && found.current == "b.flac")
    lock.release()
    withExtendedLifetime(store) {}
  }
}
