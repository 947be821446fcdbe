import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import DuplicateTasks
import Filters
import Foundation
import Landmarks
import LibraryStore
import LibraryTasks
import LibraryTesting
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Testing
import Text

/// Groups of files of one recording, the file to keep, and decisions of people.
@Suite(.bounded) struct LibraryDuplicatesTests {
  private static let oddPath = FilePath(bytes: Array("/music/mp3/caf".utf8) + [0xE9] + Array("'s\n.mp3".utf8))

  private static func landmarks(seed: UInt64, seconds: Double = 100) -> [Landmark] {
    var random = SplitMix64(seed: seed)
    return (0..<Int(seconds * 30)).map { _ in
      Landmark(
        column: .random(in: 0..<Int(seconds * 31.25), using: &random), band: .random(in: 0..<138, using: &random),
        strength: .random(in: 1...15, using: &random))
    }.sorted { ($0.column, $0.band) < ($1.column, $1.band) }
  }

  private static func file(
    _ path: FilePath, _ landmarks: [Landmark], seconds: Double = 100, size: Int64, isLossless: Bool,
    tags: [String: [String]] = [:]
  ) -> LibraryFile {
    let signature = Signature(landmarks: landmarks, columnCount: Int(seconds * 31.25))
    let finding = SignatureFinding(
      version: Signature.version, landmarkCount: signature.landmarkCount, data: signature.bytes)
    var file = LibraryFile(path: path, tags: tags, findings: [("signature", finding)])
    file.sizeBytes = size
    file.format = AudioFormat(
      container: isLossless ? "flac" : "mp3", codec: isLossless ? "flac" : "mp3", sampleRate: 44_100, channelCount: 2,
      bitDepth: isLossless ? 16 : nil, bitRate: isLossless ? 900_000 : 128_000, isLossless: isLossless,
      claimedFrameCount: Int64(seconds * 44_100), frameCount: Int64(seconds * 44_100))
    return file
  }

  private static let music = landmarks(seed: 1)
  private static let flac = file("/music/flac/one.flac", music, size: 9_000, isLossless: true, tags: ["title": ["One"]])
  /// An encoding that differs in some landmarks.
  private static let mp3 = file(
    oddPath, music.enumerated().filter { $0.offset % 9 != 0 }.map(\.element), size: 2_000, isLossless: false)
  private static let cut = file(
    "/music/mp3/cut.mp3",
    music.filter { $0.column >= 625 }.map { Landmark(column: $0.column - 625, band: $0.band, strength: $0.strength) },
    seconds: 80, size: 1_500, isLossless: false)
  private static let other = file("/music/other.flac", landmarks(seed: 2), size: 8_000, isLossless: true)

  private func store(_ files: [LibraryFile]) throws -> (ResultStore, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try LibraryFiles(files).merge(into: store)
    return (store, folder)
  }

  private func duplicates(
    _ store: ResultStore, matching filter: String? = nil, preferring rules: [KeepingRule] = []
  ) throws -> LibraryDuplicates {
    _ = try DuplicateSearch(in: store).update()
    return try LibraryDuplicates(
      store.duplicatePairs(), in: store, matching: filter.map { try TrackFilter(parsing: $0) }, preferring: rules)
  }

  @Test func theBestFileOfARecordingIsKept() throws {
    let (store, folder) = try store([Self.mp3, Self.cut, Self.other, Self.flac])
    defer { withExtendedLifetime(folder) {} }
    let found = try duplicates(store)
    let group = try #require(found.groups.first)
    #expect(found.groups.count == 1 && group.files.count == 3)
    #expect(group.files[0].record.path == Self.flac.path && group.files[0].advice == .keep)
    #expect(group.files[0].reasons.contains("lossless") && group.files[0].reasons.contains("more complete"))
    let cut = try #require(group.files.first { $0.record.path == Self.cut.path })
    #expect(cut.relation == "cut" && cut.advice == .spare)
    #expect(DuplicateText.difference(of: cut)?.contains("20.0 s missing at the start") == true)
    #expect(found.spareCount == 2 && found.spareBytes == 3_500)
  }

