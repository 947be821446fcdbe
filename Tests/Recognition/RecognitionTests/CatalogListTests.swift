import Analysis
import AnalysisTesting
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

/// The list of a catalog's segments, and changes to it.
@Suite(.bounded) struct CatalogListTests {
  /// A list with these lines and a valid checksum.
  private static func text(_ lines: String...) -> String {
    let joined = lines.joined(separator: "\n")
    return joined + "\nchecksum \(ContentID(hashing: Array(joined.utf8)))\n"
  }

  private static func error(_ text: String) -> CatalogError? {
    do throws(CatalogError) {
      _ = try CatalogList(text: text, path: "C")
      return nil
    } catch {
      return error
    }
  }

  @Test func aListIsReadAsItWasWritten() throws {
    var list = CatalogList()
    list.next = 9
    list.entries = [
      CatalogList.Entry(name: "3.segment", removed: []), CatalogList.Entry(name: "8.segment", removed: [11, 0, 2]),
    ]
    let text = Self.text(
      "nocturne catalog 1", "next 9", "segment 3.segment removed", "segment 8.segment removed 0 2 11")
    #expect(list.text == text)
    #expect(try CatalogList(text: text, path: "C") == list)
    #expect(try CatalogList(text: Self.text("nocturne catalog 1"), path: "C") == CatalogList())
    // Numbers that no track has are left out.
    let strange = Self.text("nocturne catalog 1", "segment a removed -1 x 0")
    #expect(try CatalogList(text: strange, path: "C").entries == [CatalogList.Entry(name: "a", removed: [0])])
  }

