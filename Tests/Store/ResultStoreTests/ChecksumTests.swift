import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

/// Checksums and events that analyses store.
@Suite(.bounded) struct ChecksumTests {
  private static let path: FilePath = "/music/a.flac"
  private static let first = Timestamp(nanoseconds: 1_788_220_800_000_000_000)
  private static let second = Timestamp(nanoseconds: 1_788_307_200_000_000_000)

  private static func id(_ text: String) -> ContentID { ContentID(hashing: Array(text.utf8)) }

  private static func checksum(_ name: String = "a", size: Int64 = 1000) -> FileChecksum {
    FileChecksum(whole: id(name), byteCount: size)
  }

  /// Analyzes the file, although it may be unchanged.
  private func analyze(
    _ library: ScannedLibrary, at time: Timestamp = first, audio: String = "sound", _ checksum: FileChecksum?,
    _ status: FileAnalysis.Status = .ok, _ code: String? = nil
  ) throws {
    library.time = time
    try library.night(ScanOptions(force: true)) { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: audio)
      analysis.checksum = checksum
      analysis.status = status
      analysis.problem = code.map { Problem(stage: .decode, code: $0, message: "No.") }
      return analysis
    }
  }

  private func library(_ checksum: FileChecksum? = checksum(), statusChanged: Int64? = nil) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put(Self.path, statusChanged: statusChanged)
    try analyze(library, checksum)
    return library
  }

  private func events(_ library: ScannedLibrary) throws -> [String] {
    try library.store.events(at: Self.path).filter { ![.firstSeen, .analyzed, .verified].contains($0.kind) }.map {
      [$0.kind.rawValue, $0.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  // MARK: - Rows

  /// Every part of a checksum comes back as it was, with all bits of all hashes.
  @Test(arguments: [0..<0, 100..<100, 100..<900, nil] as [Range<Int64>?]) func checksumsComeBack(audio: Range<Int64>?)
    throws
  {
    var random = SplitMix64.fresh()
    let whole = ContentID(high: random.next(), low: random.next())
    let hash = ContentID(high: random.next(), low: random.next())
    for kinds in [[], [.sha256], [.md5], [.sha256, .md5]] as [[FileChecksum.Kind]] {
      var checksum = FileChecksum(whole: whole, byteCount: 1000, audio: audio, audioHash: audio == nil ? nil : hash)
      for kind in kinds {
        checksum.digests[kind] = (0..<(kind == .md5 ? 16 : 32)).map { _ in .random(in: 0...255, using: &random) }
      }
      let library = try library(checksum)
      #expect(try library.store.checksum(at: Self.path) == StoredChecksum(checksum: checksum, well: Self.first))
    }
    let empty = try ScannedLibrary()
    #expect(try empty.store.checksum(at: Self.path) == nil)
  }

  /// The checksum is part of a record on request, unless the file has changed since it was computed.
  @Test func recordsHaveCurrentChecksums() throws {
    let library = try library(statusChanged: 6_500_000_000)
    func found(_ selection: RecordSelection) throws -> FileChecksum? { try library.records(selection).first?.checksum }
    #expect(try found(RecordSelection()) == nil)
    #expect(try found(RecordSelection(includesChecksums: true)) == Self.checksum())
    library.put(Self.path, statusChanged: 7_500_000_000)
    #expect(try library.night(analyze: { _ in nil }).scan.touched == 1)
    #expect(try found(RecordSelection(includesChecksums: true)) == Self.checksum())
    library.put(Self.path, size: 7)
    #expect(try library.night(analyze: { _ in nil }).scan.changed == 1)
    #expect(try found(RecordSelection(includesChecksums: true)) == nil)
  }

  @Test func oldEventsMakeRoom() throws {
    let library = try library()
    library.put("/music/b.flac")
    try library.night()
    try library.store.write { db in
      for number in 0..<35 {
        for file in [1, 2] as [Int64] {
          let time = Timestamp(nanoseconds: Self.second.nanoseconds + Int64(number))
          try FileEvents.add(.accepted, file: file, at: time, run: nil, "\(number)", in: db)
        }
      }
    }
    for path in [Self.path, "/music/b.flac"] {
      let details = try library.store.events(at: path).filter { $0.kind == .accepted }.map(\.detail)
      #expect(details == (5..<35).map { "\($0)" })
    }
  }

  // MARK: - Analyses

  /// The same bytes again confirm the checksum, and are no event.
  @Test func sameBytesAreConfirmed() throws {
    let library = try library()
    var found = Self.checksum()
    found.digests = [.md5: [UInt8](repeating: 1, count: 16), .sha256: [UInt8](repeating: 2, count: 32)]
    try analyze(library, at: Self.second, found)
    var expected = StoredChecksum(checksum: found, well: Self.second)
    expected.verified = Self.second
    #expect(try library.store.checksum(at: Self.path) == expected)
    #expect(try events(library) == [])
  }

  /// The first checksum of a file that was analyzed before is no change of the file.
  @Test func firstChecksumIsNoEvent() throws {
    let library = try library(nil)
    #expect(try library.store.checksum(at: Self.path) == nil)
    try analyze(library, at: Self.second, Self.checksum())
    #expect(try library.store.checksum(at: Self.path) == StoredChecksum(checksum: Self.checksum(), well: Self.second))
    #expect(try events(library) == [])
  }

  /// A checksum is missing, or is that of a longer file, as when the file grew meanwhile. It tells nothing about an
  /// unchanged file; for a changed one, the former checksum is no longer right.
  @Test(arguments: [nil, checksum("b", size: 1001)], [false, true])
  func uselessChecksums(found: FileChecksum?, isChanged: Bool) throws {
    let library = try library()
    if isChanged { library.put(Self.path, modified: 9_000_000_000) }
    try analyze(library, at: Self.second, audio: isChanged ? "other" : "sound", found)
    #expect(try library.store.checksum(at: Self.path)?.checksum == (isChanged ? nil : Self.checksum()))
    #expect(try events(library) == [])
  }

  /// Damage that a decoder finds too is its problem; the checksum says so as well.
  @Test func decodersExplainChangedBytes() throws {
    let library = try library()
    try analyze(library, at: Self.second, audio: "other", Self.checksum("b"), .partial, "corrupt")
    let record = try #require(try library.store.record(at: Self.path))
    #expect(record.status == .partial && record.problem?.code == "corrupt")
    #expect(try library.store.checksum(at: Self.path)?.state == .changedSilently)
    #expect(try Set(events(library)) == ["changed_silently audio", "damaged corrupt"])
  }

  /// Tags that are read alone do not keep a file damaged that has its former bytes.
  @Test func formerBytesEndTheDamageWithoutDecoding() throws {
    let library = try library()
    try analyze(library, at: Self.second, Self.checksum("b"))
    #expect(try library.store.record(at: Self.path)?.problem?.code == Problem.changedSilently)
    let tags = AnalyzerIdentity(id: "tags", version: 2, digest: "")
    library.wanted = ScannedLibrary.wanted(tags: tags)
    try library.night { _ in
      var analysis = FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("sound"),
        outcomes: [AnalyzerOutcome(analyzer: tags, result: .finding(ScannedLibrary.tagFinding(title: "New")))])
      analysis.checksum = Self.checksum()
      return analysis
    }
    let record = try #require(try library.store.record(at: Self.path))
    #expect(record.status == .ok && record.problem == nil)
    #expect(try events(library).contains("restored"))
    #expect(try library.store.check() == [])
  }

  /// A touch does not excuse a change that was found before it.
  @Test func touchesExcuseNothingThatWasKnown() throws {
    let library = try library(statusChanged: 6_500_000_000)
    try analyze(library, at: Self.second, Self.checksum("b"))
    #expect(try events(library) == ["changed_silently tags"])
    library.put(Self.path, statusChanged: 7_500_000_000)
    library.time = Timestamp(nanoseconds: Self.second.nanoseconds + 1)
    let night = try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.checksum = Self.checksum("b")
      return analysis
    }
    #expect(night.scan.touched == 1)
    let stored = try #require(try library.store.checksum(at: Self.path))
    #expect(stored.state == .changedSilently && stored.checksum == Self.checksum())
    #expect(try events(library) == ["changed_silently tags"])
  }

  /// Each new kind of trouble and each recovery is an event, and the same again is none.
  @Test func outcomesAreEvents() throws {
    let library = try library()
    var expected: [String] = []
    let steps: [(FileAnalysis.Status, String?, String?)] = [
      (.ok, nil, nil), (.partial, "truncated", "damaged truncated"), (.partial, "truncated", nil),
      (.partial, "corrupt", "damaged corrupt"), (.failed, "corrupt", "failed corrupt"), (.failed, "corrupt", nil),
      (.failed, "no_audio", "failed no_audio"), (.ok, nil, "recovered"), (.ok, nil, nil),
      (.failed, "no_audio", "failed no_audio"), (.partial, "no_audio", "damaged no_audio"), (.ok, nil, "recovered"),
      (.partial, "changed_while_reading", nil), (.partial, "vanished_while_reading", nil), (.ok, nil, "recovered"),
      (.failed, "vanished_while_reading", nil), (.ok, nil, "recovered"),
    ]
    for (number, (status, code, event)) in steps.enumerated() {
      let time = Timestamp(nanoseconds: Self.second.nanoseconds + Int64(number))
      try analyze(library, at: time, Self.checksum(), status, code)
      if let event { expected.append(event) }
      #expect(try events(library) == expected, "\(number)")
    }
    #expect(try library.store.events(at: Self.path).first { $0.kind == .recovered }?.detail == nil)
  }
}
