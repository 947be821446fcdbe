import AnalysisTesting
import MediaContainers
import SystemPackage
import Testing

/// Reading any file neither crashes nor loops forever, and reads no more than the file is worth.
@Suite(.bounded) struct DamageTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test(arguments: wholeFiles.indices) func wholeFilesAreWhatTheyAre(index: Int) throws {
    try walk(wholeFiles[index].bytes)
  }

  @Test(arguments: wholeFiles.indices) func anyTruncation(index: Int) throws {
    let bytes = wholeFiles[index].bytes
    for length in 0..<bytes.count { try walk(Array(bytes.prefix(length))) }
  }

  @Test(arguments: wholeFiles.indices) func anyDamage(index: Int) throws {
    var random = SplitMix64(seed: UInt64(index))
    let numbers: [Bytes] = [
      zeros(4), ones(4), big(0x7FFF_FFFF), big(0x8000_0000), little(1), big(8), big(1), zeros(8), ones(8), big(.max, 8),
      little(-24, 8),
    ]
    for _ in 0..<500 {
      var bytes = wholeFiles[index].bytes
      for _ in 0..<Int.random(in: 1...5, using: &random) where !bytes.isEmpty {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1:
          let number = numbers[Int.random(in: 0..<numbers.count, using: &random)]
          bytes.replaceSubrange(position..<min(position + number.count, bytes.count), with: number)
        case 2: bytes.removeSubrange(position..<min(position + 9, bytes.count))
        default: bytes.insert(contentsOf: bytes.prefix(position).suffix(30), at: position)
        }
      }
      try walk(bytes)
    }
  }

  @Test func noise() throws {
    var random = SplitMix64(seed: 1)
    for file in wholeFiles {
      for length in [0, 5, 60, 700, 5_000] {
        try walk(joined(file.bytes.prefix(20), (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }))
      }
    }
  }

  /// A structure nested in itself thousands of times.
  @Test func depth() throws {
    for name in ["moov", "meta", "udta"] { try walk((0..<4_000).flatMap { joined(big(8 * (4_000 - $0)), name.utf8) }) }
    try walk((0..<4_000).flatMap { _ in [0x18, 0x53, 0x80, 0x67, 0xFF] as Bytes })
    try walk((0..<4_000).flatMap { _ in id3v2([]) })
    try walk((0..<4_000).flatMap { _ in apeTag([]) })
    try walk(joined("fLaC".utf8, zeros(16_000)))
  }

  /// Reads a file with every reader of this module, at the start and after the leading tags.
  private func walk(_ bytes: Bytes) throws {
    let path = try folder.write(bytes, as: "file")
    let budget = 1 << 20 + 200 * bytes.count
    for source in [ByteSource(bytes), try ByteSource(path: path, budget: budget)] {
      let leading = try TagRegions.leading(in: source)
      for region in leading.regions { expect(region.bytes, in: source) }
      let trailing = try TagRegions.trailing(in: source, behind: leading.end)
      var end = bytes.count
      for region in trailing {
        expect(region.bytes, in: source)
        #expect(region.bytes.upperBound == end && region.bytes.lowerBound >= leading.end)
        end = region.bytes.lowerBound
      }
      for start in Set([0, leading.end]) {
        let container = try Container(of: source, at: start)
        for each in Container.allCases { try walkChunks(source, each, at: start) }
        if let header = try PCMHeader(in: source, container, at: start), let audio = header.audio {
          expect(audio, in: source)
          #expect((0...source.size).contains(header.end))
        }
        if let stream = try FLACStream(in: source, at: start) { expect(stream.audio, in: source) }
        if let stream = try MPEGStream(in: source, from: start) {
          expect(stream.audio, in: source)
          #expect(stream.audio.contains(stream.payload.lowerBound) || stream.payload.isEmpty)
        }
        if let stream = try FreeFormatStream(in: source, from: start) { expect(stream.audio, in: source) }
        if let tail = try EmptyTail(in: source, 0..<source.size) {
          #expect(tail.start + tail.byteCount == source.size)
        }
        if let stream = try ADTSStream(in: source, from: start) {
          expect(stream.bytes, in: source)
          #expect(stream.seconds.isFinite)
        }
        _ = try DSFHeader(in: source, at: start)
        for each in Container.allCases {
          let extent = try ContainerExtent(of: each, in: source, at: start, before: max(start, end))
          if let ownEnd = extent.end {
            #expect((0...source.size).contains(ownEnd))
            if let excess = try Excess(in: source, from: ownEnd, before: end) {
              #expect(excess.byteCount <= bytes.count)
            }
          }
        }
        _ = try TextModeDamage(in: source, audio: start..<source.size)
        try walkBlocks(source, at: start)
        try walkPages(source, at: start)
        try walkBoxes(source, MP4Box(file: source, from: start))
        try walkElements(source, at: start)
        try walkObjects(source, at: start)
        var entries = VorbisCommentEntries(Array(bytes.dropFirst(start)))
        var count = 0
        while entries?.next() != nil { count += 1 }
        #expect(4 * count <= bytes.count)
      }
      #expect(!source.isExhausted, "\(bytes.count) bytes took more than \(budget)")
    }
  }

  private func expect(_ range: Range<Int>, in source: ByteSource) {
    #expect(range.lowerBound >= 0 && range.upperBound <= source.size)
  }

  private func walkChunks(_ source: ByteSource, _ container: Container, at start: Int) throws {
    guard var chunks = ChunkReader(source, container, at: start) else { return }
    var position = start
    var count = 0
    while let chunk = try chunks.next() {
      #expect(chunk.start >= position && chunk.body > chunk.start && chunk.size >= 0)
      position = chunk.body
      count += 1
    }
    #expect(8 * count <= source.size)
  }

  private func walkBlocks(_ source: ByteSource, at start: Int) throws {
    var blocks = FLACBlockReader(source, at: start)
    var count = 0
    while try blocks.next() != nil { count += 1 }
    #expect(4 * count <= source.size)
  }

  private func walkPages(_ source: ByteSource, at start: Int) throws {
    for reader in [OggPageReader(source, at: start), OggPageReader(leniently: source, at: start, junkLimit: 1_000)] {
      var pages = reader
      var position = start
      while let page = try pages.next() {
        #expect(page.offset >= position && page.end >= page.offset + 27)
        pages.withContents { lacing, body in
          #expect(lacing.reduce(0) { $0 + Int($1) } >= body.count)
        }
        position = page.offset + 27
      }
    }
  }

  /// All boxes of two levels, and the paths that readers search for.
  private func walkBoxes(_ source: ByteSource, _ file: MP4Box) throws {
    var position = file.body
    while let box = try MP4Box(at: position, end: file.end, in: source) {
      #expect(box.start == position && box.body <= box.end && box.end <= file.end)
      _ = try box.times(in: source)
      if let child = try MP4Box(at: box.firstChild(in: source), end: box.end, in: source) {
        #expect(child.end <= box.end)
      }
      position = box.end
    }
    _ = try file.descendant("moov", "udta", "meta", "ilst", in: source)
  }

  private func walkElements(_ source: ByteSource, at start: Int) throws {
    var position = start
    while let element = try EBMLElement(at: position, end: source.size, in: source) {
      expect(element.body, in: source)
      #expect(element.start == position && element.headerSize >= 2)
      position = element.isOpenEnded ? element.body.lowerBound : element.body.upperBound
    }
  }

  private func walkObjects(_ source: ByteSource, at start: Int) throws {
    guard let end = try ASFObject.headerEnd(in: source, at: start) else { return }
    var position = start + ASFObject.fileHeaderSize
    while let object = try ASFObject(at: position, end: end, in: source) {
      #expect(object.start == position && object.end >= position + 24 && object.end <= end)
      position = object.end
    }
  }
}
