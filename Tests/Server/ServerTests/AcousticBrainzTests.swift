import Analysis
import AnalysisTesting
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// `/api/v1`.
@Suite(.bounded) struct AcousticBrainzTests {
  private static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-0000-0000-\(String(repeating: "0", count: 12 - digits.count))\(digits)"
  }

  private static let files = (0..<3).map { number in
    LibraryFile(
      path: FilePath("/music/\(number).flac"),
      tags: [
        "title": ["Song \(number)"], "musicbrainz_recordingid": [id(number == 2 ? 2 : 1)], "track": ["\(number)"],
        "disc": ["1"], "musicbrainz_trackid": ["t\(number)"], "other:note": ["hidden"],
      ])
  }

  @Test func recordingsPerRequest() async throws {
    let library = try await ServedLibrary(Self.files)
    for path in ["low-level", "high-level", "count"] {
      for (count, status) in [(1, 200), (25, 200), (26, 400)] {
        let ids = (1...count).map { Self.id($0) }.joined(separator: ";")
        #expect(try await library.get("/api/v1/\(path)?recording_ids=\(ids)").status == status, "\(path) \(count)")
      }
      for query in ["", "?recording_ids="] {
        let answer = try await library.get("/api/v1/\(path)\(query)")
        #expect(answer.status == 400 && answer.json == ["message": "Missing `recording_ids` parameter"])
      }
    }
    try await library.stop()
  }

  @Test func idsHaveTheFormOfUUIDs() async throws {
    let library = try await ServedLibrary(Self.files)
    let valid = "0123456789abcdefABCDEF00-0000-0000-0000-000000000001".dropFirst(16)
    for (id, isValid) in [
      (Self.id(1), true), (String(valid), true), ("x", false), ("0-0-0-0-0", false),
      ("0000000g-0000-0000-0000-000000000001", false), ("00000000-0000-0000-0000-0000000000011", false),
      ("0000000-0000-0000-0000-000000000001", false), ("00000000-000-0000-0000-000000000001", false),
      ("00000000-0000-000-0000-000000000001", false), ("00000000-0000-0000-000-000000000001", false),
      ("-00000000-0000-0000-0000-000000000001", false), ("00000000-0000-0000-0000-000000000001-", false),
      ("00000000-0000-0000-0000-00000000000%C3%A9", false),
    ] {
      let answer = try await library.get("/api/v1/count?recording_ids=\(id)")
      #expect(answer.status == (isValid ? 200 : 400), "\(id)")
    }
    try await library.stop()
  }

  /// The files of a recording are its submissions.
  @Test func submissionsHaveNumbers() async throws {
    let library = try await ServedLibrary(Self.files)
    func title(_ document: JSONValue) -> JSONValue { document["metadata"]["tags"]["title"][0] }
    for (query, expected) in [
      ("", "Song 0"), ("?n=0", "Song 0"), ("?n=1", "Song 1"), ("?n=2", nil), ("?n=-1", nil), ("?n=x", nil),
      ("?n=", nil),
    ] as [(String, String?)] {
      let answer = try await library.get("/api/v1/\(Self.id(1).uppercased())/low-level\(query)")
      #expect(title(answer.json) == (expected.map { .string($0) } ?? .null), "\(query)")
      #expect(answer.status == (expected != nil ? 200 : query == "?n=2" ? 404 : 400), "\(query)")
      let high = try await library.get("/api/v1/\(Self.id(1))/high-level\(query)")
      #expect(high.status == answer.status && (high.json["highlevel"] == [:]) == (expected != nil), "\(query)")
    }
    let ids = "\(Self.id(1));\(Self.id(1)):1;\(Self.id(1)):2;\(Self.id(2)):x;\(Self.id(3))"
    let several = try await library.get("/api/v1/low-level?recording_ids=\(ids)").json
    #expect(title(several[Self.id(1)]["0"]) == "Song 0" && title(several[Self.id(1)]["1"]) == "Song 1")
    // Another colon makes no number, which is 0.
    let odd = try await library.get("/api/v1/low-level?recording_ids=\(Self.id(1)):1:2").json
    #expect(title(odd[Self.id(1)]["0"]) == "Song 0" && odd[Self.id(1)]["1"] == .null)
    #expect(several[Self.id(1)]["2"] == .null && title(several[Self.id(2)]["0"]) == "Song 2")
    #expect(several[Self.id(3)] == .null && several["mbid_mapping"] == [:])
    let counts = try await library.get("/api/v1/count?recording_ids=\(ids)").json
    #expect(
      counts == [
        "mbid_mapping": [:], Self.id(1): ["count": 2], Self.id(2): ["count": 1], Self.id(3): ["count": 0],
      ])
    #expect(try await library.get("/api/v1/\(Self.id(1))/count").json == ["mbid": .string(Self.id(1)), "count": 2])
    #expect(try await library.get("/api/v1/\(Self.id(2))/count").json["count"] == 1)
    let none = try await library.get("/api/v1/\(Self.id(3))/count")
    #expect(none.status == 404 && none.json == ["message": "Not found"])
    try await library.stop()
  }

  /// Tags have Picard's names.
  @Test func tagsAreRenamed() async throws {
    let library = try await ServedLibrary(Self.files)
    let tags = try await library.get("/api/v1/\(Self.id(2))/low-level").json["metadata"]["tags"]
    #expect(
      tags == [
        "title": ["Song 2"], "musicbrainz_trackid": [.string(Self.id(2))], "musicbrainz_releasetrackid": ["t2"],
        "tracknumber": ["2"], "discnumber": ["1"],
      ])
    try await library.stop()
  }
}
