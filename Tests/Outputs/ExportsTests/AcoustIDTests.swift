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
    duration: Double = 200, covered: Double = 120, status: FileRecord.Status = .ok, bitRate: Int? = 812_345,
    algorithm: String = "chromaprint-2", value: String = "AQAAx", tags: [String: [String]]
  ) -> FileRecord {
    let format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: 1_000, channelCount: 2, bitRate: bitRate, isLossless: true,
      frameCount: Int64(duration * 1_000))
    var finding = TagFinding()
    finding.fields = tags
    var record = FileRecord(path: "/music/a.flac", status: status, format: format, tags: finding)
    record.findings.append(FingerprintFinding(algorithm: algorithm, duration: covered, value: value))
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

  // MARK: - Limits

  /// Fields that belong to no fingerprint are common; a number must follow the one before it.
  @Test func fieldsAreReadAsTheyWereWritten() {
    let form = AcoustIDForm(text: "m=1&x.0&y.0.z=2&w.1=9&track.0=a=b&album.0=&track.-1=q&n.1=5")
    #expect(form.text == "m=1&x.0&y.0.z=2&w.1=9&track.-1=q&track.0=a=b&album.0=&n.1=5")
    let first = [AcoustIDForm.Field(name: "track", value: "a=b"), AcoustIDForm.Field(name: "album", value: "")]
    #expect(form.entries == [first, [AcoustIDForm.Field(name: "n", value: "5")]])
    #expect(AcoustIDForm.size(of: AcoustIDForm.fields([("a", "bc"), ("def", "")])) == 3 + 9 + 3 + 9)
    #expect(AcoustIDForm(common: [("a", "b c")]).size == 5)
  }

  @Test func sizeOfHalves() throws {
    let (first, second) = try #require(form(5).halves)
    #expect(first.size == first.text.utf8.count && second.size == second.text.utf8.count)
    #expect(first.entries.count == 3)
  }

  @Test func listsKeepTheirCounts() throws {
    let folder = try TemporaryDirectory()
    #expect(AcoustIDList.lookupEntries == 20 && AcoustIDList.maxRequestBytes == 999_500)
    var list = AcoustIDList(try ExportFile(folder.file("list")), common: [("format", "json")], maxEntries: 2)
    let places = try (0..<5).map { try list.append([("duration", "\($0)")]) }
    try list.finish()
    try list.file.commit()
    #expect(places.map(\.line) == [1, 1, 2, 2, 3] && places.map(\.index) == [0, 1, 0, 1, 0])
    #expect(
      try String(contentsOfFile: folder.file("list").string, encoding: .utf8)
        == "format=json&duration.0=0&duration.1=1\nformat=json&duration.0=2&duration.1=3\nformat=json&duration.0=4\n")
  }

  /// A request of exactly the maximum size is one line. A list without fingerprints is empty.
  @Test(arguments: [(500_449, 1), (500_450, 2)])
  func sizeOfARequest(length: Int, line: Int) throws {
    let folder = try TemporaryDirectory()
    var list = AcoustIDList(try ExportFile(folder.file("list")), common: [("format", "json")])
    #expect(try list.append([("fingerprint", String(repeating: "x", count: 499_000))]).line == 1)
    #expect(try list.append([("fingerprint", String(repeating: "y", count: length))]).line == line)
    var empty = AcoustIDList(try ExportFile(folder.file("empty")), common: [("format", "json")])
    try empty.finish()
    try empty.file.commit()
    #expect(try String(contentsOfFile: folder.file("empty").string, encoding: .utf8) == "")
  }

  @Test(arguments: [(0.999, false), (1, true), (32_767.5, true), (32_768, false)])
  func durations(seconds: Double, isLookedUp: Bool) {
    let names = ["title": ["T"], "artist": ["A"]]
    let track = AcoustIDTrack(record(duration: seconds, covered: min(seconds, 120), tags: names))
    #expect((track.lookupFields != nil) == isLookedUp && (track.submissionFields != nil) == isLookedUp)
    #expect(track.reason == (isLookedUp ? nil : "no duration from 1 to 32767 s"))
  }

  @Test(arguments: [
    (119.625, false), (119.75, true), (120, true), (120.25, true), (120.375, false),
  ])
  func coverage(seconds: Double, isSubmitted: Bool) {
    let track = AcoustIDTrack(record(covered: seconds, tags: ["title": ["T"], "artist": ["A"]]))
    #expect((track.submissionFields != nil) == isSubmitted && track.lookupFields != nil)
  }

  @Test(arguments: [(nil, nil), (999, nil), (1_000, "1"), (1_499, "1"), (1_500, "2")] as [(Int?, String?)])
  func bitRates(rate: Int?, expected: String?) {
    let track = AcoustIDTrack(record(bitRate: rate, tags: ["title": ["T"], "artist": ["A"]]))
    #expect(track.submissionFields?.first { $0.0 == "bitrate" }?.1 == expected)
    #expect(track.submissionFields?.contains { $0 == ("fileformat", "FLAC") } == true)
  }

  @Test(arguments: [("chromaprint-1", "AQAAx"), ("chromaprint-2", "")])
  func otherFingerprintsAreNotSent(algorithm: String, value: String) {
    let track = AcoustIDTrack(
      record(algorithm: algorithm, value: value, tags: ["title": ["T"], "artist": ["A"]]))
    #expect(track.lookupFields == nil && track.submissionFields == nil && track.reason == "no fingerprint")
  }

  @Test(arguments: [
    ("f89f3d95-09e2-4dc9-8c9e-4d3c2f4d7c0a", true), ("f89f3d9-09e2-4dc9-8c9e-4d3c2f4d7c0a", false),
    ("f89f3d955-09e2-4dc9-8c9e-4d3c2f4d7c0a", false), ("f89f3d95-09e-4dc9-8c9e-4d3c2f4d7c0a", false),
    ("f89f3d95-09e22-4dc9-8c9e-4d3c2f4d7c0a", false), ("f89f3d95-09e2-4dc99-8c9e-4d3c2f4d7c0a", false),
    ("f89f3d95-09e2-4dc9-8c9ee-4d3c2f4d7c0a", false), ("f89f3d95-09e2-4dc9-8c9e-4d3c2f4d7c0ab", false),
    ("f89f3d95-09e2-4dc9-8c9e-4d3c2f4d7c0g", false), ("f89f3d95--09e2-4dc9-8c9e-4d3c2f4d7c0a", false),
  ])
  func recordingIDs(id: String, isOne: Bool) {
    let track = AcoustIDTrack(record(tags: ["musicbrainz_recordingid": [id]]))
    #expect(track.submissionFields?.contains { $0 == ("mbid", id) } == (isOne ? true : nil))
  }

  @Test func allNamesAreSubmitted() {
    let tags = [
      "title": ["T"], "artist": ["A"], "album": ["L"], "albumartist": ["B"], "date": ["1999"], "track": ["3"],
      "disc": ["2"],
    ]
    let fields = (AcoustIDTrack(record(tags: tags)).submissionFields ?? []).map { "\($0)=\($1)" }
    #expect(
      fields.dropFirst(4) == ["track=T", "artist=A", "album=L", "albumartist=B", "year=1999", "trackno=3", "discno=2"])
  }

  // MARK: - Keys

  @Test(arguments: [(65_536, true), (65_537, false)])
  func sizeOfAKeyFile(size: Int, isRead: Bool) throws {
    let folder = try TemporaryDirectory()
    let start = Array("client=one\nuser=a=b\n".utf8)
    let path = try folder.write(start + Array(repeating: UInt8(ascii: "#"), count: size - start.count), as: "keys")
    if isRead {
      let keys = try AcoustIDKeys(file: path, environment: [:], needsUser: true)
      #expect(keys.client == "one" && keys.user == "a=b")
    } else {
      #expect { try AcoustIDKeys(file: path, environment: [:], needsUser: true) } throws: {
        "\($0)".contains("\(path) cannot be read")
      }
    }
  }

  /// A shell may pass the keys through a pipe.
  @Test func keysFromAPipe() throws {
    let (reader, writer) = try FileDescriptor.pipe()
    try writer.closeAfter { _ = try writer.writeAll(Array("client=one\n".utf8)) }
    try reader.closeAfter {
      let keys = try AcoustIDKeys(file: FilePath("/dev/fd/\(reader.rawValue)"), environment: [:], needsUser: false)
      #expect(keys.client == "one" && keys.user == nil)
    }
  }

  @Test func emptyKeysAreMissing() throws {
    let client = [AcoustIDKeys.clientVariable: ""]
    #expect { try AcoustIDKeys(file: nil, environment: client, needsUser: false) } throws: {
      "\($0)".contains("requires an application key")
    }
    let user = [AcoustIDKeys.clientVariable: "one", AcoustIDKeys.userVariable: ""]
    #expect(try AcoustIDKeys(file: nil, environment: user, needsUser: false).user == nil)
    #expect { try AcoustIDKeys(file: nil, environment: user, needsUser: true) } throws: {
      "\($0)".contains("your own key to submit")
    }
  }
}
