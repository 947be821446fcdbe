import AudioAnalysis
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
    let encoder = JSONEncoder()
    let known = Pipeline.KnownAudio(
      contentID: ContentID(high: 1, low: 2), analyzers: [SampleResult.tempo], format: SampleResult.format)
    let job = AnalysisJob(path: "/a", analyzers: ["tempo"], knownAudio: [known], timeLimit: 2)
    let messages = [WorkerMessage.stage(.decode), .audio(ContentID(high: 3, low: 4)), .result(SampleResult.analysis)]
    return try [encoder.line(job), encoder.line(known)] + messages.map { try encoder.line($0) }
  }

  private let folder: ScratchFolder
  private let store: SampleStore
  private let decoder = JSONDecoder()

  init() throws {
    folder = try ScratchFolder()
    store = try SampleStore(at: folder.path.appending("messages.sqlite"))
    var types: [String: any AnalysisFinding.Type] = [:]
    for kind in BuiltInAnalyzers.all { types[kind.id] = kind.findingType }
    if let key = CodingUserInfoKey.findingTypes { decoder.userInfo[key] = types }
  }

  func run(_ bytes: [UInt8]) throws {
    let data = Data(bytes)
    if let job = try? decoder.decode(AnalysisJob.self, from: data) { _ = try JSONEncoder().line(job) }
    if let known = try? decoder.decode(Pipeline.KnownAudio?.self, from: data) { _ = try JSONEncoder().line(known) }
    guard case .result(let analysis) = try decoder.decode(WorkerMessage.self, from: data) else { return }
    do {
      try store.writer.commit([FileResult(fileID: store.fileID, analysis: analysis)])
    } catch {
      fatalError("a result cannot be stored: \(error)")
    }
    guard let record = try store.store.record(at: store.file, includesBeats: true) else {
      fatalError("a stored result cannot be read")
    }
    checkReports(of: record)
  }
}

/// Every report of a record is what its format says.
func checkReports(of record: FileRecord, run: RunRecord? = nil) {
  let line = ReportWriter.ndjsonLine(for: record, options: ReportOptions(includesBeats: true))
  do {
    _ = try JSONValue(parsing: line)
  } catch {
    fatalError("a report is \(error): \(String(decoding: line, as: UTF8.self))")
  }
  do {
    for format in ReportFormat.allCases {
      let writer = try ReportWriter(format, to: .file("/dev/null"), run: run)
      try writer.append(record)
      try writer.finish()
    }
  } catch {
    fatalError("a report cannot be written: \(error)")
  }
}
