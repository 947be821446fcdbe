import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// `/v2/lookup`.
@Suite(.bounded) struct AcoustIDTests {
  /// A fingerprint in AcoustID's form.
  private static func text(_ items: [UInt32]) -> String {
    var (codes, rests): ([UInt8], [UInt8]) = ([], [])
    var last: UInt32 = 0
    for item in items {
      var place = 0
      for bit in 0..<32 where (item ^ last) >> UInt32(bit) & 1 == 1 {
        let distance = bit + 1 - place
        codes.append(UInt8(min(distance, 7)))
        if distance >= 7 { rests.append(UInt8(distance - 7)) }
        place = bit + 1
      }
      codes.append(0)
      last = item
    }
    func packed(_ values: [UInt8], _ width: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (values.count * width + 7) / 8)
      for (index, value) in values.enumerated() {
        for bit in 0..<width where value >> UInt8(bit) & 1 == 1 {
          bytes[(index * width + bit) / 8] |= 1 << UInt8((index * width + bit) % 8)
        }
      }
      return bytes
    }
    let header: [UInt8] = [1, UInt8(items.count >> 16), UInt8(items.count >> 8 & 255), UInt8(items.count & 255)]
    let bytes = header + packed(codes, 3) + packed(rests, 5)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(letters[number >> (18 - 6 * place) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Items of music, the same for the same seed.
  private static func music(_ seed: UInt64) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return (0..<100).map { _ in UInt32(truncatingIfNeeded: random.next()) }
  }

  private static func file(_ name: String, _ items: [UInt32], tags: [String: [String]] = [:]) -> LibraryFile {
    LibraryFile(
      path: FilePath("/music/\(name).flac"), tags: ["title": [name]].merging(tags) { $1 },
      findings: [("chromaprint", FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: text(items)))])
  }

  private func lookup(_ library: ServedLibrary, _ items: [UInt32], _ parameters: String = "") async throws -> JSONValue
  {
    try await library.get("/v2/lookup?client=x&duration=120&fingerprint=\(Self.text(items))\(parameters)").json
  }

  private func scores(_ answer: JSONValue) -> [Double] {
    answer["results"].list.map { if case .number(let score) = $0["score"] { score } else { .nan } }
  }

  /// Music is found if at least half of the difference expected by chance is missing, most similar first.
  @Test func similarMusicIsFound() async throws {
    let music = Self.music(1)
    // Half of the items lead to the candidate. In the other half, half of the bits differ.
    let half = music.enumerated().map { $0 % 2 == 0 ? $1 : $1 ^ 0xffff }
    var less = half
    less[50] ^= 1
    let library = try await ServedLibrary([
      Self.file("half", half), Self.file("same", music), Self.file("less", less), Self.file("other", Self.music(2)),
    ])
    let found = try await lookup(library, music, "&meta=files")
    #expect(scores(found) == [1, 0.5])
    #expect(found["results"].list.map { $0["files"][0]["title"] } == ["same", "half"])
    #expect(try await scores(lookup(library, less)).first == 1)
    #expect(try await scores(lookup(library, Self.music(3))) == [])
    try await library.stop()
  }

  @Test func tenResultsAreEnough() async throws {
    let library = try await ServedLibrary((0..<12).map { Self.file("\($0)", Self.music(1)) })
    #expect(try await scores(lookup(library, Self.music(1))) == [Double](repeating: 1, count: 10))
    try await library.stop()
  }

  /// The index follows the library, in both directions.
  @Test func newMusicIsFoundAndReplacedMusicIsNot() async throws {
    let library = try await ServedLibrary([Self.file("a", Self.music(1))])
    #expect(try await scores(lookup(library, Self.music(1))) == [1])
    try LibraryFiles([Self.file("a", Self.music(1)), Self.file("b", Self.music(2))]).merge(into: library.store)
    #expect(try await scores(lookup(library, Self.music(1))) == [1])
    #expect(try await scores(lookup(library, Self.music(2))) == [1])
    var replaced = Self.file("a", Self.music(3))
    (replaced.contentID, replaced.sizeBytes) = (ContentID(ofPath: "/other"), 2_000)
    try LibraryFiles([replaced, Self.file("b", Self.music(2))]).merge(into: library.store)
    #expect(try await scores(lookup(library, Self.music(1))) == [])
    #expect(try await scores(lookup(library, Self.music(2))) == [1])
    #expect(try await scores(lookup(library, Self.music(3))) == [1])
    try await library.stop()
  }

