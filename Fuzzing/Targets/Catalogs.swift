import Analysis
import Text

@testable import Landmarks
@testable import Recognition

/// A made-up track: landmarks at pseudorandom places.
func madeUpSignature(seed: Int, seconds: Double) -> Signature {
  let columnCount = Int(seconds * LandmarkSpectrum.columnsPerSecond)
  var state = UInt32(truncatingIfNeeded: seed) | 1
  func next(_ limit: Int) -> Int {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Int(state >> 8) % limit
  }
  var landmarks: [Landmark] = []
  for column in 0..<columnCount where next(4) < 3 {
    landmarks.append(Landmark(column: column, band: next(LandmarkSpectrum.bandCount), strength: next(16)))
  }
  return Signature(landmarks: landmarks, columnCount: columnCount)
}

/// Stored signatures. The first byte says whether the checksum is put right, so what is behind it is reached, too.
struct SignatureTarget: FuzzTarget {
  static let name = "signatures"

  static func seeds() -> [[UInt8]] {
    [(1, 0.0), (2, 0.5), (3, 4), (4, 12)].flatMap { seed, seconds in
      [[0], [1]].map { $0 + madeUpSignature(seed: seed, seconds: seconds).bytes }
    }
  }

  private let session: RecognitionSession

  init() throws {
    var catalog = CustomCatalog()
    try catalog.addReferenceSignature(madeUpSignature(seed: 4, seconds: 20), representing: [MediaItem()])
    session = try RecognitionSession(catalog: catalog)
  }

  func run(_ bytes: [UInt8]) throws {
    var body = Array(bytes.dropFirst())
    if bytes.first ?? 0 != 0, body.count >= 20 {
      let checksum = UInt32(truncatingIfNeeded: ContentID(hashing: Array(body[..<16] + body[20...])).low)
      for index in 0..<4 { body[16 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
    }
    let signature = try Signature(bytes: body)
    require(signature.bytes == body, "a signature is written as it was read")
    require(signature.landmarks.count == signature.landmarkCount, "landmarks are counted")
    let third = signature.duration / 3
    _ = signature.slice(from: third, to: 2 * third)
    _ = session.match(signature)
    guard signature.duration < 3600 else { return }
    var catalog = CustomCatalog()
    try catalog.addReferenceSignature(signature, representing: [MediaItem()])
    try catalog.seal()
    _ = catalog.information
  }
}

/// Catalog files. An input is a list of changes to a small catalog: a place, and the bytes that are written there. The
/// checksums are put right afterwards unless the first byte says not to: accidents must be found, and inventions must
/// do no harm.
struct SegmentTarget: FuzzTarget {
  static let name = "segments"
  private typealias Format = SegmentFormat

  private let original: [UInt8]
  private let query: RecognitionQuery

  static func seeds() -> [[UInt8]] {
    // Each number of the header; a track; codes; a list.
    var seeds: [[UInt8]] = [[0], [1], [2]]
    for offset in stride(from: UInt16(8), to: 256, by: 8) {
      var seed: [UInt8] = [2, 0]
      seed.append(offset)
      seed.append(UInt8(8))
      seed.append(UInt64.max)
      seeds.append(seed)
    }
    for section in UInt8(1)...UInt8(Format.Section.allCases.count) {
      for offset in stride(from: UInt16(0), to: 64, by: 8) {
        var seed: [UInt8] = [2, section]
        seed.append(offset)
        seed.append(UInt8(8))
        seed.append(UInt64(0x8000_0000_0000_0001))
        seeds.append(seed)
      }
    }
    return seeds
  }

  init() throws {
    var builder = SegmentBuilder()
    for seed in 1...3 {
      let record = ReferenceRecord(identifier: "track \(seed)", items: [MediaItem(title: "Title")])
      try builder.add(
        madeUpSignature(seed: seed, seconds: 15), identifier: ContentID(hashing: [UInt8(seed)]), items: record.bytes)
    }
    original = try builder.write(with: SegmentWriter())
    query = RecognitionQuery(madeUpSignature(seed: 2, seconds: 6))
  }

  func run(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    let mode = input.byte()
    var segment = original
    while !input.isAtEnd { change(&segment, by: &input) }
    if mode != 0 { repair(&segment, sections: mode > 1) }

    let opened = try Segment(SegmentBytes(segment), path: "fuzz")
    let isWhole = (try? opened.verify()) != nil
    require(mode == 0 || isWhole || mode == 1, "repaired checksums are right")
    let catalog = CustomCatalog(segments: [opened], removed: [[]])
    _ = catalog.information
    try? catalog.forEachReference { reference in _ = reference.signature.landmarks }
    _ = try RecognitionSession(catalog: catalog).match(query)
    if mode & 4 != 0 {
      let merger = try SegmentMerger([opened], removed: [[0]])
      _ = try Segment(SegmentBytes(merger.write(with: SegmentWriter())), path: "merged")
    }
  }

  /// A place is a section (0: the header) and an offset; bit 6 counts from the end, and bit 7 cuts or adds bytes there.
  private func change(_ segment: inout [UInt8], by input: inout InputReader) {
    let choice = input.byte()
    let range = range(Int(choice & 0x0F), of: segment)
    let distance = Int(input.number(UInt16.self))
    let count = Int(input.byte())
    let replacement = input.bytes(count)
    let place = choice & 0x40 != 0 ? range.upperBound - distance : range.lowerBound + distance
    guard place >= 0, place < segment.count else { return }
    if choice & 0x80 != 0 {
      segment.replaceSubrange(place..<min(place + 1, segment.count), with: replacement)
    } else {
      let end = min(place + replacement.count, segment.count)
      segment.replaceSubrange(place..<end, with: replacement[..<(end - place)])
    }
  }

  private func range(_ index: Int, of segment: [UInt8]) -> Range<Int> {
    guard (1...Format.Section.allCases.count).contains(index), segment.count >= Format.headerSize else {
      return 0..<min(segment.count, Format.headerSize)
    }
    let entry = Format.Header.sections + (index - 1) * Format.Header.sectionSize
    let offset = Int(clamping: number(at: entry, of: segment))
    let length = Int(clamping: number(at: entry + 8, of: segment))
    guard offset <= segment.count, length <= segment.count - offset else { return 0..<Format.headerSize }
    return offset..<offset + length
  }

  private func repair(_ segment: inout [UInt8], sections: Bool) {
    guard segment.count >= Format.headerSize else { return }
    if sections {
      for section in Format.Section.allCases {
        let range = range(section.rawValue + 1, of: segment)
        let checksum = segment.withUnsafeBytes { Segment.checksum($0[range]) }
        let entry = Format.Header.sections + section.rawValue * Format.Header.sectionSize
        put(checksum, at: entry + 16, into: &segment)
      }
    }
    put(
      segment.withUnsafeBytes { Segment.checksum($0[..<Format.Header.checksum]) }, at: Format.Header.checksum,
      into: &segment)
  }

  private func number(at offset: Int, of segment: [UInt8]) -> UInt64 {
    segment.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  }

  private func put(_ value: UInt64, at offset: Int, into segment: inout [UInt8]) {
    segment.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: offset, as: UInt64.self) }
  }
}

