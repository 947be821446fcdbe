internal import Analysis
internal import MediaContainers

/// The chapters of MP4 files: either Nero's list, `moov.udta.chpl`, or the text track that another track references
/// (Apple, QuickTime File Format: Chapter Lists; ISO/IEC 14496-12, section 8).
extension MP4Items {
  /// Returns the chapters in file order.
  static func chapters(of moov: MP4Box, in source: ByteSource) throws(FileReadError) -> [TagFinding.Chapter] {
    if let list = try moov.descendant("udta", "chpl", in: source) {
      let chapters = try neroChapters(list, in: source)
      if !chapters.isEmpty { return chapters }
    }
    return try trackChapters(of: moov, in: source)
  }

  /// Reads the version, the flags, four reserved bytes (version 1 only), the number of chapters, and for each chapter
  /// its start in units of 100 ns and its title with a length prefix.
  private static func neroChapters(_ list: MP4Box, in source: ByteSource) throws(FileReadError) -> [TagFinding.Chapter]
  {
    // The list contains at most 255 titles of at most 255 bytes each.
    let bytes = try source.bytes(at: list.body, count: min(list.end - list.body, 1 << 17))
    var rest = bytes.dropFirst(bytes.first == 0 ? 4 : 8)
    guard let count = rest.popFirst() else { return [] }
    var chapters: [TagFinding.Chapter] = []
    for _ in 0..<count {
      guard rest.count >= 9 else { break }
      let start = Double(rest.prefix(8).bigEndianNumber) / 1e7
      let length = Int(rest[rest.startIndex + 8])
      let title = TagValue.cleaned(String(decoding: rest.dropFirst(9).prefix(length), as: UTF8.self))
      rest = rest.dropFirst(9 + length)
      chapters.append(TagFinding.Chapter(startSeconds: start, title: title.isEmpty ? nil : title))
    }
    return chapters
  }

  private static let maximumTrackCount = 1_000
  private static let maximumTableSize = 1 << 20

  private static func trackChapters(of moov: MP4Box, in source: ByteSource) throws(FileReadError) -> [TagFinding
    .Chapter]
  {
    var tracks: [UInt32: MP4Box] = [:]
    var chapterTrack: UInt32?
    var position = moov.body
    while tracks.count < maximumTrackCount, let track = try moov.child("trak", in: source, from: position) {
      position = track.end
      if let header = try track.child("tkhd", in: source) {
        // In version 1, the times before the track number have eight bytes each.
        let isLong = try source.bytes(at: header.body, count: 1).first == 1
        let number = try source.bytes(at: header.body + (isLong ? 20 : 12), count: 4).bigEndian(UInt32.self)
        if let number { tracks[number] = track }
      }
      if chapterTrack == nil, let chapters = try track.descendant("tref", "chap", in: source) {
        chapterTrack = try source.bytes(at: chapters.body, count: 4).bigEndian(UInt32.self)
      }
    }
    guard let chapterTrack, let track = tracks[chapterTrack] else { return [] }
    return try samples(of: track, in: source)
  }

  private static func samples(of track: MP4Box, in source: ByteSource) throws(FileReadError) -> [TagFinding.Chapter] {
    guard let media = try track.child("mdia", in: source), let header = try media.child("mdhd", in: source),
      let tables = try media.descendant("minf", "stbl", in: source)
    else { return [] }
    func table(_ name: String) throws(FileReadError) -> [UInt8] {
      guard let box = try tables.child(name, in: source) else { return [] }
      return try source.bytes(at: box.body, count: min(box.end - box.body, maximumTableSize))
    }
    let unitsPerSecond = Double(try header.times(in: source).timescale)
    guard unitsPerSecond > 0 else { return [] }
    let chunkOffsets = try table("stco")
    let offsets =
      chunkOffsets.isEmpty
      ? words(try table("co64"), from: 8, of: 8) : words(chunkOffsets, from: 8, of: 4)
    let sizeTable = try table("stsz")
    let commonSize = sizeTable.dropFirst(4).prefix(4).bigEndianNumber
    let count = min(Int(sizeTable.dropFirst(8).prefix(4).bigEndianNumber), TagLimits.valueCount)
    let sizes = commonSize > 0 ? [UInt64](repeating: commonSize, count: count) : words(sizeTable, from: 12, of: 4)
    let runs = words(try table("stsc"), from: 8, of: 4)
    let times = words(try table("stts"), from: 8, of: 4)

    var chapters: [TagFinding.Chapter] = []
    var time = 0.0
    var timeRun = 0
    var leftInTimeRun = times.first ?? 0
    var run = 0
    for (chunk, offset) in offsets.enumerated() {
      // A run consists of its first chunk (counted from one), the number of samples in each of its chunks, and the
      // index of a description.
      while 3 * (run + 1) + 2 < runs.count, runs[3 * (run + 1)] <= UInt64(chunk + 1) { run += 1 }
      guard 3 * run + 2 < runs.count else { break }
      var position = Int(clamping: offset)
      for _ in 0..<runs[3 * run + 1] {
        guard chapters.count < min(count, sizes.count) else { return chapters }
        while leftInTimeRun == 0, 2 * (timeRun + 1) + 1 < times.count {
          timeRun += 1
          leftInTimeRun = times[2 * timeRun]
        }
        guard leftInTimeRun > 0, 2 * timeRun + 1 < times.count else { return chapters }
        leftInTimeRun -= 1
        let duration = Double(times[2 * timeRun + 1]) / unitsPerSecond
        let size = Int(clamping: sizes[chapters.count])
        let title = try text(at: position, size: size, in: source)
        chapters.append(
          TagFinding.Chapter(startSeconds: time, endSeconds: time + duration, title: title.isEmpty ? nil : title))
        time += duration
        guard position < source.size else { return chapters }
        position += min(size, source.size)
      }
    }
    return chapters
  }

  /// Decodes a text sample: a length of two bytes, then UTF-8, or UTF-16 with a byte order mark.
  private static func text(at offset: Int, size: Int, in source: ByteSource) throws(FileReadError) -> String {
    let bytes = try source.bytes(at: offset, count: min(size, 4096))
    let length = Int(bytes.bigEndian(UInt16.self) ?? 0)
    let text = bytes.dropFirst(2).prefix(length)
    let isWide = text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE])
    var reader = ID3v2Text(encoding: isWide ? 1 : 3, text)
    return TagValue.cleaned(reader?.next() ?? "")
  }

  private static func words(_ bytes: [UInt8], from start: Int, of size: Int) -> [UInt64] {
    stride(from: start, through: bytes.count - size, by: size).map { bytes[$0..<$0 + size].bigEndianNumber }
  }
}
