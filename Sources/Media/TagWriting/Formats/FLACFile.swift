internal import MediaContainers

/// A FLAC file, whose tag is the Vorbis comment among its metadata blocks, if it has one (RFC 9639, section 8).
struct FLACFile: TagContainer {
  var tags: [EditableTag]
  private let comment: VorbisCommentBody
  private let start: Int
  private let blocks: [FLACBlockReader.Block]
  private let audioStart: Int
  private let size: Int

  private static let padding: UInt8 = 1
  private static let headerSize = 4
  private static let maxBlockSize = 1 << 24

  init(_ source: ByteSource, at start: Int) throws {
    self.start = start
    size = source.size
    var reader = FLACBlockReader(source, at: start)
    var blocks: [FLACBlockReader.Block] = []
    while let block = try reader.next() { blocks.append(block) }
    (self.blocks, audioStart) = (blocks, reader.position)
    let comments = blocks.filter { $0.kind == FLACBlockReader.vorbisComment }
    guard blocks.first?.kind == 0, audioStart <= source.size, comments.count <= 1 else {
      throw TagWriteError(
        .oddStructure, "The metadata blocks are cut off, or there are several comments; such files are not changed.")
    }
    var entries: [EditableTag.Entry] = []
    comment =
      if let body = comments.first?.body {
        try VorbisCommentBody(try source.bytes(at: body.lowerBound, count: body.count), entries: &entries)
      } else {
        VorbisCommentBody()
      }
    tags = [.vorbis(entries)]
  }

  func splice() throws(TagWriteError) -> FileSplice {
    let new = comment.bytes(tags[0])
    guard new.count < Self.maxBlockSize else {
      throw TagWriteError(.noRoom, "The Vorbis comment would become larger than a block of FLAC can be.")
    }
    let old = blocks.first { $0.kind == FLACBlockReader.vorbisComment }
    // Padding absorbs the difference if there is enough, so that the audio does not move.
    let growth = new.count - (old.map(\.body.count) ?? -Self.headerSize)
    let pad = blocks.firstIndex {
      $0.kind == Self.padding && (growth..<Self.maxBlockSize + growth).contains($0.body.count)
    }
    var splice = FileSplice()
    splice.add(0..<start + 4)
    for (index, block) in blocks.enumerated() {
      let isLast = index == blocks.count - 1
      let addsComment = old == nil && index == 0
      if block.kind == FLACBlockReader.vorbisComment {
        splice.add(Self.header(block.kind, new.count, isLast: isLast) + new)
      } else if index == pad {
        let count = block.body.count - growth
        splice.add(Self.header(block.kind, count, isLast: isLast) + [UInt8](repeating: 0, count: count))
      } else {
        splice.add(Self.header(block.kind, block.body.count, isLast: isLast && !addsComment))
        splice.add(block.body)
      }
      if addsComment {
        splice.add(Self.header(FLACBlockReader.vorbisComment, new.count, isLast: isLast) + new)
      }
    }
    splice.add(audioStart..<size)
    return splice
  }

  private static func header(_ kind: UInt8, _ size: Int, isLast: Bool) -> [UInt8] {
    [kind | (isLast ? 0x80 : 0)] + UInt32(size).bigEndianBytes.dropFirst()
  }
}
