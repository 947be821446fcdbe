import Analysis
import AnalysisEngine
import AnalysisTesting
import Foundation
import Landmarks
import LibraryTesting
import Platform
import Recognition
import Records
import SystemPackage
import Testing

@testable import RecognitionTasks

/// Changes of catalogs by hand: adding files, merging other catalogs.
@Suite(.bounded) struct CatalogChangeTests {
  private let folder: TemporaryDirectory
  private var catalog: FilePath { folder.file("catalog") }

  init() throws { folder = try TemporaryDirectory() }

  private static func id(_ name: String) -> String { ScannedLibrary.contentID(name).description }

  /// A signature of one landmark, another for each number.
  private static func signature(_ number: Int) -> Signature {
    Signature(
      landmarks: [Landmark(column: number / Landmark.bandCount, band: number % Landmark.bandCount, strength: 5)],
      columnCount: 64)
  }

  private static func references(_ names: [String]) -> [ReferenceSignature] {
    names.enumerated().map { ReferenceSignature(identifier: id($1), signature: signature($0), items: []) }
  }

  private func references(_ path: FilePath) throws -> [ReferenceSignature] {
    var references: [ReferenceSignature] = []
    try CustomCatalog(contentsOf: path).forEachReference { references.append($0) }
    return references
  }

  private func items(of name: String) throws -> [MediaItem]? {
    try CustomCatalog(contentsOf: catalog).reference(Self.id(name))?.items
  }

  // MARK: The place

  @Test(arguments: ["CATALOG", "UPDATE.lock", "1.segment", "x.build"])
  func aCatalogIsKnownByItsFiles(name: String) throws {
    try catalog.makeFolder()
    try folder.write([], as: "catalog/\(name)")
    try folder.write([], as: "catalog/notes.txt")
    _ = try CatalogUpdate(at: catalog)
  }

  @Test func aCatalogNeedsAFolderOfItsOwn() throws {
    try catalog.makeFolder()
    _ = try CatalogUpdate(at: catalog)
    try FileManager.default.removeItem(atPath: catalog.appending("UPDATE.lock").string)
    try folder.write([], as: "catalog/CATALOG.txt")
    #expect { _ = try CatalogUpdate(at: catalog) } throws: { "\($0)".contains("something other than a catalog") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: catalog.string) == ["CATALOG.txt"])
    try folder.write([], as: "file")
    #expect { _ = try CatalogUpdate(at: folder.file("file")) } throws: { "\($0)".contains("is a file, and only") }
    // One that is missing is made, with the folders above it.
    _ = try CatalogUpdate(at: folder.file("new/catalog"))
    #expect(folder.file("new/catalog").exists)
  }

  @Test func oneUpdateAtATime() throws {
    let update = try CatalogUpdate(at: catalog)
    #expect(throws: CatalogError.locked(path: catalog.string)) { _ = try CatalogUpdate(at: catalog) }
    withExtendedLifetime(update) {}
  }

  /// More references become several segments, because each is built in memory.
  @Test(arguments: [(4000, 1), (4001, 2)]) func manyReferencesAreAddedInBatches(count: Int, segments: Int) throws {
    try CatalogUpdate(at: catalog).add(Self.references((0..<count).map { "\($0)" }))
    let information = try CustomCatalog(contentsOf: catalog).information
    #expect(information.referenceCount == count && information.segmentCount == segments)
  }

  // MARK: Files

