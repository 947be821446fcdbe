import Analysis
import AnalysisTesting
import Landmarks
import SystemPackage
import Testing

@testable import Recognition

/// Catalogs with correct checksums but invalid contents: this program never writes them, but must survive them.
@Suite(.bounded) struct ForgedCatalogTests {
  private typealias Header = SegmentFormat.Header

  /// A segment of two tracks with some bytes changed and the checksums recomputed.
  private static func forged(
    _ signatures: [Signature] = Catalogs.references[..<2].map(\.signature), _ change: (inout [UInt8]) -> Void
  ) throws -> [UInt8] {
    var builder = SegmentBuilder()
    for (index, signature) in signatures.enumerated() {
      try builder.add(signature, identifier: ContentID(high: 1, low: UInt64(index)), items: [])
    }
    var bytes = try builder.write(with: SegmentWriter())
    change(&bytes)
    for section in SegmentFormat.Section.allCases {
      let entry = Header.sections + section.rawValue * Header.sectionSize
      let checksum = bytes.withUnsafeBytes { Segment.checksum($0[range(of: section, in: bytes)]) }
      put(checksum, at: entry + 16, into: &bytes)
    }
    let checksum = bytes.withUnsafeBytes { Segment.checksum($0[..<Header.checksum]) }
    put(checksum, at: Header.checksum, into: &bytes)
    return bytes
  }

  private static func range(of section: SegmentFormat.Section, in bytes: [UInt8]) -> Range<Int> {
    let entry = Header.sections + section.rawValue * Header.sectionSize
    return bytes.withUnsafeBytes {
      let start = Int($0.loadUnaligned(fromByteOffset: entry, as: UInt64.self))
      return start..<start + Int($0.loadUnaligned(fromByteOffset: entry + 8, as: UInt64.self))
    }
  }

  private static func put(_ value: some FixedWidthInteger, at offset: Int, into bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
  }

  private static func open(_ bytes: [UInt8]) throws -> CustomCatalog {
    CustomCatalog(segments: [try Segment(SegmentBytes(bytes), path: "forged")], removed: [[]])
  }

  @Test func whatIsNotChangedIsRead() throws {
    #expect(try Self.open(Self.forged { _ in }).count == 2)
  }

  @Test(arguments: [Header.trackCount, Header.columnCount, Header.landmarkCount, Header.postingCount])
  func countsThatCannotBeAreRefused(offset: Int) throws {
    for count in [UInt64.max, UInt64.max / 64 + 2, 1 << 40] {
      let bytes = try Self.forged { Self.put(count, at: offset, into: &$0) }
      #expect(throws: CatalogError.damaged(path: "forged", detail: "header")) { try Self.open(bytes) }
    }
  }

  @Test(arguments: [0, 4])
  func tracksThatOverlapAreRefused(field: Int) throws {
    for value in [UInt32.max, 1 << 31, 7] {
      let bytes = try Self.forged { bytes in
        let second = Self.range(of: .tracks, in: bytes).lowerBound + SegmentFormat.Track.size
        Self.put(value, at: second + field, into: &bytes)
      }
      #expect(throws: CatalogError.damaged(path: "forged", detail: "tracks")) { try Self.open(bytes) }
    }
  }

  @Test func listsAreMadeAnewWhenSegmentsAreMerged() throws {
    // A posting of many bytes overflows, so that the next one lies before it.
    let bytes = try Self.forged { bytes in
      let range = Self.range(of: .postings, in: bytes)
      for place in stride(from: range.lowerBound + 40, to: range.upperBound - 12, by: 40) {
        bytes.replaceSubrange(place..<place + 11, with: [0xF0] + [UInt8](repeating: 0xFF, count: 9) + [1])
      }
    }
    let segment = try Segment(SegmentBytes(bytes), path: "forged")
    let merged = try SegmentMerger([segment], removed: [[]]).write(with: SegmentWriter())
    #expect(try merged == Self.forged { _ in })
  }

