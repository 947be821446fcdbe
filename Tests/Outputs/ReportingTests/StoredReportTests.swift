import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Testing
import Text

/// From analyses through a store to a report.
@Suite(.bounded) struct StoredReportTests {
  private static let ids = ["chromaprint", "mood", "signature", "tags", "tempo"].map {
    AnalyzerIdentity(id: $0, version: 1, digest: "d")
  }

  private func analysis(_ index: Int) -> FileAnalysis {
    let source = Samples.full
    let seconds = Double(index) / 7
    var tempo = source.tempo ?? .none(reason: "")
    tempo.bpm = 120 + seconds
    tempo.candidates[1].bpm = 60 + seconds
    tempo.beats = (0..<50).map { seconds + Double($0) / 3 }
    return FileAnalysis(
      status: index % 3 == 0 ? .partial : .ok, problem: index % 3 == 0 ? source.problem : nil, remarks: source.remarks,
      contentID: ContentID(high: 1, low: UInt64(index)), format: source.format,
      outcomes: [
        AnalyzerOutcome(analyzer: Self.ids[4], result: .finding(tempo)),
        AnalyzerOutcome(
          analyzer: Self.ids[1],
          result: index % 2 == 0 ? .failed("No model.") : .finding(JSONFinding(.object(["x": .number(seconds)])))),
        AnalyzerOutcome(analyzer: Self.ids[3], result: .finding(source.tags ?? TagFinding())),
        AnalyzerOutcome(
          analyzer: Self.ids[0],
          result: .finding(FingerprintFinding(algorithm: "chromaprint-2", duration: 100 + seconds, value: "AQ\(index)"))
        ),
        AnalyzerOutcome(
          analyzer: Self.ids[2], result: .finding(SignatureFinding(version: 1, landmarkCount: index, data: [1]))),
      ])
  }

  /// A line is the same whether written from the analysis or from the store, whatever the order and batches in which
  /// results were stored.
  @Test func linesDoNotDependOnTheWayTheyTook() throws {
    let count = 40
    let paths = (0..<count).map { FilePath("/music/\($0) ü\n.flac") }
    let modified = Timestamp(nanoseconds: 1_600_000_000_000_000_001)
    let options = Samples.everything
    let direct = (0..<count).map { index in
      ReportWriter.ndjsonLine(
        for: FileRecord(
          path: paths[index], sizeBytes: Int64(index), modified: modified, analyzed: modified, analysis: analysis(index)
        ),
        options: options)
    }
    let wanted = WantedAnalyses(
      members: Self.ids.map { WantedAnalyses.Member(identity: $0, readsAudio: $0.id != "tags") }, decoderVersion: 1)

    var random = SplitMix64.fresh()
    for batchSize in [1, 7, 40] {
      let folder = NSTemporaryDirectory() + "/nocturne-report-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let store = try ResultStore(path: FilePath(folder).appending("library.sqlite"), findings: Samples.findings)
      let run = try store.beginRun(
        programVersion: "1", pipeline: "p", configuration: .null, configurationDigest: "", analyzers: Self.ids,
        roots: [])
      let scan = ScanSession(store: store, run: run, wanted: wanted) { _ in true }
      _ = try scan.classify(
        paths.enumerated().map { index, path in
          FileStamp(path: path, device: 1, inode: UInt64(index), sizeBytes: Int64(index), modified: modified)
        })
      let files = try scan.makePendingQueue().next(limit: count).shuffled(using: &random)
      let writer = ResultWriter(store: store, run: run, wanted: wanted)
      for start in stride(from: 0, to: count, by: batchSize) {
        try writer.commit(
          files[start..<min(count, start + batchSize)].map { file in
            FileResult(fileID: file.fileID, analysis: analysis(Int(file.sizeBytes)), analyzed: modified)
          })
      }
      var lines: [[UInt8]] = []
      try store.forEachRecord(RecordSelection(long: ["beats", "lyrics", "chapters"])) {
        lines.append(ReportWriter.ndjsonLine(for: $0, options: options))
      }
      #expect(lines.count == count)
      #expect(Set(lines) == Set(direct))
    }
  }
}
