import Analysis
import AnalysisTesting
import Glibc
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

func unlinkQuietly(_ path: FilePath) { unlink(path.string) }

@Suite(.bounded) struct CatalogTests {
  private static let query = Catalogs.query(Music.piece(seed: 7, seconds: 8, from: 9))

  private static func answer(_ catalog: CustomCatalog) throws -> MatchedMediaItem? {
    try RecognitionSession(catalog: catalog).match(query).match?.best
  }

  @Test func aFileHoldsTheWholeCatalog() throws {
    try Catalogs.withDirectory { directory in
      let path = directory.appending("pieces.catalog")
      try Catalogs.catalog.write(to: path)
      let read = try CustomCatalog(contentsOf: path)
      try read.verify()
      #expect(read.count == Catalogs.references.count)
      var references: [ReferenceSignature] = []
      try read.forEachReference { references.append($0) }
      #expect(references == Catalogs.references)
      #expect(try Self.answer(read) == Self.answer(Catalogs.catalog))
      #expect(Catalogs.names(in: directory) == ["pieces.catalog"])
    }
  }

  @Test func mergingGivesWhatBuildingAtOnceGives() throws {
    try Catalogs.withDirectory { directory in
      let (whole, merged) = (directory.appending("whole"), directory.appending("merged"))
      try Catalogs.catalog.write(to: whole)
      var catalog = CustomCatalog()
      for part in [0..<3, 3..<4, 4..<9] {
        var piece = CustomCatalog()
        for reference in Catalogs.references[part] { try piece.add(reference) }
        try catalog.merge(piece)
      }
      try catalog.write(to: merged)
      #expect(try Catalogs.read(whole) == Catalogs.read(merged))
    }
  }

  @Test func removingGivesWhatNeverAddingGives() throws {
    try Catalogs.withDirectory { directory in
      let (without, removed) = (directory.appending("without"), directory.appending("removed"))
      var catalog = CustomCatalog()
      for reference in Catalogs.references where reference.identifier != "piece-7" { try catalog.add(reference) }
      try catalog.write(to: without)
      catalog = try CustomCatalog(contentsOf: without)
      var all = CustomCatalog()
      try Catalogs.catalog.write(to: removed)
      all = try CustomCatalog(contentsOf: removed)
      all.remove(["piece-7", "never there"])
      #expect(all.count == 8)
      #expect(try Self.answer(all) == nil)
      try all.write(to: removed)
      #expect(try Catalogs.read(without) == Catalogs.read(removed))
    }
  }

  @Test func aReferenceIsReplacedByOneOfItsName() throws {
    var catalog = Catalogs.catalog
    let other = ReferenceSignature(identifier: "piece-7", signature: Catalogs.references[0].signature, items: [])
    try catalog.add(other)
    #expect(catalog.count == 9)
    #expect(try Self.answer(catalog) == nil)
  }

