import Analysis
import AnalysisTesting
import Foundation
import Landmarks
import LibraryTesting
import Platform
import Recognition
import Records
import ResultStore
import SystemPackage
import Testing

@testable import RecognitionTasks

/// Catalogs that are built again and again from one database.
@Suite(.bounded) struct CatalogSynchronizationTests {
  private let music: SignedMusic

  init() throws { music = try SignedMusic() }

  private static func counts(_ outcome: CatalogSynchronization.Outcome) -> [Int] {
    [outcome.added, outcome.updated, outcome.removed, outcome.unchanged, outcome.leftAlone, outcome.unsigned]
  }

  @Test func everyTrackIsCountedOnce() throws {
    try music.put(["a": "a", "copy of a": "a", "b": "b", "bare": "unsigned", "quiet": "silent"])
    var progress: [[Int]] = []
    let first = try music.build { progress.append([$0, $1]) }
    #expect(Self.counts(first) == [2, 0, 0, 0, 0, 1] && progress == [[2, 2]])
    #expect(first.recovered == 0 && first.repair == nil && first.repairedList == nil)
    #expect(try music.catalogIDs() == music.ids(["a", "b"]))

    let second = try music.build { progress.append([$0, $1]) }
    #expect(Self.counts(second) == [0, 0, 0, 2, 0, 1] && progress.count == 1)
    #expect(second.recovered == 0 && second.repairedList == nil)

    try music.put(["b": "b"], title: "Other")
    #expect(try Self.counts(music.build()) == [0, 1, 0, 1, 0, 1])
    #expect(try music.references().map { $0.items.map(\.title) }.contains(["Other b"]))
    #expect(try Self.counts(music.build()) == [0, 0, 0, 2, 0, 1])
  }

  @Test func whatWasDoneByHandIsLeftAlone() throws {
    try music.put(["a": "a", "b": "b"])
    #expect(try Self.counts(music.build()) == [2, 0, 0, 0, 0, 0])
    try CatalogRemoval(catalog: music.catalog, tracks: [SignedMusic.id("a")], path: { _ in nil }).perform()
    try CatalogUpdate(at: music.catalog).add([SignedMusic.reference("c", title: "By hand")])
    // A track that was removed is not updated either.
    try music.put(["a": "a"], title: "Other")
    try music.put(["c": "c"])
    #expect(try Self.counts(music.build()) == [0, 0, 0, 1, 2, 0])
    #expect(try music.catalogIDs() == music.ids(["b", "c"]))
    #expect(try music.references().contains(SignedMusic.reference("c", title: "By hand")))
  }

  @Test func aTrackMayVanishAndComeBack() throws {
    try music.put(["a": "a", "b": "b", "bare": "unsigned"])
    try music.build()
    try music.remove(["b"])
    #expect(try Self.counts(music.build()) == [0, 0, 1, 1, 0, 1])
    #expect(try music.catalogIDs() == music.ids(["a"]))
    try music.put(["b": "b"])
    #expect(try Self.counts(music.build()) == [1, 0, 0, 1, 0, 1])

    // A list of no tracks is a list, too.
    try music.remove(["a", "b"])
    #expect(try Self.counts(music.build()) == [0, 0, 2, 0, 0, 1])
    #expect(try music.catalogIDs() == [])
    try music.put(["c": "c"])
    let last = try music.build()
    #expect(Self.counts(last) == [1, 0, 0, 0, 0, 1] && last.repairedList == nil)
  }