/// Text around catalogs: tables of media items, and the list of a directory's segments.
struct TableTarget: FuzzTarget {
  static let name = "tables"

  static func seeds() -> [[UInt8]] {
    var list = CatalogList()
    list.next = 9
    list.entries = [.init(name: "3.segment", removed: [17, 40]), .init(name: "7.segment", removed: [])]
    let item = MediaItem(
      title: "A, \"B\"", artist: "C / D", genres: ["E", "F"], isExplicit: true,
      timeRanges: [MediaItem.TimeRange(start: -1, end: 2.5)],
      frequencySkewRanges: [MediaItem.FrequencySkewRange(lower: -0.01, upper: 1e-3)],
      properties: ["color": .string("red"), "size": .integer(3)])
    return [list.text, MediaItemTable.write([MediaItemTable.Row(reference: "r\n1", item: item)])].map { Array($0.utf8) }
  }

  func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let rows = try? MediaItemTable.read(text) {
      let written = MediaItemTable.write(rows)
      guard let again = try? MediaItemTable.read(written) else {
        fatalError("\(written) is written and cannot be read")
      }
      require(again == rows, "\(written) stays what it is")
    }
    // With the checksum put right, if there is a line for it.
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.count >= 2 {
      lines.removeLast(2)
      lines.append("checksum \(ContentID(hashing: Array(lines.joined(separator: "\n").utf8)))")
      lines.append("")
    }
    let list = try CatalogList(text: lines.joined(separator: "\n"), path: "CATALOG")
    require(try CatalogList(text: list.text, path: "CATALOG") == list, "\(list.text) stays what it is")
  }
}
