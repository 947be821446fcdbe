import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import Foundation
import Landmarks
import LibraryStore
import LibraryTesting
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Testing

@testable import DuplicateTasks

/// Groups, longer files and other versions that follow from given pairs.
@Suite(.bounded) struct GivenPairsTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private static func file(
    _ name: String, seconds: Double = 100, size: Int64 = 1_000, isLossless: Bool = false
  ) -> LibraryFile {
    var file = LibraryFile(path: FilePath("/music/\(name)"), tags: ["genre": [name]])
    file.sizeBytes = size
    file.format = AudioFormat(
      container: "x", codec: "x", sampleRate: 44_100, channelCount: 2, bitRate: 128_000, isLossless: isLossless,
      frameCount: Int64(44_100 * seconds))
    return file
  }

  /// A pair as the store keeps it; `stretches` are those of `one`, then those of `other`.
  private static func pair(
    _ one: LibraryFile, _ other: LibraryFile, _ relation: String, _ stretches: [[Double]] = [[0, 100, 0, 100]],
    basis: String = "signature", strength: Double = 0.9, speed: Double = 1
  ) -> StoredPair {
    let pair = StoredPair(
      first: one.contentID, second: other.contentID, relation: relation, basis: basis, coverage: strength,
      agreement: strength, speed: speed, stretches: stretches)
    return one.contentID.description < other.contentID.description ? pair : pair.reversed
  }

  private func duplicates(
    _ files: [LibraryFile], _ pairs: [StoredPair], matching filter: String? = nil
  ) throws -> LibraryDuplicates {
    try LibraryFiles(files).merge(into: store)
    return try LibraryDuplicates(pairs, in: store, matching: filter.map { try TrackFilter(parsing: $0) })
  }

  private func paths(_ group: DuplicateGroup) -> [String] {
    group.files.map { $0.record.path.lastComponent?.string ?? "" }
  }

  // MARK: Groups

  @Test func groupsWithTheMostBytesComeFirst() throws {
    let files = ["a", "b", "c", "d", "e", "f"].map { Self.file($0, size: $0 < "c" ? 1_000 : $0 < "e" ? 3_000 : 1_000) }
    let pairs = [0, 2, 4].map { Self.pair(files[$0], files[$0 + 1], "encoding") }
    let found = try duplicates(files, pairs)
    #expect(found.groups.map(\.spareBytes).first == 3_000 && found.spareBytes == 5_000 && found.spareCount == 3)
    let ids = found.groups.map(\.id)
    #expect(found.groups.count == 3 && ids[1] < ids[2])
    #expect(Set(ids) == Set(pairs.map(\.first.description)))
    #expect(try duplicates(files, pairs, matching: "genre:d").groups.map(\.id) == [ids[0]])
    // Audio that is not in the library anymore makes no pair.
    let gone = Self.file("gone")
    #expect(try duplicates(files, [Self.pair(files[0], gone, "encoding")]).groups.isEmpty)
    #expect(try duplicates(files, []).groups.isEmpty)
  }

  @Test func copiesOfTheSameAudio() throws {
    var files = ["a", "b", "c"].map { Self.file($0) }
    files[1].contentID = files[0].contentID
    let alone = try duplicates(files, [])
    #expect(alone.groups.map(paths) == [["a", "b"]] && alone.groups[0].isSameAudio)
    #expect(alone.groups[0].files[1].advice == .spare && alone.groups[0].files[1].relation == "audio")
    // They are not another group if they are in one.
    let both = try duplicates(files, [Self.pair(files[0], files[2], "encoding")])
    #expect(both.groups.map(paths).map { $0.sorted() } == [["a", "b", "c"]] && !both.groups[0].isSameAudio)
    #expect(both.spareCount == 2)
  }

  /// A file is spare only if all of its audio is in the kept one.
  @Test(
    arguments: [
      ("encoding", [[5.0, 80, 5, 80]], "signature", true), ("encoding", [], "signature", false),
      ("cut", [[0, 100, 10, 110]], "signature", true), ("cut", [[1, 99, 11, 109]], "signature", true),
      ("cut", [[1.125, 99, 11, 109]], "signature", false), ("cut", [[1, 98.875, 11, 109]], "signature", false),
      ("cut", [[0, 100, 10, 110]], "fingerprint", false), ("edit", [[0, 100, 10, 110]], "signature", false),
      ("speed", [[0, 100, 10, 110]], "signature", false),
    ] as [(String, [[Double]], String, Bool)])
  func filesThatCanGo(relation: String, stretches: [[Double]], basis: String, isSpare: Bool) throws {
    for name in ["a", "b", "c", "d"] {
      let (file, kept) = (Self.file(name), Self.file("kept \(name)", seconds: 120))
      let found = try duplicates([file, kept], [Self.pair(file, kept, relation, stretches, basis: basis)])
      let group = try #require(found.groups.first)
      #expect(
        paths(group) == ["kept \(name)", name] && group.files.map(\.advice) == [.keep, isSpare ? .spare : .review])
      #expect(group.files[1].relation == relation && group.files[1].keptDuration == 120)
      // The file itself comes first in its pair.
      #expect(group.files[1].pair?.first == file.contentID && group.files[1].pair?.stretches == stretches)
      #expect(group.files[0].pair == nil && group.files[0].relation == nil)
    }
  }

  @Test func losslessFilesStay() throws {
    for (isKeptLossless, isDamaged, isSpare) in [
      (false, false, false), (true, false, true), (false, true, true),
    ] {
      var (file, kept) = (
        Self.file("file", isLossless: true), Self.file("kept", seconds: 120, isLossless: isKeptLossless)
      )
      if isDamaged { file.damage = Problem(stage: .decode, code: "corrupt", message: "Damaged.") }
      let number = "\(isKeptLossless)\(isDamaged)"
      (file.path, kept.path) = (FilePath("/music/f\(number)"), FilePath("/music/k\(number)"))
      (file.contentID, kept.contentID) = (ContentID(ofPath: file.path), ContentID(ofPath: kept.path))
      let found = try duplicates([file, kept], [Self.pair(file, kept, "encoding")])
      #expect(found.groups[0].files.map(\.record.path) == [kept.path, file.path])
      #expect(found.groups[0].files[1].advice == (isSpare ? .spare : .review))
    }
  }

  /// Lengths are compared at the same speed.
  @Test func lengthsAtAnotherSpeed() throws {
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
      let (slow, fast) = (Self.file("slow \(name)", seconds: 110), Self.file("fast \(name)", isLossless: true))
      let found = try duplicates([slow, fast], [Self.pair(slow, fast, "speed", speed: 1.1)])
      #expect(found.groups[0].files.map(\.record.path) == [fast.path, slow.path])
      #expect(found.groups[0].files[0].reasons == ["lossless"])
    }
  }

  /// Two of very many copies need not have been compared with each other.
  @Test(arguments: [(31, true), (30, false)]) func pairsWithoutAComparison(count: Int, isFound: Bool) throws {
    let files = (0..<count).map { Self.file("copy \($0)", isLossless: $0 == 0) }
    var pairs: [StoredPair] = []
    for (number, one) in files.enumerated() {
      for (index, other) in files.enumerated().dropFirst(number + 1) where (number, index) != (0, 1) {
        // The copies 2 and 3 are the most alike, but 2 is cut.
        let known = number < 2 && (2...3).contains(index) ? index : 0
        pairs.append(
          Self.pair(
            one, other, known == 2 ? "cut" : "encoding", strength: known == 2 ? 1 : known == 3 ? 0.95 : 0.5))
      }
    }
    let group = try #require(try duplicates(files, pairs).groups.first)
    #expect(group.files.count == count && group.files[0].record.path == files[0].path)
    let file = try #require(group.files.first { $0.record.path == files[1].path })
    #expect(file.advice == (isFound ? .spare : .review) && file.relation == (isFound ? "encoding" : nil))
    #expect(file.pair?.coverage == (isFound ? 0.95 : nil))
  }

  @Test func decisionsOfPeople() throws {
    let files = ["a", "b", "c"].map { Self.file($0) }
    let pairs = [
      Self.pair(files[0], files[1], "encoding"), Self.pair(files[0], files[2], "encoding"),
      Self.pair(files[1], files[2], "encoding"),
    ]
    #expect(try duplicates(files, pairs).groups.map(paths) == [["a", "b", "c"]])
    let writer = DuplicateDecisionWriter(in: store)
    #expect(try writer.setKept([files[2].path]) == 1)
    let kept = try duplicates(files, pairs).groups
    #expect(kept.map(paths) == [["c", "a", "b"]] || kept.map(paths) == [["c", "b", "a"]])
    #expect(kept[0].files[0].reasons == ["you chose it"])
    // Two of three are distinct: each may still be a copy of the third, but not both.
    #expect(try writer.setDistinct([files[0].path, files[1].path]) == 1)
    #expect(try duplicates(files, pairs).groups.map(\.files.count) == [2])
    #expect(try writer.setDistinct(files.map(\.path)) == 3 && duplicates(files, pairs).groups.isEmpty)
    #expect(try writer.forget([files[0].path]) == 2)
    var copy = Self.file("copy")
    copy.contentID = files[0].contentID
    try LibraryFiles(files + [copy]).merge(into: store)
    #expect {
      try writer.setDistinct([files[0].path, copy.path])
    } throws: { "\($0)" == "/music/a and /music/copy hold the same audio, byte for byte. Nothing was set." }
    var failed = Self.file("failed")
    failed.failure = Problem(stage: .open, code: "empty", message: "Empty.")
    try LibraryFiles(files + [copy, failed]).merge(into: store)
    #expect { try writer.setKept([failed.path]) } throws: {
      "\($0)" == "The audio of /music/failed is not known, since it could not be read. Nothing was set."
    }
  }

  // MARK: Tables

  @Test func tablesOfDecisions() throws {
    let (a, b) = (Self.file("a"), Self.file("b"))
    try LibraryFiles([a, b]).merge(into: store)
    let (one, other) = (a.contentID.description, b.contentID.description)
    let header = "decision,content_id,other_content_id,decided_at,path,other_path\r\n"
    let rows = [
      ("distinct,\(one),\(other),2026-01-01T00:00:00Z", true), ("keep,\(one),,2026-01-01T00:00:00Z", true),
      ("distinct,\(one),\(one),", false), ("distinct,\(one)", false), ("keep,\(one),,yesterday", false),
      ("keep,,", false), ("keep", false), (",\(one)", false), ("Keep,\(one)", false),
    ]
    for (row, isFine) in rows {
      let outcome = try DuplicateDecisionTable.read(Array((header + row + "\r\n").utf8), into: store)
      #expect(outcome.readCount == (isFine ? 1 : 0) && outcome.unreadable.count == (isFine ? 0 : 1), "\(row)")
      #expect(
        outcome.setCount == outcome.readCount && outcome.unreadable.allSatisfy { $0.hasPrefix("line 2 was left") })
    }
    let text = String(decoding: try DuplicateDecisionTable.bytes(of: store), as: UTF8.self)
    #expect(text.hasPrefix(header))
    let pair = [one, other].sorted()
    let name = { (id: String) in id == one ? "/music/a" : "/music/b" }
    let lines = text.split(separator: "\r\n").dropFirst().map(String.init)
    #expect(
      Set(lines) == [
        "keep,\(one),,2026-01-01T00:00:00Z,/music/a,",
        "distinct,\(pair[0]),\(pair[1]),2026-01-01T00:00:00Z,\(name(pair[0])),\(name(pair[1]))",
      ])
    for bad in ["decision\r\n", "content_id\r\n", ""] {
      #expect(throws: DuplicateDecisionTable.ReadingError.self) {
        try DuplicateDecisionTable.read(Array(bad.utf8), into: store)
      }
    }
    #expect { try DuplicateDecisionTable.read(Array((header + "keep,\"\r\n").utf8), into: store) } throws: {
      "\($0)" == "the quotation mark in line 2 is never closed"
    }
  }

  // MARK: Longer files and other versions

  @Test func longerFiles() throws {
    for name in ["a", "b", "c", "d"] {
      let long = Self.file("\(name) long", seconds: 1_000)
      let parts = (0..<4).map { Self.file("\(name) part \($0)") }
      // Start and end in the longer file, then in the part.
      let pairs = [
        Self.pair(long, parts[0], "part", [[700, 800, 0, 100]]),
        Self.pair(parts[1], long, "part", [[50, 100, 160, 200], [0, 40, 100, 150]]),
        Self.pair(long, parts[2], "part", [[300, 400, 0, 100]]),
        Self.pair(parts[3], long, "part", [[0, 100, 300, 400]]),
      ]
      let found = try duplicates([long] + parts, pairs)
      #expect(found.groups.isEmpty && found.longerFiles.map(\.record.path) == [long.path])
      let places = found.longerFiles[0].parts
      #expect(places.map(\.record.path) == [1, 2, 3, 0].map { parts[$0].path })
      #expect(places.map(\.start) == [100, 300, 300, 700] && places.map(\.end) == [200, 400, 400, 800])
      #expect(try duplicates([long] + parts, pairs, matching: "genre:\"\(name) part 2\"").longerFiles.count == 1)
      #expect(try duplicates([long] + parts, pairs, matching: "genre:\"\(name) long\"").longerFiles.count == 1)
      #expect(try duplicates([long] + parts, pairs, matching: "genre:other").longerFiles.isEmpty)
      #expect(
        DuplicateText.lines(for: found) == [
          "Parts of /music/\(name) long", "  1 min 40 s–3 min 20 s  /music/\(name) part 1",
          "  5 min 00 s–6 min 40 s  /music/\(name) part 2", "  5 min 00 s–6 min 40 s  /music/\(name) part 3",
          "  11 min 40 s–13 min 20 s  /music/\(name) part 0", "0 groups: nothing to spare; 1 longer file with tracks",
        ])
      // Files that a person has called distinct are no parts of each other.
      _ = try DuplicateDecisionWriter(in: store).setDistinct([long.path, parts[0].path])
      #expect(try duplicates([long] + parts, pairs).longerFiles.first?.parts.count == 3)
    }
  }

  @Test func otherVersions() throws {
    let files = ["d", "c", "b", "a"].map { Self.file($0) }
    let pairs = [Self.pair(files[0], files[1], "version"), Self.pair(files[2], files[3], "version")]
    let found = try duplicates(files, pairs)
    #expect(
      found.otherVersions.map { [$0.first.path, $0.second.path] } == [
        ["/music/a", "/music/b"], ["/music/c", "/music/d"],
      ])
    #expect(
      DuplicateText.lines(for: found) == [
        "Different mixes of one performance (not duplicates)", "  /music/a", "  /music/b",
        "Different mixes of one performance (not duplicates)", "  /music/c", "  /music/d",
        "0 groups: nothing to spare; 2 pairs of other mixes",
      ])
    #expect(try duplicates(files, pairs, matching: "genre:c").otherVersions.map(\.first.path) == ["/music/c"])
    #expect(try duplicates(files, pairs, matching: "genre:x").otherVersions.isEmpty)
    #expect(try DuplicateText.lines(for: duplicates(files, [])) == ["No duplicates."])
    // A version of a file in a group is told, but not one in the same group.
    for number in 0..<3 {
      let names = ["x", "y", "z"].map { "\($0)\(number)" }
      let three = names.map { Self.file($0) }
      let group = Self.pair(three[0], three[1], "encoding")
      let versions = [Self.pair(three[number], three[(number + 1) % 3], "version")]
      let told = try duplicates(three, [group] + versions).otherVersions.count
      #expect(told == (number == 0 ? 0 : 1), "\(number)")
    }
  }

  /// The parts of an answer that say which stretches are the same.
  private struct Answer: Decodable {
    struct Group: Decodable {
      var files: [File]
    }

    struct File: Decodable {
      var alignment: Alignment?
    }

    struct Alignment: Decodable {
      var stretches: [[String: Double]]
    }

    var groups: [Group]
  }

  @Test func linesOfGroups() throws {
    let files = [Self.file("a", size: 2_000_000, isLossless: true), Self.file("b", size: 1_500_000)]
    let found = try duplicates(files, [Self.pair(files[0], files[1], "encoding")])
    #expect(
      DuplicateText.lines(for: found) == [
        "1. a  1.5 MB to spare", "  keep    /music/a", "          x 44100 Hz 1 min 40 s 2.0 MB; kept: lossless",
        "  spare   /music/b",
        "          x 128 kbit/s 44100 Hz 1 min 40 s 1.5 MB; another encoding; the kept one: lossless",
        "1 group: 1 file to spare, 1.5 MB",
      ])
    let plan = DuplicatePlan(of: found).text
    #expect(plan.hasPrefix("# Plan for duplicates, by Nocturne.\n#\n") && plan.hasSuffix("remove  '/music/b'\n"))
    #expect(plan.contains("\n# 1 groups, 1 files to remove, 1500000 bytes.\n\n# 1. a (1500000 bytes)\n# x 44100 Hz"))
    let cut = try duplicates(files, [Self.pair(files[0], files[1], "edit")])
    #expect(DuplicateText.lines(for: cut)[0] == "1. a" && DuplicateText.lines(for: cut)[3] == "  review  /music/b")
    #expect(DuplicatePlan(of: cut).text.hasSuffix("review  '/music/b'\n"))
    let rows = String(decoding: found.csv, as: UTF8.self).split(separator: "\r\n")
    #expect(rows.count == 3 && rows[1].hasPrefix("\(found.groups[0].id),keep,") && rows[2].contains(",spare,encoding,"))
    let json = try #require(JSONSerialization.jsonObject(with: Data(found.json.utf8)) as? [String: Any])
    #expect((json["groups"] as? [Any])?.count == 1)
    let shifted = try duplicates(files, [Self.pair(files[1], files[0], "encoding", [[0, 90, 5, 95]])])
    let answer = try JSONDecoder().decode(Answer.self, from: Data(shifted.json.utf8))
    #expect(
      answer.groups[0].files.map { $0.alignment?.stretches ?? [] } == [
        [], [["start_s": 0, "end_s": 90, "kept_start_s": 5, "kept_end_s": 95]],
      ])
  }

  /// The page shows ten groups, and twenty files of each.
  @Test(arguments: [(10, 20), (11, 21)]) func pagesAreShort(groups: Int, files: Int) throws {
    var all = (0..<files).map { Self.file("many \($0)", size: 1_000_000) }
    for index in all.indices { all[index].contentID = all[0].contentID }
    for number in 1..<groups {
      var copy = Self.file("copy \(number)")
      let original = Self.file("one \(number)")
      copy.contentID = original.contentID
      all += [original, copy]
    }
    try LibraryFiles(all).merge(into: store)
    let page = try #require(try LibraryDuplicates.onPage(of: store, below: nil))
    #expect(page.groups.count == 10 && page.groups[0].files.count == 20)
    #expect(page.groups[0].unlistedCount == files - 20 && page.groups[1].unlistedCount == 0)
    #expect(page.note.hasPrefix("1 more group: analyze duplicates. ") == (groups == 11))
    #expect(!page.note.contains("not compared yet") && page.note.hasSuffix("analyze duplicates --plan FILE."))
    #expect(page.groups[1].spare == "1 kB")
  }

  // MARK: Methods

  /// Audio that gets another kind of data is compared again, as is all audio after a change of the comparison.
  @Test func methodsSayWhatWasCompared() throws {
    var sounds = try store.comparableAudio()
    sounds.hasFingerprint = [false, true, false, true]
    sounds.hasSignature = [false, false, true, true]
    let methods = sounds.methods(version: 3)
    #expect(methods == (0..<4).map { (300 + Signature.version) * 4 + $0 })
    #expect(Set(methods + sounds.methods(version: 2) + sounds.methods(version: 4)).count == 12)
  }
}
