import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The program over `Fixtures/`, with the pipeline that users get, against `truth.csv`; and the reports that are kept in
/// the repository.
@Suite(.bounded) struct FixtureTests {
  private static let project = Repository.url()
  private static let fixtures = project.appending(path: "Fixtures")

  /// A row of `truth.csv`; what is nil is unknown or does not apply.
  private struct Truth {
    var name: String
    var statuses: [String]
    var bpm: Double?
    var durationInSeconds: Double?
    var sampleRate: Int?
    var channels: Int?
  }

  private static func truth() throws -> [Truth] {
    let text = try String(contentsOf: fixtures.appending(path: "truth.csv"), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map { row in
      let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Truth(
        name: URL(filePath: cells[0]).lastPathComponent, statuses: cells[1].components(separatedBy: "|"),
        bpm: Double(cells[2]), durationInSeconds: Double(cells[3]), sampleRate: Int(cells[4]), channels: Int(cells[5]))
    }
  }

  /// Broken fixtures are left out by `.nocturneignore`, so every file is named.
  @Test func everyFixtureIsWhatItsTruthSays() throws {
    let truth = try Self.truth()
    let folders = ["signals", "broken", "music"].map { Self.fixtures.appending(path: $0) }
    let files = try folders.flatMap {
      try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    let made = files.filter { $0.deletingLastPathComponent().lastPathComponent != "music" }
    #expect(Set(made.map(\.lastPathComponent)) == Set(truth.map(\.name)))

    let place = try Workplace()
    let outcome = try place.run(
      "--fail-on", "never", paths: files.map { Argument(FilePath($0.path)) }, pipeline: "default")
    #expect(outcome.status == 0)
    #expect(outcome.files.count == files.count)
    for file in files where !made.contains(file) {
      #expect(outcome.file(file.lastPathComponent)["status"] == "ok", "\(file.lastPathComponent)")
    }
    for truth in truth {
      let record = outcome.file(truth.name)
      let (status, format) = (record["status"].textValue, record["format"])
      #expect(truth.statuses.contains(status), "\(truth.name)")
      if status == "failed" { continue }
      if let rate = truth.sampleRate { #expect(format["sample_rate_hz"].intValue == rate, "\(truth.name)") }
      if let channels = truth.channels { #expect(format["channels"].intValue == channels, "\(truth.name)") }
      if let duration = truth.durationInSeconds {
        #expect(abs(format["duration_s"].numberValue - duration) <= 0.001, "\(truth.name)")
      }
      if let bpm = truth.bpm {
        #expect(abs(record["tempo"]["bpm"].numberValue - bpm) <= 0.05, "\(truth.name)")
      } else if truth.name != "clicks-100-to-140.flac" {
        #expect(record["tempo"]["bpm"] == .null, "\(truth.name)")
        #expect(record["tempo"]["reason"].textValue != "", "\(truth.name)")
      }
    }
  }

  /// The samples in `reports/sample/` are what the program writes now: same schemas, same versions of analyzers.
  @Test func samplesAreOfThisVersion() throws {
    let schemas = Self.project.appending(path: "reports/schema")
    let samples = Self.project.appending(path: "reports/sample")
    let validator = try SchemaValidator(
      String(contentsOf: schemas.appending(path: "nocturne.report.v1.schema.json"), encoding: .utf8))
    let sample = try Data(contentsOf: samples.appending(path: "report.json"))
    #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: sample)) == [])

    let place = try Workplace()
    try place.put([UInt8](Data(contentsOf: Self.fixtures.appending(path: "music/hunting.flac"))), as: "hunting.flac")
    let outcome = try place.run(pipeline: "default")
    let stale: Comment = "reports/sample/ is out of date: run `make samples`"
    let records = try JSONValue(parsing: [UInt8](sample))["files"].elements
    let record = records.first { $0["path"] == "/music/hunting.flac" } ?? .null
    #expect(record["id"] == outcome.file("hunting.flac")["id"], stale)
    #expect(record["analyzers"] == outcome.file("hunting.flac")["analyzers"], stale)
    let lines = try String(contentsOf: samples.appending(path: "report.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(try lines.map { try JSONValue(parsing: [UInt8]($0.utf8)) } == records)
  }
}
