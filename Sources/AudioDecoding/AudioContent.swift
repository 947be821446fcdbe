public import AudioAnalysis
internal import CLibAV
public import SystemPackage

/// The encoded audio of a file without its tags.
///
/// `id` is XXH3-128 over the encoding (codec, rate, channels, as far as the packets do not carry them) and the encoded
/// bytes of the audio stream. Where the bytes lie depends on the container: the data chunk of PCM containers, all
/// behind FLAC's metadata blocks, MPEG frames without the frame of Xing's table, the bodies of Ogg's audio pages, and
/// for all others the packets which FFmpeg's demuxer gives. Tags, pictures and padding of any size are no part of it.
/// The same audio in another container or codec has another id.
public struct AudioContent: Hashable, Sendable {
  public let id: ContentID
  /// What a person should know of the file around the audio, such as a tag that cannot be right (stage `open`).
  public let remarks: [Problem]

  /// Reads the file once, sequentially, and decodes nothing.
  ///
  /// - Throws: `DecodeError` if there is no audio stream, or it cannot be found.
  public init(path: FilePath) throws(DecodeError) {
    let file = try InputFile(path: path)
    var hasher = ContentHasher()
    let container = try Container(of: file)
    remarks = container.remarks
    switch container.kind {
    case .pcm(let header):
      if let audio = header.audio, !header.description.isEmpty {
        hasher.update(header.name)
        hasher.update(header.description)
        // What is whole in one file is a part in another that claims more: findings are the same, their status is not.
        if header.isCutOff { hasher.update("of \(header.claimedByteCount ?? 0)") }
        try file.hash(audio, into: &hasher)
      } else {
        // Decoders may still make something of a broken header; then the whole file stands for its audio.
        try file.hash(0..<file.size, into: &hasher)
      }
    case .flac(let stream):
      hasher.update(
        "flac \(stream.sampleRate) \(stream.channelCount) \(stream.bitDepth) \(stream.claimedFrameCount ?? 0)")
      try file.hash(stream.audio, into: &hasher)
    case .mpeg(let stream):
      try file.hash(stream.payload, into: &hasher)
    case .ogg(let stream):
      guard stream.links.contains(where: { $0.audioSerial != nil }) else {
        throw DecodeError(.noAudio, "The file holds no audio of a known kind.")
      }
      id = stream.contentID
      return
    case .other(let demuxer, let bytes):
      let input = LibAVInput(file: file, bytes: bytes, masks: container.masks, demuxer: demuxer)
      try Self.hashPackets(of: input, in: container, into: &hasher)
    case .unknown:
      try Self.hashPackets(of: LibAVInput(file: file, bytes: 0..<file.size), in: container, into: &hasher)
    }
    id = hasher.finish()
  }

  private static func hashPackets(
    of input: LibAVInput, in container: Container, into hasher: inout ContentHasher
  ) throws(DecodeError) {
    let reader = try input.open()
    defer { lav_close(reader) }
    let format = lav_format(reader)
    hasher.update("\(String(cString: format.codec)) \(format.sampleRate) \(format.channelCount)")
    var bytes: UnsafePointer<UInt8>?
    var count: CInt = 0
    while lav_next_packet(reader, &bytes, &count) {
      hasher.update(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    let report = lav_report(reader)
    if report.readErrno != 0 { throw InputFile.readError(report.readErrno) }
    guard report.packetCount > 0 else {
      throw DecodeError(
        .noAudio, "The file holds no audio.", format: LibAVDecoder.audioFormat(format, container: container))
    }
  }
}

extension ContentHasher {
  fileprivate mutating func update(_ text: String) { update(Array(text.utf8)) }

  fileprivate mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }
}