  /// An unreadable folder may contain segments, so it does not count as an empty catalog.
  @Test func aFolderThatCannotBeReadIsNoEmptyCatalog() throws {
    try Catalogs.withDirectory { path in
      try CatalogDirectory(at: path).add(Array(Catalogs.references[0..<2]))
      unlinkQuietly(path.appending("CATALOG"))
      #expect(chmod(path.string, 0o311) == 0)
      defer { chmod(path.string, 0o755) }
      let error = withoutPrivileges { #expect(throws: CatalogError.self) { try CatalogDirectory(at: path).catalog() } }
      guard case .unreadable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func aDirectoryGrowsWithoutRewritingWhatIsThere() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      #expect(try directory.catalog().count == 0)
      try directory.add(Array(Catalogs.references[0..<6]))
      let before = try Catalogs.read(path.appending("1.segment"))
      try directory.add(Array(Catalogs.references[6..<9]))
      #expect(Catalogs.names(in: path) == ["1.segment", "2.segment", "CATALOG", "LOCK"])
      #expect(try Catalogs.read(path.appending("1.segment")) == before)
      #expect(try directory.catalog().count == 9)
      #expect(try Self.answer(CustomCatalog(contentsOf: path)) == Self.answer(Catalogs.catalog))

      let open = try directory.catalog()
      try directory.remove(["piece-7"])
      #expect(try Self.answer(directory.catalog()) == nil)
      try directory.compact()
      #expect(Catalogs.names(in: path) == ["3.segment", "CATALOG", "LOCK"])
      #expect(try directory.catalog().count == 8)
      // A process that opened it before still sees the old contents.
      #expect(try Self.answer(open)?.referenceIdentifier == "piece-7")
    }
  }

  @Test func whatIsThereAlreadyIsNotAddedAgain() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<6]))
      let list = try Catalogs.read(path.appending("CATALOG"))
      try directory.add(Array(Catalogs.references[0..<6]))
      #expect(Catalogs.names(in: path) == ["1.segment", "CATALOG", "LOCK"])
      #expect(try Catalogs.read(path.appending("CATALOG")) == list)
      // A changed reference replaces the old one, and nothing else is written.
      var changed = Catalogs.references[2]
      changed.items = [MediaItem(title: "Other")]
      try directory.add(Array(Catalogs.references[0..<2]) + [changed])
      #expect(try Segment(contentsOf: path.appending("2.segment")).trackCount == 1)
      #expect(try directory.catalog().count == 6)
      #expect(try directory.catalog().reference("piece-3") == changed)
    }
  }

  /// A table of all lists alone takes 0.9 MB.
  @Test func aSmallSegmentIsSmall() throws {
    var one = CustomCatalog()
    try one.add(Catalogs.references[6])
    try one.seal()
    #expect(one.information.sizeBytes < 90_000, "\(one.information.sizeBytes)")
    #expect(try Self.answer(one) == Self.answer(Catalogs.catalog))
  }

  /// Each file of a catalog is removed, truncated and overwritten.
  @Test(arguments: ["CATALOG", "1.segment", "2.segment"], [0, 1, 2, 3])
  func aDamagedDirectoryIsRepaired(name: String, kind: Int) throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<6]))
      try directory.add(Array(Catalogs.references[6..<9]))
      #expect(try directory.repair() == nil)
      let file = path.appending(name)
      var bytes = try Catalogs.read(file)
      switch kind {
      case 0: unlinkQuietly(file)
      case 1: try Catalogs.write(Array(bytes[..<(bytes.count / 2)]), to: file)
      case 2: try Catalogs.write(Array(repeating: 0x41, count: bytes.count), to: file)
      default:
        bytes[bytes.count / 2] ^= 0x10
        try Catalogs.write(bytes, to: file)
      }
      #expect(throws: CatalogError.self) { try directory.catalog().verify() }
      // Damage is not overwritten silently.
      if name == "CATALOG" { #expect(throws: CatalogError.self) { try directory.remove(["piece-1"]) } }
      let repair = try #require(try directory.repair())
      #expect(try directory.repair() == nil)
      try directory.catalog().verify()
      let count = try directory.catalog().count
      if name == "CATALOG" {
        #expect(repair == CatalogDirectory.Repair(hasLostList: true))
        #expect(count == 9)
      } else {
        #expect(!repair.hasLostList)
        #expect(repair.restoredSegments + repair.lostSegments == [name])
        #expect(count == (repair.lostSegments.isEmpty ? 9 : name == "1.segment" ? 3 : 6))
      }
      try directory.add(Catalogs.references)
      #expect(try Self.answer(directory.catalog()) == Self.answer(Catalogs.catalog))
    }
  }

  @Test func anIndexThatIsDamagedIsMadeAgain() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<6]))
      try directory.remove(["piece-2"])
      let entry = SegmentFormat.Header.sections
      for section in [SegmentFormat.Section.postings, .listBases, .listOffsets, .blocks] {
        let name = Catalogs.names(in: path)[0]
        var bytes = try Catalogs.read(path.appending(name))
        let place = entry + section.rawValue * SegmentFormat.Header.sectionSize
        let start = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        bytes[start + 1] ^= 0x55
        try Catalogs.write(bytes, to: path.appending(name))
        #expect(try directory.repair() == CatalogDirectory.Repair(restoredSegments: [name]))
        #expect(try directory.catalog().count == 5)
      }
    }
  }

  @Test func whatIsMergedDependsOnTheSizes() {
    let night = 1_200_000
    // A night's tracks beside a large segment stay separate until they are half as large.
    #expect(CatalogDirectory.worthMerging([600 << 20, night]) == nil)
    #expect(CatalogDirectory.worthMerging([600 << 20, 290 << 20, night]) == nil)
    #expect(CatalogDirectory.worthMerging([600 << 20, 290 << 20, night, 11 << 20]) == [0, 1, 2, 3])
    // Eight segments of about one size are merged; in a small catalog, fewer are not.
    #expect(CatalogDirectory.worthMerging(Array(repeating: night, count: 7)) == nil)
    #expect(CatalogDirectory.worthMerging([600 << 20] + Array(repeating: night, count: 8)) == Array(1...8))
    // Columns are 32-bit numbers.
    #expect(CatalogDirectory.worthMerging([3 << 30, 2 << 30]) == nil)
  }

  @Test func manySmallSegmentsAreMerged() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      for reference in Catalogs.references { try directory.add([reference]) }
      #expect(try directory.catalog().segments.count < 8)
      #expect(try directory.catalog().count == 9)
      try directory.add([Catalogs.references[6]])
      #expect(try directory.catalog().count == 9)
      #expect(try Self.answer(directory.catalog())?.referenceIdentifier == "piece-7")
    }
  }

  @Test func aCrashWhileWritingLeavesTheOldCatalog() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<2]))
      // The remains of a killed writer: an unlisted segment, and half of a new list.
      try Catalogs.write(Array("half".utf8), to: path.appending("2.segment.new-1"))
      try Catalogs.write(Array("nocturne cat".utf8), to: path.appending("CATALOG.new-1"))
      #expect(try directory.catalog().count == 2)
      try directory.add(Array(Catalogs.references[2..<3]))
      #expect(try directory.catalog().count == 3)
      #expect(!Catalogs.names(in: path).contains("2.segment.new-1"))
    }
  }

  /// A killed writer leaves a segment under a temporary name, which may be as large as the catalog.
  @Test(arguments: [true, false]) func theNextBuildRemovesUnfinishedSegments(isRepair: Bool) throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<2]))
      for number in 0..<3 {
        try Catalogs.write(Array("half".utf8), to: path.appending(".nocturne-000000000000000\(number).partial"))
      }
      if isRepair {
        #expect(try directory.repair() == nil)
      } else {
        // Nothing is new.
        try directory.add(Array(Catalogs.references[0..<2]))
      }
      #expect(Catalogs.names(in: path) == ["1.segment", "CATALOG", "LOCK"])
    }
  }

  @Test func theReadablePartOfADamagedCatalogOpens() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      for range in [0..<3, 3..<6, 6..<9] { try directory.add(Array(Catalogs.references[range])) }
      #expect(try CustomCatalog(readableFrom: path).losses.isEmpty)
      try Catalogs.write(Array("damage".utf8), to: path.appending("2.segment"))
      let catalog = try CustomCatalog(readableFrom: path)
      #expect(catalog.count == 6)
      #expect(catalog.losses.map(\.name) == [path.appending("2.segment").string])
      #expect(throws: CatalogError.self) { try CustomCatalog(contentsOf: path) }
      let session = try RecognitionSession(catalog: catalog)
      #expect(session.match(Catalogs.query(Music.piece(seed: 1, seconds: 8, from: 4))).match != nil)
      #expect(session.takeMissingCatalogs() == catalog.losses)
      for name in ["1.segment", "3.segment"] { try Catalogs.write([], to: path.appending(name)) }
      #expect(throws: CatalogError.self) { try CustomCatalog(readableFrom: path) }
    }
  }

  @Test func thereIsOneWriterAtATime() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add([Catalogs.references[0]])
      let lock = try FileDescriptor.open(path.appending("LOCK"), .readWrite)
      defer { try? lock.close() }
      #expect(flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0)
      #expect(throws: CatalogError.locked(path: path.string)) { try directory.remove(["piece-1"]) }
      #expect(try directory.catalog().count == 1)
    }
  }

  /// With a link in place of the lock, any file could be created or kept open.
  @Test func theLockIsNoLink() throws {
    try Catalogs.withDirectory { path in
      let target = path.appending("elsewhere")
      #expect(symlink(target.string, path.appending("LOCK").string) == 0)
      #expect(throws: CatalogError.self) { try CatalogDirectory(at: path).add([Catalogs.references[0]]) }
      #expect(!Catalogs.names(in: path).contains("elsewhere"))
    }
  }

  /// Adding sixteen times as many references takes sixteen times as long, not 256 times.
  @Test func addingIsLinear() throws {
    let landmarks = (0..<50).map { Landmark(column: 10 * $0, band: 20 + $0, strength: 3) }
    let signature = Signature(landmarks: landmarks, columnCount: 600)
    /// Processor time of this thread in seconds.
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    func adding(_ count: Int) throws -> Double {
      let start = now()
      var catalog = CustomCatalog()
      // Each twice: the second one replaces the first.
      for number in 0..<2 * count {
        try catalog.add(ReferenceSignature(identifier: "\(number % count)", signature: signature, items: []))
      }
      #expect(catalog.count == count)
      return now() - start
    }
    let few = try (0..<3).map { _ in try adding(625) }.min() ?? 0
    let many = try adding(10_000)
    #expect(many / few < 64, "\(few) s, \(many) s")
  }

  @Test func whatIsTakenOutOfACatalogInMemoryIsGone() throws {
    var catalog = CustomCatalog()
    for reference in Catalogs.references[0..<4] { try catalog.add(reference) }
    try catalog.seal()
    for reference in Catalogs.references[4..<7] { try catalog.add(reference) }
    catalog.remove(["piece-1", "piece-6", "none", "piece-1"])
    try catalog.add(Catalogs.references[1])
    #expect(catalog.count == 5)
    #expect(abs(catalog.information.duration - 5 * Catalogs.seconds) < 1)
    var names: [String] = []
    catalog.forEachEntry { names.append($0.identifier) }
    #expect(names == ["piece-3", "piece-4", "piece-5", "piece-7", "piece-2"])
    #expect(Set(try catalog.references(["piece-1", "piece-2", "piece-7"]).keys) == ["piece-2", "piece-7"])
    var other = CustomCatalog()
    for reference in Catalogs.references[5..<8] { try other.add(reference) }
    try catalog.merge(other)
    #expect(catalog.count == 7)
    catalog.remove(["piece-8", "piece-3"])
    #expect(catalog.present(["piece-3", "piece-7", "piece-8"]) == ["piece-7"])
    #expect(try catalog.sealed().count == 5)
  }

  @Test func foreignFilesAreRefused() throws {
    try Catalogs.withDirectory { directory in
      let path = directory.appending("file")
      #expect(throws: CatalogError.self) { try CustomCatalog(contentsOf: path) }
      for content in ["", "a", String(repeating: "some text\n", count: 1000)] {
        try Catalogs.write(Array(content.utf8), to: path)
        #expect(throws: CatalogError.notACatalog(path: path.string)) { try CustomCatalog(contentsOf: path) }
      }
      try Catalogs.write(Array("nocturne catalog 9\n".utf8), to: directory.appending("CATALOG"))
      #expect(throws: CatalogError.self) { try CustomCatalog(contentsOf: directory) }
    }
  }

  @Test func damageIsFoundAndNeverCrashes() throws {
    try Catalogs.withDirectory { directory in
      let path = directory.appending("damaged")
      var small = CustomCatalog()
      for reference in Catalogs.references[0..<3] { try small.add(reference) }
      try small.write(to: path)
      let good = try Catalogs.read(path)
      for length in [1, 100, 255, 256, 300, good.count / 2, good.count - 1] {
        try Catalogs.write(Array(good[..<length]), to: path)
        #expect(throws: CatalogError.self) { try CustomCatalog(contentsOf: path) }
      }
      var random = Music.Random(state: 1)
      let query = Catalogs.query(Music.piece(seed: 2, seconds: 5, from: 3))
      for round in 0..<24 {
        var bytes = good
        for _ in 0..<(round < 12 ? 1 : 500) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard bytes != good else { continue }
        try Catalogs.write(bytes, to: path)
        // Damage in parts that are not checked on opening must be found by `verify`, and must not crash a query.
        do {
          let catalog = try CustomCatalog(contentsOf: path)
          #expect(throws: CatalogError.self) { try catalog.verify() }
          _ = try RecognitionSession(catalog: catalog).match(query)
        } catch is CatalogError {}
      }
    }
  }

  @Test func anEmptyCatalogAnswersNothing() throws {
    try Catalogs.withDirectory { directory in
      let path = directory.appending("empty")
      try CustomCatalog().write(to: path)
      let catalog = try CustomCatalog(contentsOf: path)
      #expect(catalog.count == 0)
      #expect(try Self.answer(catalog) == nil)
      #expect(try Self.answer(CustomCatalog()) == nil)
    }
  }
}