  /// The presence bits of the lists and their ranks are not checked on opening.
  @Test func aTableOfListsThatIsWrongGivesWrongAnswersAtWorst() throws {
    let query = Catalogs.query(Music.piece(seed: 2, seconds: 6, from: 3))
    for value in [UInt64.max, 0x8000_0000_0000_0001, 0] {
      let bytes = try Self.forged { bytes in
        let range = Self.range(of: .listOffsets, in: bytes)
        for place in stride(from: range.lowerBound, to: range.upperBound - 8, by: 8) {
          Self.put(value, at: place, into: &bytes)
        }
      }
      _ = try RecognitionSession(catalog: Self.open(bytes)).match(query)
    }
    // List offsets that overflow.
    for value in [UInt64.max, UInt64(Int64.max)] {
      let bytes = try Self.forged { bytes in
        let range = Self.range(of: .listBases, in: bytes)
        for place in stride(from: range.lowerBound, to: range.upperBound - 7, by: 8) {
          Self.put(value, at: place, into: &bytes)
        }
      }
      _ = try RecognitionSession(catalog: Self.open(bytes)).match(query)
    }
    for count in [UInt32.max, 0, 7] {
      let bytes = try Self.forged { Self.put(count, at: Header.listCount, into: &$0) }
      #expect(throws: CatalogError.damaged(path: "forged", detail: "header")) { try Self.open(bytes) }
    }
  }

  @Test func signaturesOutOfBoundsAreCutOff() throws {
    // Codes that skip far beyond the end of their track.
    let bytes = try Self.forged { bytes in
      let range = Self.range(of: .landmarks, in: bytes)
      for place in stride(from: range.lowerBound + 40, to: range.upperBound - 1, by: 40) {
        bytes.replaceSubrange(place..<place + 2, with: [0xFF, 0xFF])
      }
    }
    let segment = try Segment(SegmentBytes(bytes), path: "forged")
    let merged = try SegmentMerger([segment], removed: [[]]).write(with: SegmentWriter())
    try Segment(SegmentBytes(merged), path: "merged").verify()
  }

  @Test func catalogsOfEarlierVersionsAreRead() throws {
    // With this many landmarks, no list is left out; earlier versions could not leave out any.
    let landmarks = (0..<210_000).map { Landmark(column: $0, band: $0 % LandmarkSpectrum.bandCount, strength: 5) }
    let long = [Signature(landmarks: landmarks, columnCount: 210_000)]
    for version: UInt32 in [1, 2, 3] {
      #expect(try Self.open(Self.forged(long) { Self.put(version, at: Header.version, into: &$0) }).count == 1)
      #expect(throws: CatalogError.damaged(path: "forged", detail: "header")) {
        try Self.open(Self.forged { Self.put(version, at: Header.version, into: &$0) })
      }
    }
    #expect(throws: CatalogError.otherVersion(path: "forged", version: 5)) {
      try Self.open(Self.forged { Self.put(UInt32(5), at: Header.version, into: &$0) })
    }
  }

  @Test func aCatalogThatIsDamagedIsNotWrittenAnew() throws {
    try Catalogs.withDirectory { directory in
      var bytes = try Self.forged { _ in }
      bytes[Self.range(of: .postings, in: bytes).lowerBound + 50] ^= 0x55
      let catalog = try Self.open(bytes)
      #expect(throws: CatalogError.damaged(path: "forged", detail: "postings")) {
        try catalog.write(to: directory.appending("new"))
      }
      #expect(Catalogs.names(in: directory) == [])
    }
  }

  @Test func aSignatureOfYearsIsTooLong() throws {
    let signature = try Signature(body: [], columnCount: 4_000_000_000)
    guard case .error = try RecognitionSession(catalog: Catalogs.catalog).match(signature) else {
      Issue.record("a query of \(signature.duration) s was matched")
      return
    }
    let reference = ReferenceSignature(identifier: "years", signature: signature, items: [])
    #expect(throws: CatalogError.tooLarge) { try CustomCatalog.builder(for: [reference]) }
  }
}