  /// Adds files whose audio is their names; `bad` files cannot be analyzed.
  /// - Returns: The names of the files that failed.
  private func add(_ names: [String], _ rows: [MediaItemTable.Row] = []) throws -> [String] {
    let reader = ReferenceReader(store: nil, timeLimit: .standard) { job in
      let name = job.path.lastComponent?.string ?? ""
      if name.hasPrefix("bad") {
        return FileAnalysis(status: .failed, problem: Problem(stage: .open, code: "bad", message: "It is bad."))
      }
      let signature = Self.signature(Int(name) ?? 0)
      let finding = SignatureFinding(
        version: Signature.version, landmarkCount: signature.landmarkCount, data: signature.bytes)
      return FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID(name),
        outcomes: [
          AnalyzerOutcome(
            analyzer: AnalyzerIdentity(id: "signature", version: 1, digest: ""), result: .finding(finding))
        ])
    }
    var failed: [String] = []
    try CatalogAddition(
      catalog: catalog, files: names.map { FilePath("/music/\($0)") }, rows: rows,
      path: { $0.hasPrefix("/") ? FilePath($0) : nil }, reader: reader
    ).perform { path, problem in failed.append("\(path.lastComponent?.string ?? ""): \(problem.code)") }
    return failed
  }

  @Test func filesAreAddedOneByOne() throws {
    #expect(try add(["1", "bad", "2"]) == ["bad: bad"])
    #expect(try references(catalog).map(\.identifier).sorted() == ["1", "2"].map(Self.id).sorted())
    #expect(try items(of: "1")?.map { $0.properties["path"] } == [.string("/music/1")])
    #expect(try CustomCatalog(contentsOf: catalog).information.segmentCount == 1)
  }

  @Test(arguments: [(100, 1), (101, 2)]) func manyFilesAreAddedInBatches(count: Int, segments: Int) throws {
    #expect(try add((0..<count).map { "\($0)" }) == [])
    let information = try CustomCatalog(contentsOf: catalog).information
    #expect(information.referenceCount == count && information.segmentCount == segments)
  }

  @Test func itemsOfATableReplaceTheTags() throws {
    func row(_ reference: String, _ title: String) -> MediaItemTable.Row {
      MediaItemTable.Row(reference: reference, item: MediaItem(title: title))
    }
    // By the identifier, and by the path, which the items of the table do not repeat.
    let rows = [row(Self.id("1"), "One"), row("/music/2", "Two"), row("/music/2", "Two, too")]
    #expect(try add(["1", "2", "3"], rows) == [])
    #expect(try items(of: "1") == [MediaItem(title: "One")])
    #expect(try items(of: "2") == [MediaItem(title: "Two"), MediaItem(title: "Two, too")])
    #expect(try items(of: "3")?.map { $0.properties["path"] } == [.string("/music/3")])

    // Tracks that are already in the catalog.
    #expect(try add([], [row("/music/3", "Three"), row(Self.id("1"), "A"), row(Self.id("1"), "B")]) == [])
    #expect(try items(of: "3") == [MediaItem(title: "Three")])
    #expect(try items(of: "1") == [MediaItem(title: "A"), MediaItem(title: "B")])
    #expect { try add(["4"], [row(Self.id("1"), "C"), row("unknown", "X")]) } throws: {
      "\($0)".contains("The table names track unknown")
    }
    #expect(try items(of: "1") == [MediaItem(title: "A"), MediaItem(title: "B")])
  }

  // MARK: Merging

  @Test func catalogsAreMerged() throws {
    try CatalogUpdate(at: catalog).add(Self.references(["a", "b"]))
    var newer = Self.references(["b", "c"])
    newer[0].items = [MediaItem(title: "Newer")]
    try CatalogUpdate(at: folder.file("other")).add(newer)
    try CatalogUpdate(at: folder.file("third")).add(Self.references(["d"]))
    try CatalogMerge(catalog: catalog, others: [folder.file("other"), folder.file("third")]).perform()
    #expect(try Set(references(catalog)) == Set(Self.references(["a"]) + newer + Self.references(["d"])))
  }

  @Test func nothingIsMergedIfOneOfThemIsDamaged() throws {
    try CatalogUpdate(at: folder.file("other")).add(Self.references(["a"]))
    try CatalogUpdate(at: folder.file("damaged")).add(Self.references((0..<50).map { "\($0)" }))
    let segment = folder.file("damaged/1.segment")
    let whole = try Data(contentsOf: URL(filePath: segment.string))
    // Damage that is found only by reading everything.
    let isFound = try stride(from: whole.count / 2, to: whole.count, by: 7).contains { offset in
      var bytes = whole
      bytes[offset] ^= 0x55
      try bytes.write(to: URL(filePath: segment.string))
      guard let opened = try? CustomCatalog(contentsOf: folder.file("damaged")) else { return false }
      return (try? opened.verify()) == nil
    }
    #expect(isFound)
    #expect(throws: CatalogError.self) {
      try CatalogMerge(catalog: catalog, others: [folder.file("other"), folder.file("damaged")]).perform()
    }
    #expect(!catalog.exists)
  }
}