  /// A thousand fingerprints are read at a time, and an index of so many is not updated again for a while.
  @Test(arguments: [997, 998, 1_001]) func largeIndexesAreUpdatedLater(count: Int) async throws {
    // The others have a single item each.
    let files = [Self.file("first", Self.music(1))] + (0..<count).map { Self.file("\($0)", [UInt32($0 + 1)]) }
    let all = files + [Self.file("last", Self.music(2))]
    let added = Self.file("added", Self.music(3))
    let library = try await ServedLibrary(all)
    for seed in [UInt64(1), 2] { #expect(try await scores(lookup(library, Self.music(seed))) == [1]) }
    try LibraryFiles(all + [added]).merge([added.path], into: library.store)
    #expect(try await scores(lookup(library, Self.music(3))) == (all.count < 1_000 ? [1] : []))
    for seed in [UInt64(1), 2] { #expect(try await scores(lookup(library, Self.music(seed))) == [1]) }
    try await library.stop()
  }

  @Test func fingerprintsHaveALimit() async throws {
    let library = try await ServedLibrary([])
    for (count, isTaken) in [(0, false), (1, true), (8_192, true), (8_193, false)] {
      // Steady sound, whose text is short.
      let fingerprint = Self.text([UInt32](repeating: 0, count: count))
      let form = Array("client=x&duration=120&fingerprint=\(fingerprint)".utf8)
      let header = ["Content-Type": "application/x-www-form-urlencoded"]
      let answer = try await library.ask("POST", "/v2/lookup", header, body: form)
      #expect(answer.status == (isTaken ? 200 : 400), "\(count) items")
      #expect(answer.json["error"]["code"] == (isTaken ? .null : 3), "\(count) items")
    }
    try await library.stop()
  }

  @Test func parametersAreChecked() async throws {
    let print = Self.text(Self.music(1))
    let library = try await ServedLibrary([Self.file("a", Self.music(1))])
    for (query, code) in [
      ("client=x&duration=1&fingerprint=\(print)", nil), ("client=x&duration=32767&fingerprint=\(print)", nil),
      ("client=x&duration=1.5&fingerprint=\(print)&format=json", nil),
      ("client=x&duration=0.9&fingerprint=\(print)", 8), ("client=x&duration=32768&fingerprint=\(print)", 8),
      ("client=x&duration=x&fingerprint=\(print)", 8), ("client=x&fingerprint=\(print)", 2),
      ("client=x&duration=9", 2), ("duration=9&fingerprint=\(print)", 2),
      ("client=&duration=9&fingerprint=\(print)", 2), ("client=x&duration=9&fingerprint=%21", 3),
      ("client=x&duration=9&fingerprint=\(print)&format=xml", 1), ("client=x&trackid=7", 7),
      ("client=x&trackid=00000000-0000-0000-0000-000000000001", nil),
      ("client=x&batch=2&duration=9&fingerprint=\(print)", nil),
      ("client=x&batch=1&duration=9&fingerprint=\(print)", 2),
    ] as [(String, Int64?)] {
      let answer = try await library.get("/v2/lookup?\(query)")
      #expect(answer.status == (code == nil ? 200 : 400), "\(query)")
      #expect(answer.json["error"]["code"] == (code.map { .integer($0) } ?? .null), "\(query)")
      #expect(answer.json["status"] == (code == nil ? "ok" : "error"), "\(query)")
    }
    try await library.stop()
  }

  /// Twenty fingerprints at a time, by any of the numbers.
  @Test func fingerprintsComeInBatches() async throws {
    let print = Self.text(Self.music(1))
    let library = try await ServedLibrary([Self.file("a", Self.music(1))])
    func indices(_ numbers: some Sequence<Int>) async throws -> [JSONValue] {
      let fields = numbers.map { "&duration.\($0)=120&fingerprint.\($0)=\(print)" }.joined()
      let found = try await library.ask(
        "POST", "/v2/lookup?client=x&batch=1", ["Content-Type": "application/x-www-form-urlencoded"],
        body: Array(fields.utf8)
      ).json["fingerprints"].list
      #expect(found.allSatisfy { $0["results"].list.count == 1 })
      return found.map { $0["index"] }
    }
    #expect(try await indices([0]) == ["0"])
    #expect(try await indices([7, 19]) == ["7", "19"])
    #expect(try await indices(0...20) == (0..<20).map { .string("\($0)") })
    let incomplete = try await library.get("/v2/lookup?client=x&batch=1&fingerprint.3=\(print)").json
    #expect(incomplete["error"]["message"] == #"missing required parameter "duration.3""#)
    try await library.stop()
  }

  /// A callback is a name; anything else would be a script.
  @Test(arguments: [
    ("f", "f"), ("my_Callback_09", "my_Callback_09"), ("_", "_"), ("zZaA", "zZaA"), ("", "jsonAcoustidApi"),
    ("a.b", "jsonAcoustidApi"), ("f(1)", "jsonAcoustidApi"), ("f;g", "jsonAcoustidApi"), ("é", "jsonAcoustidApi"),
    ("f-g", "jsonAcoustidApi"),
  ])
  func callbacksAreNames(name: String, shown: String) async throws {
    let library = try await ServedLibrary([])
    let query = "trackid=7&format=jsonp&jsoncallback=\(PercentEncoding.encoded(name.utf8))"
    for (prefix, code) in [("client=x&", 7), ("", 2)] as [(String, Int64)] {
      let answer = try await library.get("/v2/lookup?\(prefix)\(query)")
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(text.hasPrefix("\(shown)(") && text.hasSuffix(")"), "\(text)")
      let reply = try JSONValue(parsing: text.utf8.dropFirst(shown.utf8.count + 1).dropLast())
      #expect(reply["error"]["code"] == .integer(code) && reply["status"] == "error")
      #expect(answer.headers["content-type"] == "application/javascript; charset=utf-8" && answer.status == 400)
    }
    try await library.stop()
  }

  @Test func errorsHaveAcoustIDsCodes() {
    for (error, code) in [
      (.unknownFormat("x"), 1), (.missingParameter("x"), 2), (.invalidFingerprint, 3), (.invalidUUID("x"), 7),
      (.invalidDuration, 8), (.other(RequestError(.serviceUnavailable, "x")), 13),
      (.other(RequestError(.contentTooLarge, "x")), 5),
    ] as [(AcoustIDError, Int)] {
      #expect(error.code == code)
    }
    #expect(AcoustIDError.invalidDuration.status == .badRequest)
    #expect(AcoustIDError.other(RequestError(.contentTooLarge, "Text.")).status == .contentTooLarge)
  }

  // MARK: Metadata

  @Test func idsAreContents() {
    for content in [ContentID(high: 0, low: 0), ContentID(high: .max, low: 1), ContentID(high: 1 << 60, low: .max)] {
      let text = AcoustIDAnswer.uuid(of: content)
      #expect(text.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
      #expect(AcoustIDAnswer.content(ofUUID: text) == content)
      #expect(AcoustIDAnswer.content(ofUUID: "-" + text) == nil && AcoustIDAnswer.content(ofUUID: text + "-") == nil)
    }
    let answer = AcoustIDAnswer(content: ContentID(high: 0, low: 1), score: 0.123_456_789, files: [])
    #expect(
      answer.jsonValue(AcoustIDAnswer.Meta("recordings, releases\nusermeta+files"))
        == ["id": "00000000-0000-0000-0000-000000000001", "score": 0.123_457, "files": []])
  }

  /// Two files of one audio from two albums of one group, and one of other audio without ids.
  private static let tagged: [LibraryFile] = {
    let common = [
      "musicbrainz_recordingid": ["AAAA"], "artist": ["Ada", "Bix"], "musicbrainz_artistid": ["ada", "bix"],
      "albumartist": ["Ada"], "musicbrainz_albumartistid": ["ada"], "musicbrainz_releasegroupid": ["GGGG"],
      "releasetype": ["album"],
    ]
    let first = [
      "title": ["One"], "album": ["First"], "musicbrainz_albumid": ["FFFF"], "releasecountry": ["IS"],
      "date": ["1997-09-22"], "disctotal": ["2"], "tracktotal": ["10"], "musicbrainz_trackid": ["TTTT"],
      "track": ["3"], "disc": ["1"], "media": ["CD"],
    ]
    let second = ["title": ["One again"], "album": ["Second"], "musicbrainz_albumid": ["SSSS"], "date": ["2001"]]
    let free = ["title": ["Free"], "artist": ["Ada", "Bix"], "musicbrainz_artistid": ["ada"]]
    var files = [
      LibraryFile(path: "/music/1.flac", tags: common.merging(first) { $1 }),
      LibraryFile(path: "/music/2.flac", tags: common.merging(second) { $1 }),
      LibraryFile(path: "/music/3.flac", tags: free),
    ]
    files[1].contentID = files[0].contentID
    for index in files.indices { files[index].format.frameCount = 8_825_444 }
    return files
  }()

  private static let adaAndBix: JSONValue = [
    ["name": "Ada", "id": "ada", "joinphrase": ", "], ["name": "Bix", "id": "bix"],
  ]
  private static let ada: JSONValue = [["name": "Ada", "id": "ada"]]
  private static let first: [String: JSONValue] = [
    "id": "ffff", "title": "First", "country": "IS", "date": ["year": 1997, "month": 9, "day": 22], "medium_count": 2,
    "track_count": 10, "artists": ada,
  ]
  private static let medium: JSONValue = [
    "position": 1, "track_count": 10, "format": "CD", "tracks": [["id": "TTTT", "position": 3, "title": "One"]],
  ]
  private static let second: [String: JSONValue] = [
    "id": "ssss", "title": "Second", "date": ["year": 2001], "artists": ada,
  ]
  private static let recording: [String: JSONValue] = [
    "id": "aaaa", "title": "One", "duration": 200, "artists": adaAndBix,
  ]
  private static let group: [String: JSONValue] = ["id": "gggg", "title": "First", "type": "album", "artists": ada]

  private static func object(_ parts: [String: JSONValue]...) -> JSONValue {
    .object(parts.reduce([:]) { $0.merging($1) { $1 } })
  }

  /// The members in addition to the id and the score, by the words of `meta`.
  private static let members: [(meta: String, members: [String: JSONValue])] = [
    ("", [:]), ("sources+tracks+compress", [:]), ("usermeta", [:]), ("recordingids", ["recordings": [["id": "aaaa"]]]),
    ("recordingids+sources", ["recordings": [["id": "aaaa", "sources": 2]]]),
    ("RECORDINGS", ["recordings": [object(recording)]]),
    ("recordings+usermeta+sources", ["recordings": [object(recording, ["sources": 2])]]),
    ("recordings+releasegroupids", ["recordings": [object(recording, ["releasegroups": [["id": "gggg"]]])]]),
    ("recordings+releasegroups", ["recordings": [object(recording, ["releasegroups": [object(group)]])]]),
    ("recordings+releases", ["recordings": [object(recording, ["releases": [object(first), object(second)]])]]),
    (
      "recordings,releasegroups,releaseids",
      [
        "recordings": [
          object(
            recording, ["releasegroups": [object(group, ["releases": [["id": "ffff"], ["id": "ssss"]]])]])
        ]
      ]
    ),
    ("releasegroupids", ["releasegroups": [["id": "gggg"]]]), ("releasegroups", ["releasegroups": [object(group)]]),
    ("releaseids", ["releases": [["id": "ffff"], ["id": "ssss"]]]),
    ("releases", ["releases": [object(first), object(second)]]),
    (
      "releases+tracks",
      [
        "releases": [
          object(first, ["mediums": [medium]]), object(second, ["mediums": [["tracks": [["title": "One again"]]]]]),
        ]
      ]
    ),
    (
      "releasegroups+releases",
      ["releasegroups": [object(group, ["releases": [object(first), object(second)]])]]
    ),
  ]

  @Test func metadataAreThoseAskedFor() async throws {
    let library = try await ServedLibrary(Self.tagged)
    func results(_ file: LibraryFile, _ meta: String) async throws -> JSONValue {
      let id = AcoustIDAnswer.uuid(of: file.contentID)
      return try await library.get("/v2/lookup?client=x&trackid=\(id)&meta=\(meta)").json["results"]
    }
    let (tagged, free) = (Self.tagged[0], Self.tagged[2])
    let common: [String: JSONValue] = ["id": .string(AcoustIDAnswer.uuid(of: tagged.contentID)), "score": .number(1)]
    for (meta, members) in Self.members {
      let found = try await results(tagged, meta)
      #expect(found == [Self.object(common, members)], "\(meta)")
    }
    let files = try await results(tagged, "files")[0]["files"]
    #expect(
      files
        == .array(
          zip(Self.tagged, [("One", "First"), ("One again", "Second")]).map { file, names in
            [
              "id": .string(file.id), "title": .string(names.0), "album": .string(names.1), "artists": ["Ada", "Bix"],
              "duration_s": 200.123,
            ]
          }))
    // Audio without an id has the tags of a file, and ids of artists only if there is one for each.
    let unnamed: JSONValue = [
      ["title": "Free", "duration": 200, "artists": [["name": "Ada", "joinphrase": ", "], ["name": "Bix"]]]
    ]
    for (meta, recordings) in [
      ("usermeta", unnamed), ("recordings+usermeta", unnamed), ("recordings", .null), ("recordingids", .null),
    ] {
      let found = try await results(free, meta)[0]
      #expect(found["recordings"] == recordings, "\(meta)")
    }
    try await library.stop()
  }
}
