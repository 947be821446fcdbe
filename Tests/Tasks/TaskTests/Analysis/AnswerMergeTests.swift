import Analysis
import AnalysisEngine
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Exports
import Foundation
import Glibc
import LibraryScan
import Objects
import Pipeline
import Platform
import Records
import Reporting
import ResultStore
import Synchronization
import SystemPackage
import Testing

/// Merging answers of workers into a database.
@Suite(.bounded) struct AnswerMergeTests {
  /// The answers of a worker in this process for these paths.
  private func answers(_ place: Workplace, _ paths: [FilePath]) async throws -> [UInt8] {
    let list = try FileDescriptor.open(
      try place.folder.write(Array(paths.map { $0.string + "\n" }.joined().utf8), as: "list"), .readOnly)
    defer { try? list.close() }
    let lines = Mutex<[UInt8]>([])
    let writer = WorkerRecordWriter(options: ReportOptions(findings: BuiltInAnalyzers.findings))
    let worker = StreamingWorker(
      StreamingWorker.Request(
        plan: try place.plan(), jobs: 1, timeLimit: .standard, isolation: .none, walk: .init(), shard: nil,
        separator: 0x0A, workingFolder: place.folder.path,
        objects: ObjectFetcher(
          ObjectAccess(environment: [:], home: place.folder.path), space: FetchSpace(limit: 0, in: place.folder.path)),
        programVersion: Nocturne.version),
      reading: list, control: RunControl(), answer: { record in lines.withLock { $0 += writer.line(for: record) } })
    _ = try await worker.run()
    return lines.withLock { $0 }
  }

  @Test func answersAreMergedOnce() async throws {
    let place = try Workplace()
    let path = try place.put(sound(1), as: "a.wav")
    let bad = try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    let lines = try await answers(place, [path, bad])
    try FileManager.default.createDirectory(atPath: place.reports.string, withIntermediateDirectories: true)
    try place.folder.write(lines + Array("{\"key\": cut\n".utf8), as: "reports/part-0.ndjson")
    try place.folder.write([], as: "reports/_SUCCESS")
    try place.folder.write(Array("x".utf8), as: "reports/.part-0.crc")

    let inputs = try AnswerFiles.named(place.reports) { Issue.record("\($0) is unfinished") }
    #expect(inputs.map(\.name) == [place.reports.appending("part-0.ndjson").string])
    var refused: [Int] = []
    let merge = AnswerMerge(inputs, into: place.database, kinds: BuiltInAnalyzers.all)
    let first = try merge.perform { if case .refused(_, let line, _) = $0 { refused.append(line) } }
    #expect(refused == [3])
    #expect(first.status == .filesFailed && first.counts.merged == 2 && first.refused == 1)
    #expect(first.digest.failures.map(\.code) == ["unknown_format"])
    #expect(try place.store().record(at: path)?.fingerprint != nil)
    let second = try merge.perform { _ in }
    #expect(second.counts.merged == 0 && second.counts.unchanged == 2)
    #expect(
      second.text == "3 lines: 0 merged, 2 known before, 0 older than what is known, 0 without a file, 1 left out")