/// The catalogs that are queried together, and the tokens for servers.
@Suite(.bounded) struct CatalogSourcesTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func catalog(_ name: String, tracks count: Int) throws -> FilePath {
    let signature = Signature(landmarks: [Landmark(column: 1, band: 1, strength: 1)], columnCount: 9)
    try CatalogUpdate(at: folder.file(name)).add(
      (0..<count).map { ReferenceSignature(identifier: "\(name) \($0)", signature: signature, items: []) })
    return folder.file(name)
  }

  @Test func placesMayBeMissingOnlyBesideServers() throws {
    let server = try ServerAddress("http://127.0.0.1:9")
    let none = folder.file("none")
    let one = try catalog("one", tracks: 1)
    func sources(_ places: [FilePath], _ servers: [ServerAddress], mayBeMissing: Bool) -> CatalogSources {
      CatalogSources(places: places, servers: servers, mayBeMissing: mayBeMissing)
    }
    for sources in [
      sources([none], [], mayBeMissing: false), sources([none], [], mayBeMissing: true),
      sources([none], [server], mayBeMissing: false), CatalogSources(places: [one, none], servers: [server]),
    ] {
      #expect { try sources.local() } throws: { "\($0)".hasPrefix("There is no catalog \(none.string)") }
    }
    let missing = try sources([none], [server], mayBeMissing: true).local()
    #expect(missing.count == 0 && missing.losses.isEmpty)
    for mayBeMissing in [false, true] {
      for servers in [[], [server]] {
        #expect(try sources([one], servers, mayBeMissing: mayBeMissing).local().count == 1)
      }
    }
    #expect(try sources([one, none], [server], mayBeMissing: true).reopened().count == 1)
    #expect(try CatalogSources(places: [one]).parts().isEmpty)
    #expect(try sources([], [server], mayBeMissing: true).parts().map(\.name).count == 1)
  }

  @Test func anEmptyCatalogNeedsServers() throws {
    let empty = try catalog("empty", tracks: 0)
    #expect { try CatalogSources(places: [empty]).local() } throws: {
      "\($0)".hasPrefix("The catalog \(empty.string) is empty")
    }
    let server = try ServerAddress("http://127.0.0.1:9")
    #expect(try CatalogSources(places: [empty], servers: [server]).local().count == 0)
    #expect(try CatalogSources(places: [empty, catalog("two", tracks: 2)]).local().count == 2)
  }

  // MARK: Tokens

  private func tokens(_ text: String) throws -> CatalogTokens {
    try CatalogTokens(in: folder.write(Array(text.utf8), as: "tokens"))
  }

  @Test(arguments: ["\n", "\r\n"]) func tokensBelongToAddresses(newline: String) throws {
    let lines = [
      "# Servers", "", "http://one:1 first", "  \t", "\thttp://two:2 \t second  ", "#http://three:3 third",
    ]
    for text in [lines.joined(separator: newline), lines.map { $0 + newline }.joined()] {
      let tokens = try tokens(text)
      #expect(try tokens[ServerAddress("http://one:1")] == "first")
      #expect(try tokens[ServerAddress("http://two:2")] == "second")
      #expect(try tokens[ServerAddress("http://three:3")] == nil)
    }
  }

  @Test(arguments: [
    "http://one:1", "http://one:1 a b", "one:1 a", "https://one:1 a", "a http://one:1", "http://one:1 a # secret",
  ])
  func aWrongLineIsNamedButNotShown(line: String) throws {
    #expect { try tokens("http://zero:1 secret\n\n\(line)\n") } throws: { error in
      "\(error)".contains("a token in line 3,") && !"\(error)".contains("secret") && !"\(error)".contains("one")
    }
  }

  @Test func aFileThatIsNoListOfTokensIsNotRead() throws {
    #expect { try tokens(String(repeating: "#", count: 1 << 20 + 1)) } throws: { "\($0)".contains("cannot be read") }
    #expect { try CatalogTokens(in: folder.file("none")) } throws: { "\($0)".contains("cannot be read") }
    #expect { try CatalogSources(places: [], tokens: folder.file("none")).parts() } throws: {
      "\($0)".contains("setting catalog_tokens")
    }
  }
}
