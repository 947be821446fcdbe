import Analysis
import AnalysisTesting
import Foundation
import Records
import SystemPackage
import Testing

@testable import Exports

/// Data sent to AcoustID: forms, their halves, and the tracks in them.
@Suite(.bounded) struct AcoustIDTests {
  private func form(_ count: Int) -> AcoustIDForm {
    var form = AcoustIDForm(common: [("format", "json"), ("meta", "recordings tracks")])
    for number in 0..<count {
      form.append(AcoustIDForm.fields([("duration", "\(number + 1)"), ("track", "A & b = c%\n\(number) é")]))
    }
    return form
  }

  private func record(
    duration: Double = 200, covered: Double = 120, status: FileRecord.Status = .ok, tags: [String: [String]]
  ) -> FileRecord {
    let format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: 1_000, channelCount: 2, bitRate: 812_345, isLossless: true,
      frameCount: Int64(duration * 1_000))
    var finding = TagFinding()
    finding.fields = tags
    var record = FileRecord(path: "/music/a.flac", status: status, format: format, tags: finding)
    record.findings.append(FingerprintFinding(algorithm: "chromaprint-2", duration: covered, value: "AQAAx"))
    return record
  }

  @Test func formsAreOneLineOfEncodedFields() {
    let text = form(2).text
    #expect(
      text
        == "format=json&meta=recordings+tracks&duration.0=1&track.0=A+%26+b+%3D+c%25%0A0+%C3%A9"
        + "&duration.1=2&track.1=A+%26+b+%3D+c%25%0A1+%C3%A9")
    #expect(AcoustIDForm(text: text).text == text && form(2).size >= text.utf8.count)
  }

  @Test(arguments: [2, 3, 20, 21]) func halvesHaveAllFingerprintsOnce(count: Int) throws {
    let whole = AcoustIDForm(text: form(count).text)
    let (first, second) = try #require(whole.halves)
    #expect(first.entries + second.entries == whole.entries && abs(first.entries.count - second.entries.count) <= 1)
    #expect(second.text.hasPrefix("format=json&meta=recordings+tracks&duration.0=\(first.entries.count + 1)&"))
    #expect(form(1).halves == nil && form(0).halves == nil)
  }

  @Test func listsKeepTheirLimits() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("list.txt")
    let long = String(repeating: "x", count: 90_000)
    var list = AcoustIDList(try ExportFile(path), common: [("format", "json")])
    var places: [AcoustIDList.Location] = []
    for _ in 0..<30 { places.append(try list.append([("fingerprint", long)])) }
    try list.finish()
    try list.file.commit()
    let lines = try String(contentsOfFile: path.string, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.utf8.count <= AcoustIDList.maxRequestBytes })
    #expect(places.map(\.line).last == 3 && places[10].index == 10 && places[11].index == 0)
    #expect(lines.map { AcoustIDForm(text: $0).entries.count } == [11, 11, 8])
  }

  @Test func tracksAreSubmittedOnlyWhole() {
    let id = "F89F3D95-09E2-4DC9-8C9E-4D3C2F4D7C0A"
    let good = AcoustIDTrack(record(tags: ["musicbrainz_recordingid": [id, "no id"], "date": ["1999-03-01"]]))
    #expect(good.reason == nil && good.lookupFields?.map(\.1) == ["200", "AQAAx"])
    let fields = (good.submissionFields ?? []).map { "\($0)=\($1)" }
    #expect(
      fields == [
        "duration=200", "fingerprint=AQAAx", "bitrate=812", "fileformat=FLAC", "mbid=\(id.lowercased())", "year=1999",
      ])
    let names = ["title": ["T"], "artist": ["A", "B"]]
    #expect(AcoustIDTrack(record(tags: names)).submissionFields?.last?.1 == "A / B")
    #expect(AcoustIDTrack(record(duration: 60, covered: 60, tags: names)).reason == nil)
    for bad in [
      record(tags: ["title": ["T"]]), record(tags: [:]), record(status: .partial, tags: names),
      record(covered: 60, tags: names), record(covered: 200, tags: names),
    ] {
      let track = AcoustIDTrack(bad)
      #expect(
        track.lookupFields != nil && track.submissionFields == nil && track.reason?.hasPrefix("not submitted") == true)
    }
    #expect(AcoustIDTrack(record(duration: 0.5, covered: 0.5, tags: names)).lookupFields == nil)
    #expect(AcoustIDTrack(record(duration: 40_000, tags: names)).lookupFields == nil)
  }

  @Test func keysComeFromTheEnvironmentOrAFile() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: ExportError.self) { try AcoustIDKeys(file: nil, environment: [:], needsUser: false) }
    let environment = [AcoustIDKeys.clientVariable: "a&b"]
    let client = try AcoustIDKeys(file: nil, environment: environment, needsUser: false)
    #expect(client.fields(isSubmission: false) == "client=a%26b&")
    #expect(throws: ExportError.self) { try AcoustIDKeys(file: nil, environment: environment, needsUser: true) }
    let path = folder.file("keys")
    try "client = one\n# note\nuser=two\n".write(toFile: path.string, atomically: true, encoding: .utf8)
    let both = try AcoustIDKeys(file: path, environment: environment, needsUser: true)
    #expect(both.fields(isSubmission: true) == "client=one&user=two&")
  }
}