    // A run finds them already analyzed.
    let (run, _) = try await place.run(try place.analysis())
    #expect(run.run.totals.cached == 1 && run.run.totals.failed == 1 && run.status == .fine)
  }

  /// Parquet files in the form of the Spark job.
  @Test func answersInParquetAreMerged() async throws {
    let place = try Workplace()
    let paths = try (1...3).map { try place.put(sound(UInt64($0)), as: "\($0).wav") }
    let lines = try await answers(place, paths).split(separator: 0x0A)
    let folder = place.folder.file("answers")
    try folder.makeFolder()
    let table = try ParquetFile(
      folder.appending("part-00000.parquet"), [ParquetColumn("answer", .text, isRequired: true)], groupRows: 2,
      program: "test")
    // An empty cell is a file without an answer.
    for line in lines + [[]] { try table.append([.text(String(decoding: line, as: UTF8.self))]) }
    try table.append([.text("{cut")])
    try table.finish()
    _ = try ExportFile.commit([table.file])
    let merge = AnswerMerge(
      try AnswerFiles.named(folder) { _ in }, into: place.database, kinds: BuiltInAnalyzers.all)
    let outcome = try merge.perform { _ in }
    #expect(outcome.counts.merged == 3 && outcome.refused == 1)
    #expect(try merge.perform { _ in }.counts.unchanged == 3)
    #expect(try await place.run(try place.analysis()).outcome.run.totals.cached == 3)

    try place.folder.write(Array("PAR1 and no more".utf8), as: "answers/part-00001.parquet")
    let damaged = AnswerMerge(
      try AnswerFiles.named(folder) { _ in }, into: place.database, kinds: BuiltInAnalyzers.all)
    #expect(throws: AnswerMergeError.self) { try damaged.perform { _ in } }
  }

  @Test func wrongNamesLeaveNothingBehind() throws {
    let place = try Workplace()
    #expect(throws: AnswerMergeError.self) { try AnswerFiles.named(place.folder.file("none")) { _ in } }
    #expect(throws: AnswerMergeError.self) {
      try AnswerMerge([], into: place.database, kinds: BuiltInAnalyzers.all).perform { _ in }
    }
    #expect(
      Set(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string)) == ["library", "results"])
    var unfinished: [FilePath] = []
    try FileManager.default.createDirectory(
      atPath: place.folder.file("job/_temporary").string, withIntermediateDirectories: true)
    let files = try AnswerFiles.named(place.folder.file("job")) { unfinished.append($0) }
    #expect(files.isEmpty && unfinished == [place.folder.file("job/_temporary")])
  }

  @Test func namesThatAreNotUTF8AreFound() throws {
    let folder = try TemporaryDirectory()
    let below = folder.path.pushing(FilePath(bytes: [0xE9]))
    let odd = below.pushing(FilePath(bytes: [UInt8(ascii: "p"), 0xFF]))
    try below.makeFolder()
    try FileReplacement.write([], to: odd)
    let files = try AnswerFiles.named(folder.path) { _ in }
    guard case .file(odd)? = files.first, files.count == 1 else {
      Issue.record("\(files)")
      return
    }
  }

  @Test func newFailuresAndNewDamageAddUp() async throws {
    let place = try Workplace()
    let bad = try place.put([UInt8](repeating: 7, count: 900), as: "bad.mp3")
    let cut = try place.put(Array(sound(1).dropLast(20_000)), as: "cut.wav")
    let file = try place.folder.write(try await answers(place, [bad, cut]), as: "answers.ndjson")
    let merge = AnswerMerge([.file(file)], into: place.database, kinds: BuiltInAnalyzers.all)
    let first = try merge.perform { _ in }
    #expect(first.status == .filesFailed && first.refused == 0)
    #expect(first.digest.failures.count == 1 && first.digest.damage.count == 1)
    #expect(first.digest.knownFailures == 0 && first.digest.knownDamaged == 0)
    let second = try merge.perform { _ in }
    #expect(second.status == .fine && !second.digest.hasNews)
    #expect(second.digest.knownFailures == 1 && second.digest.knownDamaged == 1)

    var outcome = second
    (outcome.counts.merged, outcome.counts.unchanged, outcome.counts.outdated) = (1, 20, 300)
    (outcome.withoutFile, outcome.refused) = (4000, 50_000)
    #expect(outcome.text.hasPrefix("54321 lines: 1 merged, 20 known before, 300 older than what is known, 4000 "))
  }

  @Test func aRefusedLineIsAFailure() async throws {
    let place = try Workplace()
    let lines = try await answers(place, [try place.put(sound(1), as: "a.wav")])
    for (name, text, status) in [("fine", "", ExitStatus.fine), ("cut", "{\"key\": cut\n", .filesFailed)] {
      let file = try place.folder.write(lines + Array(text.utf8), as: name)
      let merge = AnswerMerge([.file(file)], into: place.database, kinds: BuiltInAnalyzers.all)
      #expect(try merge.perform { _ in }.status == status, "\(name)")
    }
  }

  @Test func aMergeMayBeStopped() async throws {
    let place = try Workplace()
    let lines = try await answers(place, [try place.put(sound(1), as: "a.wav")])
    let merge = AnswerMerge(
      [.file(try place.folder.write(lines, as: "answers"))], into: place.database, kinds: BuiltInAnalyzers.all)
    var wasStopped = false
    let outcome = try merge.perform(
      interruption: { wasStopped ? .interrupted : nil },
      report: { event in
        guard case .begins(let control) = event else { return }
        control.requestStop()
        wasStopped = true
      })
    #expect(wasStopped && outcome.status == .interrupted && outcome.counts.merged == 0)
    #expect(try merge.perform { _ in }.counts.merged == 1)
  }

  @Test func foreignFilesAreRefusedBeforeAnythingIsMade() throws {
    let place = try Workplace()
    func complaint(_ text: String, into database: FilePath) throws -> String {
      let file = try place.folder.write(Array(text.utf8), as: "foreign")
      do {
        _ = try AnswerMerge([.file(file)], into: database, kinds: BuiltInAnalyzers.all).perform { _ in }
        return "none"
      } catch { return "\(error)" }
    }
    let one = try complaint("hello\n", into: place.database)
    #expect(one.contains("its only line is not an answer") && one.contains(" Nothing was merged"), "\(one)")
    let two = try complaint("hello\nworld\n", into: place.database)
    #expect(two.contains("none of its first 2 lines is an answer"), "\(two)")
    #expect(!place.database.exists)
    // A folder that is missing may be on a drive that is not mounted.
    let database = place.folder.file("none/library.sqlite")
    #expect {
      try AnswerMerge(
        [.file(try place.folder.write([], as: "empty"))], into: database, kinds: BuiltInAnalyzers.all
      ).perform { _ in }
    } throws: { error in
      if case .noFolder? = error as? StoreError { true } else { false }
    }
    #expect(!database.removingLastComponent().exists)
  }

  /// A pipe can be checked only while it is read, when earlier files have been merged.
  @Test(arguments: [false, true]) func aForeignPipeSaysWhetherAnythingWasMerged(isFirst: Bool) async throws {
    let place = try Workplace()
    let lines = try await answers(place, [try place.put(sound(1), as: "a.wav")])
    let pipe = place.folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let first = isFirst ? [] : [AnswerFiles.file(try place.folder.write(lines, as: "answers"))]
    let merge = AnswerMerge(first + [.file(pipe)], into: place.database, kinds: BuiltInAnalyzers.all)
    Thread.detachNewThread { try? Data("hello\nworld\n".utf8).write(to: URL(filePath: pipe.string)) }
    #expect { try merge.perform { _ in } } throws: { error in
      "\(error)".contains(isFirst ? " Nothing was merged" : " Nothing more was merged")
    }
  }

  @Test func filesOfEnginesAreLeftOut() throws {
    let folder = try TemporaryDirectory()
    for name in ["sub/_hidden", "sub/.hidden", "_temporary"] { try folder.file(name).makeFolder() }
    for name in ["part-0", "sub/part-1", "sub/_SUCCESS", "sub/.part-1.crc", "sub/_hidden/x", "sub/.hidden/x"] {
      try folder.write([], as: name)
    }
    var unfinished: [FilePath] = []
    let files = try AnswerFiles.named(folder.path) { unfinished.append($0) }
    #expect(Set(files.map(\.name)) == Set(["part-0", "sub/part-1"].map { folder.file($0).string }))
    #expect(unfinished == [folder.file("_temporary")])
    #expect(try AnswerFiles.named(folder.file("_temporary")) { unfinished.append($0) }.isEmpty)
    #expect(unfinished.count == 2)
    #expect(try AnswerFiles.named(folder.file("part-0")) { unfinished.append($0) }.count == 1)
  }
}