  @Test func aLibraryWithoutSignaturesIsAnError() throws {
    try music.put(["bare": "unsigned", "quiet": "silent"])
    #expect { try music.build() } throws: { "\($0)".hasPrefix("No file in the database") }
    try music.put(["a": "a"])
    #expect {
      try CatalogSynchronization(catalog: music.catalog, store: music.store, roots: ["/other"]).perform()
    } throws: {
      "\($0)".hasPrefix("No file under /other")
    }
    let part = try #require(CatalogPartition("0/2"))
    let other = try #require(CatalogPartition("1/2"))
    // One of two parts has no tracks, which is fine.
    let added = try [part, other].map { part in
      try CatalogSynchronization(
        catalog: music.folder.file("part \(part.index)"), store: music.store, partition: part
      ).perform().added
    }
    #expect(added.sorted() == [0, 1])
  }

  @Test func tracksOutsideOfTheRootsAreNeitherAddedNorRemoved() throws {
    try music.put(["x/a": "a", "y/b": "b"])
    func build(_ root: FilePath) throws -> [Int] {
      try Self.counts(
        CatalogSynchronization(catalog: music.catalog, store: music.store, roots: [root]).perform())
    }
    #expect(try build("/music/x") == [1, 0, 0, 0, 0, 0])
    #expect(try build("/music/y") == [1, 0, 0, 0, 0, 0])
    #expect(try music.catalogIDs() == music.ids(["a", "b"]))
  }

  @Test func anUnfinishedTrackIsAddedAgain() throws {
    try music.put(["a": "a", "b": "b"])
    try music.build()
    var list = try music.list()
    let id = ScannedLibrary.contentID("a")
    #expect(list.condition == .whole && list.states.count == 2)
    list[id] = .begun
    try list.write()
    #expect(try music.list().states[id] == .begun)
    #expect(try Self.counts(music.build()) == [1, 0, 0, 1, 0, 0])
    #expect(try music.list().states[id] != .begun)
  }

  /// The list says so before the catalog changes, in case the build is killed in between.
  @Test func tracksAreMarkedBeforeTheyAreAdded() throws {
    try music.put(["a": "a", "torn": "torn"])
    #expect { try music.build() } throws: { "\($0)".contains("the entry of /music/torn is") }
    #expect(Set(try music.list().states.keys) == Set(["a", "torn"].map { ScannedLibrary.contentID($0) }))
    #expect(try music.list().states.values.allSatisfy { $0 == .begun })
  }

  // MARK: Damage

  @Test(arguments: ["cut off", "other title", "no database", "odd line", "no id", "no digest", "gone"])
  func aDamagedListIsRestored(damage: String) throws {
    try music.put(["a": "a", "b": "b", "c": "c"])
    try music.build()
    // This one has been changed by hand, which is no longer known.
    var changed = SignedMusic.reference("c", title: "One")
    changed.items.append(MediaItem(title: "Two"))
    try CatalogUpdate(at: music.catalog).add([changed])
    let file = try music.list().file
    let text = try String(contentsOfFile: file.string, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    let damaged: String? =
      switch damage {
      case "cut off": String(text.dropLast())
      case "other title": "x" + text
      case "no database": lines[0] + "\n"
      case "odd line": text + lines[2] + " -\n"
      case "no id": text + "x -\n"
      case "no digest": text + lines[2].prefix { $0 != " " } + " x\n"
      default: nil
      }
    if let damaged {
      try damaged.write(toFile: file.string, atomically: true, encoding: .utf8)
      #expect(try music.list().condition == .damaged)
    } else {
      try FileManager.default.removeItem(atPath: file.string)
      #expect(try music.list().condition == .missing)
    }
    let outcome = try music.build()
    #expect(outcome.repairedList == (damaged == nil ? nil : file.lastComponent?.string))
    #expect(outcome.recovered == 2 && Self.counts(outcome) == [0, 0, 0, 2, 1, 0])
    let next = try music.build()
    #expect(next.repairedList == nil && next.recovered == 0 && Self.counts(next) == [0, 0, 0, 2, 1, 0])
  }

  @Test func theListOfAnotherDatabaseIsNotADamagedOne() throws {
    try music.put(["a": "a", "b": "b"])
    try music.build()
    let file = try music.list().file
    try FileManager.default.moveItem(atPath: file.string, toPath: music.catalog.appending("other.build").string)
    let outcome = try music.build()
    #expect(outcome.recovered == 0 && outcome.repairedList == nil && Self.counts(outcome) == [0, 0, 0, 0, 2, 0])
  }

  @Test func lostTracksAreAddedAgain() throws {
    try music.put(["a": "a"])
    try music.build()
    try music.put(["b": "b"])
    try music.build()
    let names = try FileManager.default.contentsOfDirectory(atPath: music.catalog.string)
      .filter { $0.hasSuffix(".segment") }.sorted()
    #expect(names.count == 2)
    try Data("no segment".utf8).write(to: URL(filePath: music.catalog.appending(names[0]).string))
    let outcome = try music.build()
    #expect(outcome.repair?.lostSegments == [names[0]] && outcome.repairedList == nil)
    #expect(Self.counts(outcome) == [1, 0, 0, 1, 0, 0])
    #expect(try music.catalogIDs() == music.ids(["a", "b"]))
    #expect(try music.build().repair == nil)
  }

  @Test func aPartTakesNoTracksOfOthers() throws {
    let part = try #require(CatalogPartition("0/2"))
    let names = (0..<100).map { "track \($0)" }
    let own = try #require(names.first { part.contains(ScannedLibrary.contentID($0)) })
    let foreign = try #require(names.first { !part.contains(ScannedLibrary.contentID($0)) })
    try music.put([own: own])
    try music.build()
    #expect { try music.build(part) } throws: { "\($0)".contains("was built as a whole and cannot become a part") }
    // Without the list, the tracks alone say what it was.
    try FileManager.default.removeItem(atPath: music.list().file.string)
    #expect(try Self.counts(music.build(part)) == [0, 0, 0, 1, 0, 0])
    #expect { try music.build() } throws: { "\($0)".contains("is part 0/2 and can only be built as that") }

    try FileManager.default.removeItem(atPath: music.catalog.string)
    try music.put([foreign: foreign])
    try music.build()
    try FileManager.default.removeItem(atPath: music.list().file.string)
    #expect { try music.build(part) } throws: { "\($0)".contains("holds tracks that do not belong to part 0/2") }
  }
}