@Suite(.bounded) struct VoteTableTests {
  @Test(arguments: [0, 3_000_000_000])
  func placesWithTheMostVotesComeFirst(first: Int) throws {
    // Counts the same votes in a single table and in stretches.
    var builder = SegmentBuilder()
    let landmarks = (0..<40).map { Landmark(column: $0 * 10, band: 60 + $0 % 3, strength: 9) }
    try builder.add(
      Signature(landmarks: landmarks, columnCount: 500), identifier: ContentID(high: 0, low: 0), items: [])
    let segment = try builder.build()
    var table = VoteTable()
    table.reset(binCount: (first + 1000) / 2, byteCount: 1000)
    for key in 0..<LandmarkPair.keyCount {
      table.add(segment.list(segment.listNumber(ofKey: key, context: 0)), of: segment, offset: first, binWidthLog2: 1)
    }
    var expected: [Int: Int] = [:]
    LandmarkPair.forEach(in: landmarks) { _, _, column in expected[(first + column) / 2, default: 0] += 1 }
    let places = table.strongest(5)
    let sum = try #require(places.first)
    let best = expected.keys.map { expected[$0, default: 0] + expected[$0 + 1, default: 0] }.max()
    #expect(sum.votes == best)
    #expect(expected[sum.bin, default: 0] + expected[sum.bin + 1, default: 0] == best)
    #expect(places.map(\.votes) == places.map(\.votes).sorted(by: >))
  }
}
