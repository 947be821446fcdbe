import AnalysisTesting
import Glibc
import SystemPackage
import Testing

@testable import Recognition

/// Catalogs that are not in memory yet, and are prefetched before they are read.
@Suite(.bounded) struct ColdCatalogTests {
  @Test func whatIsFetchedIsFoundAsUsual() throws {
    try Catalogs.withDirectory { folder in
      let file = folder.appending("pieces.catalog")
      try Catalogs.catalog.write(to: file)
      let cold = SegmentBytes.Coldness(minSize: 0, minShare: 0)
      let segment = try Segment(SegmentBytes(mapping: file, coldness: cold), path: file.string)
      try #require(segment.prepareForQuery())
      let catalogs = [CustomCatalog(segments: [segment], removed: [[]]), try CustomCatalog(contentsOf: file)]
      for seed in [3, 7, 40] as [UInt64] {
        let clip = Array(
          Music.piece(seed: seed, seconds: Catalogs.seconds)[Int(9 * Music.sampleRate)...].prefix(10 * Music.sampleRate)
        )
        let query = Catalogs.query(clip)
        let answers = catalogs.map { catalog in
          var matcher = CatalogMatcher(catalog)
          return matcher.matches(query)
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].flatMap(\.mediaItems).isEmpty == (seed == 40))
      }
    }
  }

  /// Fetching ranges that are out of order, empty or beyond the end does not change the bytes.
  @Test func fileIsColdUntilItIsRead() throws {
    try Catalogs.withDirectory { folder in
      let file = folder.appending("file")
      let size = 96 << 20
      let descriptor = try FileDescriptor.open(file, .writeOnly, options: .create, permissions: .ownerReadWrite)
      try descriptor.closeAfter {
        guard ftruncate(descriptor.rawValue, size) == 0 else { throw Errno(rawValue: errno) }
        _ = try descriptor.writeAll(toAbsoluteOffset: Int64(size) - 3, [1, 2, 3])
      }
      let bytes = try SegmentBytes(mapping: file)
      #expect(bytes.prepareForQuery())
      bytes.fetch([size - 3..<size + 9, 70..<70, 5..<90, 40..<100_000, 50 << 20..<51 << 20, size..<size + 4])
      #expect(bytes.pointer.suffix(3).elementsEqual([1, 2, 3]) && bytes.pointer[50 << 20] == 0)
      #expect(bytes.pointer.count { $0 != 0 } == 3)
      #expect(!bytes.prepareForQuery())
      #expect(try !SegmentBytes(mapping: file, coldness: .init(minSize: size + 1, minShare: 0)).prepareForQuery())
    }
  }
}