/// A library of files in `/music` with signatures, and a catalog of it.
///
/// Each file has a name and its audio. The audio `unsigned` has no signature, `silent` one without landmarks, and
/// `torn` one that cannot be read.
private final class SignedMusic {
  let folder: TemporaryDirectory
  var catalog: FilePath { folder.file("catalog") }
  var store: ResultStore { library.store }
  private let library: ScannedLibrary
  private var files: [FilePath: (audio: String, title: String)] = [:]
  private var clock: Int64 = 1

  private static let signature = AnalyzerIdentity(id: "signature", version: 1, digest: "s1")

  init() throws {
    folder = try TemporaryDirectory()
    library = try ScannedLibrary()
    library.wanted = ScannedLibrary.wanted(extra: [Self.signature])
  }

  static func id(_ audio: String) -> String { ScannedLibrary.contentID(audio).description }
  func ids(_ audio: [String]) -> [String] { audio.map { Self.id($0) }.sorted() }

  static func reference(_ audio: String, title: String) -> ReferenceSignature {
    ReferenceSignature(identifier: id(audio), signature: signature(of: audio), items: [MediaItem(title: title)])
  }

  /// Creates or replaces files, and analyzes them.
  func put(_ named: [String: String], title: String = "Title") throws {
    for (name, audio) in named.sorted(by: { $0.key < $1.key }) {
      let path = FilePath("/music/\(name)")
      clock += 1
      files[path] = (audio, "\(title) \(name)")
      library.put(path, modified: clock * 1_000_000_000)
    }
    try library.night { self.analysis(of: $0) }
  }

  func remove(_ names: [String]) throws {
    for name in names { library.remove(FilePath("/music/\(name)")) }
    try library.night { self.analysis(of: $0) }
  }

  private func analysis(of file: PendingFile) -> FileAnalysis {
    let (audio, title) = files[file.path] ?? ("", "")
    var analysis = ScannedLibrary.analysis(of: file, title: title, audio: audio)
    guard audio != "unsigned" else { return analysis }
    let signature = Self.signature(of: audio)
    let finding = SignatureFinding(
      version: Signature.version, landmarkCount: signature.landmarkCount,
      data: audio == "torn" ? [1, 2, 3] : signature.bytes)
    analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.signature, result: .finding(finding)))
    return analysis
  }

  private static func signature(of audio: String) -> Signature {
    var random = SplitMix64(seed: ScannedLibrary.contentID(audio).low)
    let landmarks = (0..<(audio == "silent" ? 0 : 50)).map { column in
      Landmark(column: column, band: Int.random(in: 0..<Landmark.bandCount, using: &random), strength: 5)
    }
    return Signature(landmarks: landmarks, columnCount: 50)
  }

  @discardableResult
  func build(
    _ part: CatalogPartition? = nil, progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> CatalogSynchronization.Outcome {
    try CatalogSynchronization(catalog: catalog, store: store, partition: part).perform(progress: progress)
  }

  func list() throws -> BuildList { try BuildList(in: catalog, database: store.path, partition: nil) }

  func references() throws -> [ReferenceSignature] {
    var references: [ReferenceSignature] = []
    try CustomCatalog(contentsOf: catalog).forEachReference { references.append($0) }
    return references
  }

  func catalogIDs() throws -> [String] { try references().map(\.identifier).sorted() }
}
