internal import MediaContainers

/// The range of the encoded audio in a container that FFmpeg reads. Headers, tags, pictures and seek tables come before
/// or after it.
struct AudioBytes {
  private(set) var range: Range<Int>?

  /// FFmpeg's demuxer names of formats whose files contain only audio, possibly between the tags of other formats.
  private static let bareStreams: Set<String> = [
    "aac", "ac3", "amr", "ape", "dts", "dtshd", "eac3", "loas", "mlp", "mpc", "mpc8", "shn", "tak", "truehd",
    "tta", "wv",
  ]
  private static let elementLimit = 1 << 21

  /// - Parameters:
  ///   - demuxer: FFmpeg's name.
  ///   - bytes: Range of the file that the demuxer sees.
  ///   - packets: Range of all packets, as far as the demuxer reports their positions.
  init(of demuxer: String, in file: ByteSource, _ bytes: Range<Int>, packets: Range<Int>?) throws(FileReadError) {
    switch demuxer {
    case "matroska": range = try Self.clusters(in: file, bytes)
    case "asf": range = try Self.dataObject(in: file, bytes)
    case _ where Self.bareStreams.contains(demuxer): range = bytes
    default: range = packets.map { $0.clamped(to: bytes) }
    }
  }

  private static func clusters(in file: ByteSource, _ bytes: Range<Int>) throws(FileReadError) -> Range<Int>? {
    var position = bytes.lowerBound
    var range: Range<Int>?
    for _ in 0..<elementLimit {
      guard let element = try EBMLElement(at: position, end: file.size, in: file) else { break }
      position = element.id == EBMLElement.ID.segment ? element.body.lowerBound : element.body.upperBound
      if element.id == EBMLElement.ID.cluster {
        range = (range?.lowerBound ?? element.start)..<element.body.upperBound
      }
    }
    return range
  }

  private static func dataObject(in file: ByteSource, _ bytes: Range<Int>) throws(FileReadError) -> Range<Int>? {
    guard let start = try ASFObject.headerEnd(in: file, at: bytes.lowerBound) else { return nil }
    let header = try file.bytes(at: start, count: ASFObject.dataHeaderSize)
    guard header.has(ASFObject.data), let size = header.littleEndian(Int64.self, at: 16) else { return nil }
    let end = size > 0 ? start + Int(clamping: min(size, Int64(file.size - start))) : file.size
    return start + ASFObject.dataHeaderSize < end ? start + ASFObject.dataHeaderSize..<end : nil
  }
}