  @Test func damageToAListIsNamed() {
    let good = Self.text("nocturne catalog 1", "next 2", "segment 1.segment removed")
    #expect(Self.error(good) == nil)
    #expect(Self.error("") == .notACatalog(path: "C"))
    #expect(Self.error("some text\n") == .notACatalog(path: "C"))
    #expect(Self.error(Self.text("nocturne catalog 2")) == .otherVersion(path: "C", version: 2))
    #expect(Self.error(Self.text("nocturne catalog x")) == .otherVersion(path: "C", version: 0))
    #expect(Self.error(String(good.dropLast())) == .damaged(path: "C", detail: "cut off"))
    #expect(Self.error("nocturne catalog 1\n") == .damaged(path: "C", detail: "cut off"))
    #expect(Self.error(good.replacing("next 2", with: "next 3")) == .damaged(path: "C", detail: "checksum"))
    for line in [
      "next", "next x", "next 2 3", "last 2", "segment a", "segment a dropped", "part a removed",
      "segment ../a removed",
    ] {
      #expect(
        Self.error(Self.text("nocturne catalog 1", line)) == .damaged(path: "C", detail: "line \(line)"), "\(line)")
    }
  }

  /// New segments of a list that was lost do not take the names of those that are there.
  @Test func aListOfSegmentsGoesOnAfterTheLast() {
    #expect(CatalogList(segments: ["3.segment", "12.segment", "7.segment"]).next == 13)
    #expect(CatalogList(segments: ["3.segment"]).entries == [CatalogList.Entry(name: "3.segment", removed: [])])
    #expect(CatalogList(segments: []).next == 1)
  }

  @Test func segmentsOfSimilarSizesAreMerged() {
    let large = 1 << 24
    #expect(CatalogDirectory.worthMerging([large, large / 2]) == [0, 1])
    #expect(CatalogDirectory.worthMerging([large, large / 2 - 1]) == nil)
    #expect(CatalogDirectory.worthMerging([large - 1, large / 2]) == nil)
    #expect(CatalogDirectory.worthMerging([5, large / 2, large]) == [0, 1, 2])
    // A segment has fewer than 2³² − 2 columns.
    #expect(CatalogDirectory.worthMerging([1 << 31, 1 << 31 - 3]) == [0, 1])
    #expect(CatalogDirectory.worthMerging([1 << 31, 1 << 31 - 2]) == nil)
    // Eight, none of which is more than eight times as large as another.
    #expect(CatalogDirectory.worthMerging([1, 1, 8, 1, 1, 1, 1, 1]) == Array(0..<8))
    #expect(CatalogDirectory.worthMerging([1, 1, 9, 1, 1, 1, 1, 1]) == nil)
    #expect(CatalogDirectory.worthMerging([0, 0, 8, 0, 0, 0, 0, 0]) == Array(0..<8))
    #expect(CatalogDirectory.worthMerging([0, 0, 9, 0, 0, 0, 0, 0]) == nil)
    #expect(CatalogDirectory.worthMerging([1] + Array(repeating: 10, count: 8)) == Array(1...8))
    #expect(CatalogDirectory.worthMerging(Array(repeating: 10, count: 8) + [1000]) == Array(0..<8))
    #expect(CatalogDirectory.worthMerging([]) == nil)
  }

  @Test func onlyWhatCanBeSmallerIsCompacted() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<2]))
      let list = try Catalogs.read(path.appending("CATALOG"))
      try directory.compact()
      #expect(try Catalogs.read(path.appending("CATALOG")) == list)
      try directory.remove(["piece-1"])
      try directory.compact()
      #expect(Catalogs.names(in: path) == ["2.segment", "CATALOG", "LOCK"])
      #expect(try directory.catalog().present(["piece-1", "piece-2"]) == ["piece-2"])
      // Nothing to add or remove writes nothing.
      let after = try Catalogs.read(path.appending("CATALOG"))
      try directory.add([])
      try directory.remove(["piece-1"])
      #expect(try Catalogs.read(path.appending("CATALOG")) == after)
    }
  }

  /// Without its list, a catalog contains each track once, as it was added last.
  @Test func aLostListKeepsTheLatestOfEachTrack() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<3]))
      var changed = Catalogs.references[1]
      changed.items = [MediaItem(title: "Changed")]
      try directory.add([changed])
      unlinkQuietly(path.appending("CATALOG"))
      // A foreign file is no segment.
      try Catalogs.write([1], to: path.appending("notes.segment.txt"))
      try Catalogs.write([1], to: path.appending("x.segment"))
      #expect(throws: CatalogError.damaged(path: path.appending("CATALOG").string, detail: "missing")) {
        try directory.catalog()
      }
      #expect(try directory.repair() == CatalogDirectory.Repair(hasLostList: true))
      #expect(try directory.catalog().count == 3)
      #expect(try directory.catalog().reference("piece-2") == changed)
      try directory.add([Catalogs.references[3]])
      #expect(Catalogs.names(in: path) == ["1.segment", "2.segment", "3.segment", "CATALOG", "LOCK"])
    }
  }

  /// The last of several references with one name counts.
  @Test func theLastOfReferencesOfOneNameIsAdded() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      var other = Catalogs.references[0]
      other.items = [MediaItem(title: "Other")]
      try directory.add([Catalogs.references[0], Catalogs.references[1], other])
      let catalog = try directory.catalog()
      #expect(catalog.count == 2 && catalog.segments[0].trackCount == 2)
      #expect(try catalog.reference("piece-1") == other)
      #expect(catalog.unchanged([other, Catalogs.references[1], Catalogs.references[2]]) == ["piece-1", "piece-2"])
      // Each part of a reference may have changed.
      var changed = other
      changed.signature = Catalogs.references[3].signature
      #expect(catalog.unchanged([changed, Catalogs.references[1]]) == ["piece-2"])
      changed = other
      changed.signature = Signature(landmarks: other.signature.landmarks, columnCount: other.signature.columnCount + 1)
      #expect(catalog.unchanged([changed]).isEmpty)
      #expect(catalog.unchanged([Catalogs.references[0]]).isEmpty)
    }
  }

  /// A list that names tracks its segment does not have is damaged, and repaired.
  @Test func removedTracksAreThoseOfTheSegment() throws {
    try Catalogs.withDirectory { path in
      let directory = CatalogDirectory(at: path)
      try directory.add(Array(Catalogs.references[0..<2]))
      func write(_ removed: String) throws {
        let text = Self.text("nocturne catalog 1", "next 2", "segment 1.segment removed \(removed)")
        try Catalogs.write(Array(text.utf8), to: path.appending("CATALOG"))
      }
      try write("1")
      #expect(try directory.catalog().count == 1)
      try write("2")
      #expect(
        throws: CatalogError.damaged(
          path: path.appending("CATALOG").string, detail: "removed tracks of 1.segment")
      ) { try directory.catalog() }
    }
  }

  // MARK: Catalogs in memory

  /// Two hundred hours become a segment, so that memory does not grow without limit.
  @Test func longCatalogsAreSealed() throws {
    let hours = 100 * 112_500
    func reference(_ name: String, _ columnCount: Int) throws -> ReferenceSignature {
      ReferenceSignature(
        identifier: name, signature: try Signature(body: [], columnCount: columnCount), items: [])
    }
    var catalog = CustomCatalog()
    try catalog.add(reference("a", hours))
    try catalog.add(reference("b", hours))
    #expect(catalog.segments.isEmpty && catalog.count == 2)
    #expect(catalog.information.duration == 720_000 && catalog.information.segmentCount == 0)
    // Removed again: its time does not count.
    catalog.remove(["b"])
    #expect(catalog.information.duration == 360_000 && catalog.count == 1)
    try catalog.add(reference("c", hours))
    #expect(catalog.segments.isEmpty)
    try catalog.add(reference("d", 1))
    #expect(catalog.segments.count == 1 && catalog.count == 3)
    #expect(catalog.information.duration == 720_000.032)
    try catalog.add(reference("e", hours))
    #expect(catalog.segments.count == 1 && catalog.information.referenceCount == 4)
    catalog.remove(["d", "e"])
    #expect(catalog.information.duration == 720_000)
  }

  @Test func entriesAreListedInPages() throws {
    var catalog = CustomCatalog()
    for reference in Catalogs.references[0..<4] { try catalog.add(reference) }
    try catalog.seal()
    for reference in Catalogs.references[4..<7] { try catalog.add(reference) }
    catalog.remove(["piece-2", "piece-6"])
    func names(_ offset: Int, _ limit: Int) -> [String] {
      catalog.entries(offset: offset, limit: limit).map(\.identifier)
    }
    #expect(names(0, 9) == ["piece-1", "piece-3", "piece-4", "piece-5", "piece-7"])
    #expect(names(1, 3) == ["piece-3", "piece-4", "piece-5"])
    #expect(names(4, 1) == ["piece-7"])
    #expect(names(5, 1) == [] && names(0, 0) == [])
    for name in ["piece-3", "piece-7"] {
      let entry = try #require(catalog.entry(name))
      let reference = try #require(Catalogs.references.first { $0.identifier == name })
      #expect(entry == CustomCatalog.Entry(reference))
      #expect(entry.duration == reference.signature.duration)
      #expect(entry.landmarkCount == reference.signature.landmarkCount)
    }
    #expect(catalog.entry("piece-2") == nil && catalog.entry("piece-6") == nil && catalog.entry("none") == nil)
    let information = catalog.information
    #expect(information.referenceCount == 5 && information.segmentCount == 1)
    #expect(information.landmarkCount == Catalogs.references[0..<4].reduce(0) { $0 + $1.signature.landmarkCount })
    #expect(information.sizeBytes > 0 && information.postingCount > 0)
  }

  @Test func tracksAreRefusedThatNoSegmentCanHold() throws {
    var builder = SegmentBuilder()
    let identifier = ContentID(high: 0, low: 0)
    #expect(throws: CatalogError.tooLarge) {
      try builder.add(Signature(body: [], columnCount: 1 << 30 + 1), identifier: identifier, items: [])
    }
    #expect(builder.trackCount == 0 && builder.nextColumn == 0)
    for _ in 0..<3 {
      try builder.add(Signature(body: [], columnCount: 1 << 30), identifier: identifier, items: [])
    }
    #expect(builder.nextColumn == 3 << 30 + 3 * 256)
    // The rest up to 2³² − 2.
    let left = 1 << 32 - 2 - builder.nextColumn - 256
    #expect(throws: CatalogError.tooLarge) {
      try builder.add(Signature(body: [], columnCount: left + 1), identifier: identifier, items: [])
    }
    try builder.add(Signature(body: [], columnCount: left), identifier: identifier, items: [])
    #expect(builder.nextColumn == 1 << 32 - 2 && builder.trackCount == 4)
  }

  // MARK: Errors

  @Test func errorsSayWhatIsWrong() {
    #expect("\(CatalogError.unreadable(path: "p", reason: "r"))" == "p cannot be read: r")
    #expect("\(CatalogError.unwritable(path: "p", reason: "r"))" == "p cannot be written: r")
    #expect("\(CatalogError.notACatalog(path: "p"))" == "p is not a recognition catalog")
    #expect(
      "\(CatalogError.otherVersion(path: "p", version: 9))" == "p has format 9, but this program reads format 4")
    #expect("\(CatalogError.damaged(path: "p", detail: "d"))" == "p is damaged (d)")
    #expect("\(CatalogError.locked(path: "p"))".contains("try again"))
    #expect(CustomCatalog.formatVersion == 4)
  }

  /// Damage can be repaired, and a file that is merely newer is none.
  @Test func errorsAreDamageOrNot() {
    for (error, isDamage, reason) in [
      (.notACatalog(path: "p"), true, "it is not a recognition catalog"),
      (.damaged(path: "p", detail: "d"), true, "it is damaged (d)"),
      (.otherVersion(path: "p", version: 0), true, "it has format 0, but this program reads format 4"),
      (.otherVersion(path: "p", version: 1), false, "it has format 1, but this program reads format 4"),
      (.unreadable(path: "p", reason: "r"), false, "it cannot be read: r"), (.locked(path: "p"), false, nil),
      (.tooLarge, false, nil),
    ] as [(CatalogError, Bool, String?)] {
      #expect(error.isDamage == isDamage)
      #expect(error.loss == reason.map { MissingCatalog(name: "p", reason: $0, isUnreadable: true) })
    }
  }

  // MARK: Items

  /// From the start of a range to just before its end; skews including both ends.
  @Test func itemsApplyWithinTheirRanges() {
    let item = MediaItem(
      timeRanges: [.init(start: 0, end: 10), .init(start: 20, end: 30)],
      frequencySkewRanges: [.init(lower: -0.02, upper: 0.03)])
    for (seconds, skew, applies) in [
      (0.0, 0.0, true), (9.9, 0, true), (10, 0, false), (-0.1, 0, false), (20, 0, true), (30, 0, false),
      (5, -0.02, true), (5, 0.03, true), (5, -0.021, false), (5, 0.031, false),
    ] {
      #expect(item.applies(at: seconds, skew: skew) == applies, "\(seconds) \(skew)")
    }
    #expect(MediaItem().applies(at: -5, skew: 9))
    #expect(!MediaItem(timeRanges: [.init(start: 0, end: 1)]).applies(at: 2, skew: 0))
    #expect(!MediaItem(frequencySkewRanges: [.init(lower: 0, upper: 1)]).applies(at: 2, skew: 2))
  }
}
