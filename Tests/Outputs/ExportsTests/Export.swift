import Analysis
import AnalysisTesting
import Exports
import Foundation
import Platform
import Records
import SystemPackage
import Testing

/// Track with values for all formats.
func track(_ path: FilePath = "/music/a/One.flac", bpm: Double? = 120) -> FileRecord {
  var format = AudioFormat(container: "flac", codec: "flac", sampleRate: 44_100, channelCount: 2, isLossless: true)
  format.frameCount = 44_100 * 60
  var tags = TagFinding()
  tags.fields = ["title": ["One & <two>"], "artist": ["Ä", "B"], "track": ["3"], "date": ["1999-01-02"]]
  var record = FileRecord(path: path, status: .ok, sizeBytes: 10_240, format: format, tags: tags)
  let beats = (0..<100).map { 0.5 + 0.5 * Double($0) }
  record.tempo =
    bpm == nil
    ? .none(reason: "no_pulse")
    : TempoFinding(
      bpm: bpm, confidence: 0.8, candidates: [.init(bpm: 120, weight: 0.6), .init(bpm: 60, weight: 0.2)],
      isStable: true, map: [.init(startSeconds: 0, bpm: 120)], beats: beats)
  return record
}

/// File written by a format for these records.
func exported(
  _ name: String, _ records: [FileRecord], options: [String: String] = [:], in folder: TemporaryDirectory
) throws -> String {
  let output = folder.path.appending("export-\(UInt32.random(in: 0 ... .max))")
  var writer = try ExportFormats.named(name)!.begin(
    ExportContext(output: output, program: "Nocturne 1.2.3", trackCount: 99, options: options))
  for record in records { try writer.append(record) }
  #expect(!output.exists)
  #expect(try writer.finish() == [output])
  return try String(contentsOfFile: output.string, encoding: .utf8)
}