  @Test func rulesThatArePreferredCountFirst() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    let rule = try #require(KeepingRule("under:/music/mp3"))
    let group = try #require(duplicates(store, preferring: [rule]).groups.first)
    #expect(group.files[0].record.path == Self.oddPath && group.files[0].reasons == ["under /music/mp3"])
    #expect(KeepingRule("under:relative") == nil && KeepingRule("best") == nil)
  }

  /// Encodings and cuts of a recording, some of them damaged.
  private static func encodings(of number: Int, using random: inout SplitMix64) -> [LibraryFile] {
    let music = landmarks(seed: random.next())
    return (0..<Int.random(in: 1...5, using: &random)).map { index in
      let start = [0, 0, 5, 20].randomElement(using: &random)!
      let column = Int(Double(start) * 31.25)
      let kept = music.filter { $0.column >= column && Int.random(in: 0..<9, using: &random) > 0 }
      var file = file(
        FilePath("/music/\(number)-\(index)"),
        kept.map { Landmark(column: $0.column - column, band: $0.band, strength: $0.strength) },
        seconds: Double(100 - start), size: .random(in: 1_000...9_000, using: &random),
        isLossless: .random(using: &random))
      if Int.random(in: 0..<4, using: &random) == 0 {
        file.damage = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
      }
      return file
    }
  }

  /// Verdicts by path, each with the kept file.
  private func verdicts(_ files: [LibraryFile]) throws -> [FilePath: [String]] {
    let (store, folder) = try store(files)
    defer { withExtendedLifetime(folder) {} }
    var verdicts: [FilePath: [String]] = [:]
    for group in try duplicates(store).groups {
      for file in group.files {
        verdicts[file.record.path] = [file.advice.rawValue, group.files[0].record.path.string]
      }
    }
    return verdicts
  }

  /// Neither the order of the files nor another copy changes a verdict, and an undamaged lossless file is spare only
  /// beside another one.
  @Test func verdictsDependOnTheFilesAlone() throws {
    var random = SplitMix64.fresh()
    for _ in 0..<4 {
      let files = (0..<3).flatMap { Self.encodings(of: $0, using: &random) }
      let found = try verdicts(files)
      #expect(try verdicts(files.shuffled(using: &random)) == found)
      let whole = Set(files.filter { $0.damage == nil && $0.format.isLossless }.map(\.path.string))
      for (path, verdict) in found where verdict[0] == "spare" && whole.contains(path.string) {
        #expect(whole.contains(verdict[1]))
      }
      // Among equals, the first path is kept.
      var copy = try #require(files.randomElement(using: &random))
      let original = copy.path
      copy.path = "/music/copy"
      copy.contentID = ContentID(ofPath: original)
      var withCopy = try verdicts(files + [copy])
      #expect(withCopy.removeValue(forKey: copy.path) != nil)
      if found[original] == nil { withCopy[original] = nil }
      #expect(withCopy == found)
    }
  }

  /// A longer lossy file does not replace a lossless one.
  @Test func losslessFilesAreNotSpareBesideLossyOnes() throws {
    let cut = Self.file(
      "/music/cut.flac",
      Self.music.filter { $0.column >= 625 }.map {
        Landmark(column: $0.column - 625, band: $0.band, strength: $0.strength)
      }, seconds: 80, size: 8_000, isLossless: true)
    let (store, folder) = try store([cut, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    let group = try #require(duplicates(store).groups.first)
    #expect(group.files.map(\.advice) == [.keep, .review] && group.files[1].record.path == cut.path)
  }

  @Test func copiesOfTheSameAudioNeedNoSignature() throws {
    var copy = LibraryFile(path: "/music/copy.flac", tags: [:])
    let original = LibraryFile(path: "/music/original.flac", tags: ["title": ["T"], "artist": ["A"]])
    copy.contentID = original.contentID
    let (store, folder) = try store([copy, original])
    defer { withExtendedLifetime(folder) {} }
    let group = try #require(duplicates(store).groups.first)
    #expect(group.isSameAudio && group.files[0].record.path == original.path && group.files[1].relation == "audio")
  }

  @Test func filtersTakeGroupsWithAnyOfTheirFiles() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    #expect(try duplicates(store, matching: "codec:mp3").groups.count == 1)
    #expect(try duplicates(store, matching: "codec:opus").groups.isEmpty)
  }

  /// A later search compares only new audio, with the same result as comparing all at once.
  @Test func newFilesAreComparedWithAllOthers() throws {
    let (store, folder) = try store([Self.flac, Self.other])
    defer { withExtendedLifetime(folder) {} }
    let first = try DuplicateSearch(in: store).update()
    #expect(first.comparedCount == 2 && first.pairCount == 0)
    try LibraryFiles([Self.flac, Self.other, Self.mp3, Self.cut]).merge(into: store)
    let second = try DuplicateSearch(in: store).update()
    #expect(second.comparedCount == 2 && second.pairCount == 3)
    #expect(try DuplicateSearch(in: store).update().comparedCount == 0)
    #expect(try DuplicateSearch(in: store).waitingCount() == 0)
    let (whole, otherFolder) = try self.store([Self.flac, Self.other, Self.mp3, Self.cut])
    defer { withExtendedLifetime(otherFolder) {} }
    _ = try DuplicateSearch(in: whole).update()
    #expect(try whole.duplicatePairs() == store.duplicatePairs())
    // A read-only database gives the same result.
    #expect(try DuplicateSearch(in: store).pairs() == store.duplicatePairs())
  }

  /// A search that writes nothing finds the same pairs.
  @Test func newPairsAreFoundWithoutWriting() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    #expect(try DuplicateSearch(in: store).waitingCount() == 2)
    #expect(try DuplicateSearch(in: store).pairs().count == 1 && store.duplicatePairs().isEmpty)
    let first = try DuplicateSearch(in: store).update()
    #expect(first.soundCount == 2 && first.comparedCount == 2 && first.candidateCount == 1 && first.pairCount == 1)
    try LibraryFiles([Self.flac, Self.mp3, Self.cut, Self.other]).merge(into: store)
    let page = try #require(try LibraryDuplicates.onPage(of: store, below: nil))
    #expect(page.note.hasPrefix("2 recordings not compared yet: run analyze duplicates. Found by sound."))
    #expect(try DuplicateSearch(in: store).waitingCount() == 2)
    let found = try DuplicateSearch(in: store).pairs()
    #expect(found.count == 3)
    let second = try DuplicateSearch(in: store).update()
    #expect(second.soundCount == 4 && second.comparedCount == 2 && second.pairCount == 2)
    // Stored times have fewer digits.
    func names(_ pairs: [StoredPair]) -> Set<[String]> {
      Set(pairs.map { [$0.first.description, $0.second.description, $0.relation, $0.basis] })
    }
    #expect(try names(store.duplicatePairs()) == names(found))
  }

  private func groups(_ store: ResultStore) throws -> Set<Set<FilePath>> {
    Set(try duplicates(store).groups.map { Set($0.files.map(\.record.path)) })
  }

  /// Very many copies make one group however many are added between searches, and if those that the others were
  /// compared with are removed or come back.
  @Test func veryManyCopiesComeAndGo() throws {
    var random = SplitMix64.fresh()
    let music = Self.landmarks(seed: random.next(), seconds: 40)
    var files = (0..<90).map { number in
      Self.file(
        FilePath("/music/copy \(number)"), music.filter { _ in Int.random(in: 0..<9, using: &random) > 0 }, seconds: 40,
        size: 1_000, isLossless: false)
    }
    let copies = Set(files.map(\.path))
    for number in 0..<5 {
      let other = Self.landmarks(seed: random.next(), seconds: 40)
      files.append(Self.file(FilePath("/music/\(number)"), other, seconds: 40, size: 1_000, isLossless: false))
    }
    let library = LibraryFiles(files)
    let (store, folder) = try store([])
    defer { withExtendedLifetime(folder) {} }
    var rest = files.map(\.path).shuffled(using: &random)[...]
    while !rest.isEmpty {
      let batch = rest.prefix(.random(in: 1...12, using: &random))
      rest = rest.dropFirst(batch.count)
      try library.merge(Set(batch), into: store)
      let known = copies.subtracting(rest)
      #expect(try groups(store) == (known.count > 1 ? [known] : []))
    }
    let leaders = files.prefix(90).sorted { $0.contentID.description < $1.contentID.description }.prefix(12)
    let gone = Set(leaders.map(\.path))
    try library.run(in: store, root: "/music", without: gone, skipping: [], analyzed: .now)
    #expect(try groups(store) == [copies.subtracting(gone)])
    #expect(try DuplicateSearch(in: store).update().comparedCount == 0)
    try library.run(in: store, root: "/music", without: [], skipping: [], analyzed: .now)
    #expect(try groups(store) == [copies])
    #expect(try DuplicateSearch(in: store).update().comparedCount == 0)
  }

  /// A version with a voice from 50 s to 80 s.
  private static var mix: LibraryFile {
    let voice = landmarks(seed: 3).filter { (1563..<2500).contains($0.column) }
    let kept = music.enumerated().filter { !(1563..<2500).contains($0.element.column) || $0.offset % 3 == 0 }.map(
      \.element)
    let all = (kept + voice).sorted { ($0.column, $0.band) < ($1.column, $1.band) }
    return file("/music/sung.flac", all, size: 7_000, isLossless: true)
  }

  @Test func otherMixesAreToldAndNeverSpare() throws {
    let (store, folder) = try store([Self.flac, Self.mix])
    defer { withExtendedLifetime(folder) {} }
    let found = try duplicates(store)
    #expect(found.groups.isEmpty && found.spareCount == 0)
    let version = try #require(found.otherVersions.first)
    #expect(
      found.otherVersions.count == 1 && version.first.path == Self.flac.path && version.second.path == Self.mix.path)
    #expect(DuplicateText.lines(for: found).contains { $0.contains("/music/sung.flac") })
    let schema = try #require(DuplicateSchema.files.first?.text)
    let answer = try JSONSerialization.jsonObject(with: Data(found.ndjsonLine))
    #expect(try SchemaValidator(schema).complaints(about: answer) == [])
    // Files marked as distinct are no longer reported.
    #expect(try DuplicateDecisionWriter(in: store).setDistinct([Self.flac.path, Self.mix.path]) == 1)
    #expect(try duplicates(store).otherVersions.isEmpty)
  }

  /// Keys are kept for existing audio, and computed again if audio comes back.
  @Test func keysGoWithTheirAudio() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    _ = try DuplicateSearch(in: store).update()
    #expect(try store.comparableAudio().sketches.allSatisfy { $0 != nil })
    _ = try store.pruneVanished(in: nil, isDryRun: false)
    #expect(try store.comparableAudio().sketches.allSatisfy { $0 != nil })
  }

  @Test func thePageOfAReportShowsThem() throws {
    let (store, folder) = try store([Self.flac, Self.mp3, Self.cut, Self.other])
    defer { withExtendedLifetime(folder) {} }
    #expect(try LibraryDuplicates.onPage(of: store, below: nil) == nil)
    _ = try DuplicateSearch(in: store).update()
    let page = try #require(try LibraryDuplicates.onPage(of: store, below: nil))
    #expect(page.summary == "1 group: 2 files to spare, 4 kB" && page.groups.count == 1)
    #expect(page.groups[0].files.map(\.advice) == ["Keep", "Spare", "Spare"] && page.groups[0].spare == "4 kB")
    #expect(try LibraryDuplicates.onPage(of: store, below: ["/music/mp3"])?.groups.count == 1)
    #expect(try LibraryDuplicates.onPage(of: store, below: ["/elsewhere"]) == nil)
  }

  @Test func decisionsOutliveAnotherSearch() throws {
    let (store, folder) = try store([Self.flac, Self.mp3, Self.cut])
    defer { withExtendedLifetime(folder) {} }
    let deciding = DuplicateDecisionWriter(in: store)
    #expect(try deciding.setKept([Self.cut.path]) == 1)
    #expect(try duplicates(store).groups.first?.files[0].record.path == Self.cut.path)
    #expect(try deciding.setDistinct([Self.cut.path, Self.flac.path, Self.oddPath]) == 3)
    #expect(try duplicates(store).groups.isEmpty)
    #expect(throws: UnknownFile.self) { try deciding.setKept(["/music/nothing.mp3"]) }

    // Exports decisions to another database.
    let table = try DuplicateDecisionTable.bytes(of: store)
    let (other, otherFolder) = try self.store([Self.flac, Self.mp3, Self.cut])
    defer { withExtendedLifetime(otherFolder) {} }
    let outcome = try DuplicateDecisionTable.read(table, into: other)
    #expect(outcome.readCount == 4 && outcome.setCount == 4 && outcome.unreadable.isEmpty)
    #expect(try DuplicateDecisionTable.read(table, into: other).setCount == 0)
    #expect(try duplicates(other).groups.isEmpty)
    #expect(try DuplicateDecisionWriter(in: other).forget([Self.flac.path, Self.cut.path, Self.oddPath]) == 4)
    #expect(try duplicates(other).groups.count == 1)
  }

  @Test func tablesThatPeopleHaveEdited() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    let id = Self.flac.contentID.description
    let text = "decision,content_id\nkeep,\(id)\nkeep,short\nmaybe,\(id)\ndistinct,\(id)\n"
    let outcome = try DuplicateDecisionTable.read(Array(text.utf8), into: store)
    #expect(outcome.setCount == 1 && outcome.unreadable.count == 3 && outcome.unreadable[0].hasPrefix("line 3 "))
    #expect(throws: DuplicateDecisionTable.ReadingError.self) {
      try DuplicateDecisionTable.read(Array("a,b\n".utf8), into: store)
    }
  }

  /// Names of any bytes survive the plan: a shell restores them.
  @Test func plansNameFilesAsAShellReadsThem() throws {
    let (store, folder) = try store([Self.flac, Self.mp3])
    defer { withExtendedLifetime(folder) {} }
    let text = DuplicatePlan(of: try duplicates(store)).text
    let lines = text.split(separator: "\n")
    #expect(lines.contains("keep    '/music/flac/one.flac'"))
    #expect(lines.contains(#"remove  $'/music/mp3/caf\351\'s\012.mp3'"#))
    #expect(lines.filter { !$0.hasPrefix("#") }.count == 2)
  }

  @Test func answersFitTheirSchema() throws {
    let (store, folder) = try store([Self.flac, Self.mp3, Self.cut, Self.other])
    defer { withExtendedLifetime(folder) {} }
    let found = try duplicates(store)
    let schema = try #require(DuplicateSchema.files.first?.text)
    let answer = try JSONSerialization.jsonObject(with: Data(found.ndjsonLine))
    #expect(try SchemaValidator(schema).complaints(about: answer) == [])
    #expect(((answer as? [String: Any])?["groups"] as? [Any])?.count == 1)
    let csv = String(decoding: found.csv, as: UTF8.self).split(separator: "\r\n")
    #expect(csv.count == 4 && csv[0].hasPrefix("group,advice,relation,"))
    let (empty, emptyFolder) = try self.store([])
    defer { withExtendedLifetime(emptyFolder) {} }
    #expect(try duplicates(empty).groups.isEmpty)
  }
}
