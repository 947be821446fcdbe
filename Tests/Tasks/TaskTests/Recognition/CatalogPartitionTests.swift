import Analysis
import AnalysisTesting
import Landmarks
import LibraryTesting
import Recognition
import RecognitionTasks
import Records
import ResultStore
import SystemPackage
import Testing

/// Partitioned catalogs compared with one catalog of the same library.
@Suite(.bounded) struct CatalogPartitionTests {
  @Test(
    arguments: [
      "", "x", "4/4", "5/4", "1/0", "0/0", "-1/4", "1/-4", "+1/4", "1", "1/", "/4", "1/2/3", " 1/2", "1/٤",
      "1/99999999999999999999",
    ])
  func whatIsNoPart(text: String) { #expect(CatalogPartition(text) == nil) }

  @Test func eachIDIsInOneOfEqualParts() throws {
    var random = SplitMix64(seed: 1)
    let ids = (0..<7_000).map { _ in ContentID(high: random.next(), low: random.next()) }
    for count in [1, 2, 7] {
      let parts = try (0..<count).map { try #require(CatalogPartition("\($0)/\(count)")) }
      let sizes = parts.map { part in ids.count { part.contains($0) } }
      #expect(ids.allSatisfy { id in parts.count { $0.contains(id) } == 1 })
      // At most five standard deviations of a binomial distribution.
      let mean = Double(ids.count) / Double(count)
      #expect(sizes.allSatisfy { abs(Double($0) - mean) <= 5 * mean.squareRoot() }, "\(sizes)")
    }
  }

  /// Builds of every later version must find the tracks of earlier ones. By `xxhsum -H2` of the ids' text, modulo 5.
  @Test(arguments: [("0000000000000000000000", 3), ("0000000000000000000001", 4), ("7n42DGM5Tflk9n8mt7Fhc7", 0)])
  func partsStayTheSame(id: String, index: Int) throws {
    let id = try #require(ContentID(id))
    #expect(try #require(CatalogPartition("\(index)/5")).contains(id))
  }

  private static func counts(_ outcome: CatalogSynchronization.Outcome) -> [Int] {
    [outcome.added, outcome.updated, outcome.removed, outcome.unchanged, outcome.leftAlone, outcome.unsigned]
  }

  @Test(arguments: [1, 2, 3, 8])
  func togetherPartsHoldWhatOneBuildHolds(count: Int) throws {
    let music = try ChangingMusic(seed: UInt64(count))
    let parts = try (0..<count).map { number in
      (folder: music.catalogs.file("part-\(number)"), part: try #require(CatalogPartition("\(number)/\(count)")))
    }
    let whole = music.catalogs.file("whole")
    for night in 0..<7 {
      let vanished = try music.change(adding: night == 0 ? 12 : 3)
      let all = try music.build(whole)
      var sums = Array(repeating: 0, count: Self.counts(all).count)
      var joined: [ReferenceSignature] = []
      for (folder, part) in parts {
        let outcome = try music.build(folder, part)
        sums = zip(sums, Self.counts(outcome)).map(+)
        let references = try music.references(folder)
        for reference in references { #expect(part.contains(try #require(ContentID(reference.identifier)))) }
        joined += references
      }
      #expect(sums == Self.counts(all), "night \(night)")
      #expect(all.removed == vanished)
      let expected = try music.references(whole)
      #expect(joined.count == expected.count)
      #expect(Set(joined) == Set(expected), "night \(night)")
      // One of them is removed by hand, from the catalog that has it.
      if let taken = expected.randomElement(using: &music.random)?.identifier {
        let id = try #require(ContentID(taken))
        for folder in [whole] + parts.filter({ $0.part.contains(id) }).map(\.folder) {
          try CatalogRemoval(catalog: folder, tracks: [taken], path: { _ in nil }).perform()
        }
        music.takenOut.insert(taken)
      }
    }
  }
}

/// A library that gains, loses, copies and retags files from night to night.
private final class ChangingMusic {
  let catalogs: TemporaryDirectory
  var random: SplitMix64
  /// Identifiers of tracks that were removed from catalogs by hand.
  var takenOut: Set<String> = []
  private let library: ScannedLibrary
  private var files: [FilePath: (audio: String, title: String)] = [:]
  private var nextNumber = 0

  private static let signature = AnalyzerIdentity(id: "signature", version: 1, digest: "s1")

  init(seed: UInt64) throws {
    catalogs = try TemporaryDirectory()
    random = SplitMix64(seed: seed)
    library = try ScannedLibrary()
    library.wanted = ScannedLibrary.wanted(extra: [Self.signature])
  }

  /// - Returns: Number of tracks that vanished with all their copies, except those removed by hand.
  func change(adding count: Int) throws -> Int {
    let before = Set(files.values.map(\.audio))
    for _ in 0..<Int.random(in: 0...2, using: &random) where files.count > 3 {
      guard let path = paths.randomElement(using: &random) else { continue }
      files[path] = nil
      library.remove(path)
    }
    if let path = paths.randomElement(using: &random) {
      put(path, audio: files[path]?.audio ?? "", title: "Other \(nextNumber)")
    }
    if let copied = paths.randomElement(using: &random) {
      put(newPath("copies"), audio: files[copied]?.audio ?? "", title: "Copy")
    }
    for _ in 0..<count {
      let path = newPath("new")
      // Every sixth file has no signature.
      let kind = nextNumber.isMultiple(of: 6) ? "unsigned" : "audio"
      put(path, audio: "\(kind) \(nextNumber)", title: "Title \(nextNumber)")
    }
    try library.night { file in self.analysis(of: file) }
    let gone = before.subtracting(files.values.map(\.audio)).filter { !$0.hasPrefix("unsigned") }
    return gone.count { !takenOut.contains(ScannedLibrary.contentID($0).description) }
  }

  private var paths: [FilePath] { files.keys.sorted { $0.string < $1.string } }

  private func newPath(_ folder: String) -> FilePath {
    nextNumber += 1
    return FilePath("/music/\(folder)/\(nextNumber) ü.flac")
  }

  private func put(_ path: FilePath, audio: String, title: String) {
    nextNumber += 1
    files[path] = (audio, title)
    library.put(path, modified: Int64(nextNumber) * 1_000_000_000)
  }

  private func analysis(of file: PendingFile) -> FileAnalysis {
    let (audio, title) = files[file.path] ?? ("", "")
    var analysis = ScannedLibrary.analysis(of: file, title: title, audio: audio)
    if !audio.hasPrefix("unsigned") {
      let signature = Self.signature(of: audio)
      let finding = SignatureFinding(
        version: Signature.version, landmarkCount: signature.landmarkCount, data: signature.bytes)
      analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.signature, result: .finding(finding)))
    }
    return analysis
  }

  private static func signature(of audio: String) -> Signature {
    var random = SplitMix64(seed: ScannedLibrary.contentID(audio).low)
    let landmarks = (0..<200).map { column in
      Landmark(column: column, band: Int.random(in: 0..<Landmark.bandCount, using: &random), strength: 5)
    }
    return Signature(landmarks: landmarks, columnCount: 200)
  }

  func build(_ folder: FilePath, _ part: CatalogPartition? = nil) throws -> CatalogSynchronization.Outcome {
    try CatalogSynchronization(catalog: folder, store: library.store, partition: part).perform()
  }

  func references(_ folder: FilePath) throws -> [ReferenceSignature] {
    var references: [ReferenceSignature] = []
    try CustomCatalog(contentsOf: folder).forEachReference { references.append($0) }
    return references
  }
}
