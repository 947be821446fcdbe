import Analysis
import AnalysisEngine
import Records
import Text
import BuiltInAnalyzers
import Foundation
import SystemPackage

@testable import Pipeline
@testable import Reporting
@testable import ResultStore

/// Lines between a run and its workers. What a worker says it has found goes on into a database, a record and reports.
struct MessageTarget: FuzzTarget {
  static let name = "messages"

  static func seeds() throws -> [[UInt8]] {
    let known = KnownAudio(
      decodingID: ContentID(high: 1, low: 2), analyzers: [SampleResult.tempo], format: SampleResult.format)
    let job = AnalysisJob(path: "/a", analyzers: ["tempo"], knownAudio: [known], timeLimit: .standard)
    let messages = [
      WorkerMessage.ready, .stage(.decode), .decoded(10), .audio(ContentID(high: 3, low: 4)),
      .result(SampleResult.analysis),
    ]
    return try [WorkerLine.encoded(job), WorkerLine.encoded(known)] + messages.map { try WorkerLine.encoded($0) }
  }

  private let folder: ScratchFolder
  private let store: SampleStore
  private let userInfo = WorkerLine.userInfo(BuiltInAnalyzers.all)

  init() throws {
    folder = try ScratchFolder()
    store = try SampleStore(at: folder.path.appending("messages.sqlite"))
  }

  func run(_ bytes: [UInt8]) throws {
    if let job = try? WorkerLine.decoded(bytes, as: AnalysisJob.self) { _ = try WorkerLine.encoded(job) }
    if let known = try? WorkerLine.decoded(bytes, as: KnownAudio?.self) { _ = try WorkerLine.encoded(known) }
    guard case .result(let analysis) = try WorkerLine.decoded(bytes, as: WorkerMessage.self, userInfo: userInfo) else {
      return
    }
    do {
      try store.writer.commit([FileResult(fileID: store.fileID, analysis: analysis)])
    } catch {
      fatalError("a result cannot be stored: \(error)")
    }
    guard let record = try store.store.record(at: store.file, long: ["beats"]) else {
      fatalError("a stored result cannot be read")
    }
    checkReports(of: record)
  }
}

/// Every report of a record is what its format says.
func checkReports(of record: FileRecord, run: RunRecord? = nil) {
  let options = ReportOptions(findings: BuiltInAnalyzers.findings, long: ["beats"])
  let line = ReportWriter.ndjsonLine(for: record, options: options)
  do {
    _ = try JSONValue(parsing: line)
  } catch {
    fatalError("a report is \(error): \(String(decoding: line, as: UTF8.self))")
  }
  do {
    for format in ReportFormat.allCases {
      let writer = try ReportWriter(format, to: .file("/dev/null"), options: options, run: run)
      try writer.append(record)
      try writer.finish()
    }
  } catch {
    fatalError("a report cannot be written: \(error)")
  }
}
