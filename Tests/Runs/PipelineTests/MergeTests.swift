import Analysis
import AnalysisTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import Pipeline

/// Lines of workers on their way into a store.
@Suite(.bounded) struct MergeTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let control = RunControl()

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
  }

  private func merge() -> Merge {
    Merge(merger: ResultMerger(store: store, programVersion: "1"), kinds: [], control: control)
  }

  /// The answer for a file that an imaginary pipeline has analyzed. Pipelines differ in the version of their decoders,
  /// which is stored with each file.
  private static func line(_ file: Int, pipeline: Int = 1) -> String {
    #"{"schema":"nocturne.worker","version":1,"status":"ok","file":{"uri":"file:///music/\#(file).wav"},"#
      + #""analyzed_ns":5,"stamp":{"device":"9","inode":"\#(file)","size_bytes":1000,"modified_ns":5},"#
      + #""pipeline":{"name":"p\#(pipeline)","configuration_digest":"d\#(pipeline)","decoder_version":\#(pipeline),"#
      + #""analyzers":[]},"#
      + #""analysis":{"status":"ok","remarks":[],"reuses_known_audio":false,"outcomes":[]}}"#
  }

  /// A source of these lines. `onAsk` is called before each line with the number of lines delivered so far.
  private static func source(
    _ lines: [String], onAsk: @escaping (Int, _ shouldContinue: () throws -> Bool) throws -> Void = { _, _ in }
  ) -> (() throws -> Bool) throws -> LineReader.Line? {
    var given = 0
    return { shouldContinue in
      try onAsk(given, shouldContinue)
      guard given < lines.count else { return nil }
      given += 1
      return .text(Array(lines[given - 1].utf8))
    }
  }

  private func decoderVersion(_ file: Int) throws -> Int? {
    try store.history(at: FilePath("/music/\(file).wav"))?.decoderVersion
  }

  private func read(_ merge: Merge, _ lines: [String]) throws {
    try merge.read(Self.source(lines)) { Issue.record("line \($0) is rejected: \($1)") }
  }

  // MARK: - Origins

  /// Several workers with different pipelines may write to one pipe.
  @Test func everyRecordIsStoredUnderItsOwnPipeline() throws {
    var random = SplitMix64.fresh()
    let pipelines = (0..<90).map { _ in Int.random(in: 1...3, using: &random) }
    let merge = merge()
    try read(merge, pipelines.enumerated().map { Self.line($0, pipeline: $1) })
    #expect(merge.counts.merged == pipelines.count)
    let found = try pipelines.indices.map { try decoderVersion($0) }
    #expect(found == pipelines)
    // The run has the name of the pipeline of the first line.
    _ = try merge.finish { _ in 0 }
    let run = try #require(try store.latestRun())
    #expect(run.pipeline == "p\(pipelines[0])" && run.configurationDigest == "d\(pipelines[0])")
    #expect(run.state == .finished && run.totals == RunTotals(analyzed: pipelines.count))
  }

  /// Lines of several workers arrive interleaved and in any order. The last analysis of each file is what stays.
  @Test func theOrderOfLinesDoesNotMatter() throws {
    var random = SplitMix64.fresh()
    // Two pipelines answer for the same files; the second one was later.
    let early = (0..<12).map { Self.line($0, pipeline: 1) }
    let late = (0..<12).map { Self.line($0, pipeline: 2).replacing(#""analyzed_ns":5"#, with: #""analyzed_ns":6"#) }
    for round in 0..<6 {
      let folder = try TemporaryDirectory()
      let store = try ResultStore(path: folder.file("results.sqlite"), findings: [])
      let merge = Merge(merger: ResultMerger(store: store, programVersion: "1"), kinds: [], control: control)
      let lines = (early + late).shuffled(using: &random)
      try read(merge, round == 0 ? late + early : lines)
      let versions = try (0..<12).map { try store.history(at: FilePath("/music/\($0).wav"))?.decoderVersion }
      #expect(versions == Array(repeating: 2, count: 12))
      let counts = merge.counts
      #expect(counts.merged + counts.unchanged + counts.outdated == 24 && counts.merged >= 12)
      let ending = try merge.finish { _ in 0 }
      #expect(ending.totals == RunTotals(analyzed: 12))
    }
  }

  /// A merge that was interrupted is continued by merging everything again.
  @Test(arguments: 0...5) func interruptedMergesGoOn(stop: Int) throws {
    let lines = (0..<6).map { Self.line($0, pipeline: 1 + $0 % 2) }
    let merge = merge()
    try merge.read(
      Self.source(lines) { given, _ in if given == stop { control.requestStop() } }
    ) { _, _ in }
    let kept = stop + 1
    #expect(merge.counts.merged == kept)
    #expect(try merge.finish { _ in 4 }.totals == RunTotals(analyzed: kept))
    #expect(try store.latestRun()?.state == .interrupted && store.latestRun()?.exitStatus == 4)
    let again = Merge(merger: ResultMerger(store: store, programVersion: "1"), kinds: [], control: RunControl())
    try read(again, lines)
    #expect(again.counts.merged == 6 - kept && again.counts.unchanged == kept)
    // A merge that changes nothing is not recorded.
    let run = try again.finish { _ in 0 }.run
    #expect((run == nil) == (kept == 6))
    #expect(try (0..<6).map { try decoderVersion($0) } == [1, 2, 1, 2, 1, 2])
  }

  /// A change of the pipeline commits the lines before it, and only those.
  @Test func aNewPipelineBeginsANewBatch() throws {
    let merge = merge()
    var committed: [Int] = []
    let lines = [(0, 1), (1, 1), (2, 2), (3, 1), (4, 1)].map { Self.line($0, pipeline: $1) }
    try merge.read(Self.source(lines) { _, _ in committed.append(merge.counts.merged) }) { _, _ in }
    #expect(committed == [0, 0, 0, 2, 3, 3])
    #expect(merge.counts.merged == 5)
    #expect(try (0..<5).map { try decoderVersion($0) } == [1, 1, 2, 1, 1])
  }

  // MARK: - Batches

  @Test func aBatchHas200Lines() throws {
    let merge = merge()
    var committed: [Int: Int] = [:]
    try merge.read(
      Self.source((0..<401).map { Self.line($0) }) { given, _ in
        if [199, 200, 201, 399, 400, 401].contains(given) { committed[given] = merge.counts.merged }
      }
    ) { _, _ in }
    #expect(committed == [199: 0, 200: 200, 201: 200, 399: 200, 400: 400, 401: 400])
    #expect(merge.counts.merged == 401)
  }

  @Test func aBatchHasALimitedSize() throws {
    let line = Self.line(0)
    for (size, expected) in [(3 * line.utf8.count, [0, 0, 0, 3]), (3 * line.utf8.count + 1, [0, 0, 0, 0])] {
      let merge = merge()
      merge.maxBatchBytes = size
      var committed: [Int] = []
      // Files with names of one length; the second round finds them unchanged.
      try merge.read(
        Self.source((1...3).map { Self.line($0) }) { _, _ in
          committed.append(merge.counts.merged + merge.counts.unchanged)
        }
      ) { _, _ in }
      #expect(committed == expected)
      #expect(merge.counts.merged + merge.counts.unchanged == 3)
    }
    #expect(merge().maxBatchBytes == 16 << 20)
    // The sum of a batch begins again with the next one.
    let merge = merge()
    merge.maxBatchBytes = 2 * line.utf8.count
    var committed: [Int] = []
    try merge.read(
      Self.source((4...8).map { Self.line($0) }) { _, _ in committed.append(merge.counts.merged) }
    ) { _, _ in }
    #expect(committed == [0, 0, 2, 2, 4, 4])
    // It begins at nothing: the next batch holds as much as the first one.
    let exact = self.merge()
    exact.maxBatchBytes = 2 * line.utf8.count + 1
    committed = []
    // Names with as many digits as before.
    try exact.read(
      Self.source([9, 4, 5, 6, 7, 8].map { Self.line($0) }) { _, _ in
        committed.append(exact.counts.merged + exact.counts.unchanged)
      }
    ) { _, _ in }
    #expect(committed == [0, 0, 0, 3, 3, 3, 6])
  }

  /// Waiting for the next line commits only after a second.
  @Test func waitingBrieflyCommitsNothing() throws {
    let started = ContinuousClock.now
    let merge = merge()
    try merge.read(
      Self.source([Self.line(0), Self.line(1)]) { _, shouldContinue in
        let goesOn = try shouldContinue()
        let committed = merge.counts.merged
        // On a busy machine, a second may pass.
        #expect(goesOn && (committed == 0 || ContinuousClock.now - started > .seconds(1)))
      }
    ) { _, _ in }
    #expect(merge.counts.merged == 2)
  }

  /// A worker that is slow does not keep the results of others from being stored.
  @Test func waitingLongCommits() throws {
    #expect(merge().maxBatchAge == .seconds(1))
    for (age, expected) in [(Duration.zero, [0, 1, 2]), (.seconds(3_600), [0, 0, 0])] {
      let merge = merge()
      merge.maxBatchAge = age
      var committed: [Int] = []
      try merge.read(
        Self.source([Self.line(0), Self.line(1)]) { _, shouldContinue in
          let goesOn = try shouldContinue()
          #expect(goesOn)
          committed.append(merge.counts.merged + merge.counts.unchanged)
        }
      ) { _, _ in }
      #expect(committed == expected)
    }
  }

  // MARK: - Stops

  /// Lines that were read before the stop are stored, and no more are read.
  @Test func aStopKeepsWhatWasRead() throws {
    let merge = merge()
    var asked = 0
    try merge.read(
      Self.source((0..<9).map { Self.line($0) }) { given, shouldContinue in
        asked += 1
        if given == 2 {
          control.requestStop()
          let goesOn = try shouldContinue()
          #expect(!goesOn)
        }
      }
    ) { _, _ in }
    #expect(asked == 3 && merge.counts.merged == 3)
    _ = try merge.finish { _ in 0 }
    #expect(try store.latestRun()?.state == .interrupted)
    // Nothing is read after a stop.
    try merge.read(Self.source([Self.line(20)]) { _, _ in asked += 1 }) { _, _ in }
    #expect(asked == 3)
  }

  // MARK: - Rejected lines

  @Test func rejectedLinesHaveTheirNumbers() throws {
    let newer = Self.line(1).replacing(#""version":1"#, with: #""version":2"#)
    let foreign = Self.line(1).replacing("nocturne.worker", with: "something")
    let unnamed = Self.line(1).replacing("file:///music", with: "tape://music")
    let negative = Self.line(1).replacing(#""size_bytes":1000"#, with: #""size_bytes":-1"#)
    let lines = [
      Self.line(0), "{cut", "", Self.line(1), newer, foreign, "", unnamed, negative, Self.line(2), "[]",
    ]
    let path = try folder.write(Array(lines.joined(separator: "\n").utf8), as: "lines")
    let merge = merge()
    for _ in 0..<2 {
      let file = try FileDescriptor.open(path, .readOnly)
      defer { try? file.close() }
      var rejected: [Int: String] = [:]
      try merge.read(file) { rejected[$0] = $1 }
      // Numbers begin at 1 for each file, and empty lines have numbers, too.
      #expect(rejected.keys.sorted() == [2, 5, 6, 8, 9, 11])
      #expect(rejected[2] == "it is not JSON; it may be cut")
      #expect(rejected[5] == "it was written by a newer version of this program")
      #expect(rejected[6] == "it was not written by analyze worker (schema something)")
      #expect(rejected[8]?.hasPrefix("its uri does not name a file: tape://music") == true)
      #expect(rejected[9] == "its stamp is invalid")
      #expect(rejected[11]?.hasPrefix("it does not follow the schema: ") == true)
    }
    #expect(merge.counts.merged == 3 && merge.counts.unchanged == 3 && merge.withoutFile == 0)
  }

  @Test func linesThatAreTooLongAreRejected() throws {
    let merge = merge()
    var lines: [LineReader.Line] = [.text(Array(Self.line(0).utf8)), .tooLong([0x7B]), .text([]), .tooLong([0x7B])]
    var rejected: [Int] = []
    func next(_ shouldContinue: () throws -> Bool) -> LineReader.Line? { lines.isEmpty ? nil : lines.removeFirst() }
    try merge.read(next) { number, reason in
      rejected.append(number)
      #expect(reason == "it is longer than \(2 * WorkerMessage.lineLimit) bytes")
    }
    #expect(rejected == [2, 4] && merge.counts.merged == 1)
  }

  /// Lines without a file are counted, not rejected, and do not end a batch.
  @Test func linesWithoutAFileAreCounted() throws {
    let merge = merge()
    let unopened = #""stamp":null,"pipeline":{"name":"p2","configuration_digest":"d2","decoder_version":2}}"#
    let head = #"{"schema":"nocturne.worker","version":1,"status":"failed","analyzed_ns":5,"#
    var committed: [Int] = []
    try merge.read(
      Self.source([
        Self.line(0), head + #""file":null,"# + unopened,
        head + #""file":{"uri":"file:///music/gone.wav"},"# + unopened, Self.line(1),
      ]) { _, _ in committed.append(merge.counts.merged) }
    ) { Issue.record("line \($0) is rejected: \($1)") }
    #expect(merge.withoutFile == 2 && committed == [0, 0, 0, 0, 0] && merge.counts.merged == 2)
    #expect(try decoderVersion(1) == 1)
  }
}
