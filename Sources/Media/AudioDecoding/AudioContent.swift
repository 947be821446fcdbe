public import Analysis
internal import CLibAV
internal import MediaContainers
public import SystemPackage

/// The encoded audio of a file without its tags.
///
/// `id` is XXH3-128 over the encoding (codec, rate and channels, unless the packets carry them) and the encoded bytes
/// of the audio stream. The container determines which bytes are hashed: the data chunk of PCM containers, FLAC's
/// frames, MPEG frames without the Xing frame, the bodies of Ogg audio pages, and for all other containers the packets
/// from FFmpeg's demuxer. Tags, pictures and padding never count, unless a PCM header is broken: then the whole file
/// does. The same audio in another container or codec usually has another id.
public struct AudioContent: Hashable, Sendable {
  public let id: ContentID
  /// Files that share it decode to the same frames with the same remarks, provided that they have no `fault`. Hashes
  /// `id`, `AudioSource.version`, and everything else that decoders learn from the container: its kind, codec
  /// parameters, claimed length, edit lists and other trimming, positions of Ogg pages, checksums of the audio.
  public let decodingID: ContentID
  /// Damage found without decoding; `nil` if there is none. Decoders may find more, or judge it differently.
  public let fault: DecodeError?
  /// Notes about oddities in the structure of the file, such as an invalid tag (stage `open`).
  public let remarks: [Problem]
  /// Number of bytes of encoded audio; `nil` if something is damaged, or only decoding would determine the number.
  public let encodedByteCount: Int64?
  /// Range of the encoded audio in the file. All tags are outside it, except those in the middle of a chain of streams.
  /// `nil` if the position is unknown.
  public let bytes: Range<Int>?

  /// Ignores `bytes`: the same audio may follow longer tags.
  public static func == (one: AudioContent, other: AudioContent) -> Bool {
    one.id == other.id && one.decodingID == other.decodingID && one.fault == other.fault && one.remarks == other.remarks
      && one.encodedByteCount == other.encodedByteCount
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(decodingID)
  }

  /// Reads the file once, sequentially, and decodes nothing.
  ///
  /// - Throws: `DecodeError` if the file cannot be read, or no audio is found in it.
  public init(path: FilePath) throws(DecodeError) {
    let (file, layout) = try AudioLayout.open(path)
    var hasher = ContentHasher()
    var traits = ContentHasher()
    var fault = layout.fault
    var byteCount = layout.encodedByteCount
    let bytes: Range<Int>?
    switch layout.kind {
    case .pcm(let header):
      if let audio = header.audio, !header.description.isEmpty {
        hasher.update(header.name)
        hasher.update(header.description)
        // Another file may contain the same bytes as its complete audio. The two files have the same findings, but not
        // the same status.
        if header.isCutOff { hasher.update("of \(header.claimedByteCount ?? 0)") }
        try file.hash(audio, into: &hasher)
        bytes = audio
      } else {
        // Decoders may still manage to read a file with a broken header, so the whole file counts as its audio.
        try file.hash(0..<file.size, into: &hasher)
        bytes = nil
      }
      let claimed = header.claimedFrameCount ?? -1
      traits.update("pcm \(header.sampleRate) \(header.channelCount) \(header.channelMask) \(claimed)")
      traits.update("\(header.bytesPerFrame ?? 0) \(header.lengthIsUnknown) \(header.lengthIsWrapped)")
    case .flac(let stream):
      hasher.update(
        "flac \(stream.sampleRate) \(stream.channelCount) \(stream.bitDepth) \(stream.claimedFrameCount ?? 0)")
      try file.hash(stream.audio, into: &hasher)
      bytes = stream.audio
      // STREAMINFO, including its checksum of the audio.
      traits.update("flac \(stream.channelMask)")
      traits.update(stream.bareHeader)
    case .mpeg(let stream):
      try file.hash(stream.payload, into: &hasher)
      byteCount = Int64(stream.payload.count)
      bytes = stream.payload
      // Decoders trim according to the Xing frame, the rest of which retagging tools may rewrite.
      traits.update("mpeg \(stream.junkByteCount) \(stream.claimedFrameCount ?? -1) \((stream.trimming ?? 0) >> 8)")
      if let checksum = stream.musicChecksum { traits.update("checksum \(checksum)") }
    case .freeFormat(let stream):
      try file.hash(stream.audio, into: &hasher)
      byteCount = Int64(stream.audio.count)
      bytes = stream.audio
      traits.update("mpeg free format")
    case .ogg(let stream):
      guard stream.links.contains(where: { $0.audioSerial != nil }) else {
        throw DecodeError(.noAudio, "The file holds no audio of a known kind.")
      }
      id = stream.contentID
      decodingID = Self.decodingID(stream.contentID, "ogg \(stream.junkByteCount) \(stream.traits)")
      self.fault = fault
      encodedByteCount = fault == nil ? byteCount : nil
      remarks = layout.remarks
      self.bytes = stream.audioBytes
      return
    case .other(let demuxer, let shown):
      if layout.lacksLength, layout.unfinished() != nil { traits.update("unfinished") }
      if LibAVDecoder.countsFrameless(demuxer) { traits.update("\(shown.count)") }
      let input = LibAVInput(file: file, bytes: shown, masks: layout.masks, demuxer: demuxer)
      do throws(DecodeError) {
        let packets = try Self.hashPackets(of: input, in: layout, into: &hasher, traits: &traits)
        fault = packets.fault ?? fault
        byteCount = packets.byteCount
        bytes = try Self.audioBytes(of: demuxer, in: file, shown, packets: packets.range)
      } catch {
        // The structure says more about the cause than a demuxer that failed to open the file.
        guard error.code == .corrupt || error.code == .noAudio, var cause = layout.unfinished() ?? fault else {
          throw error
        }
        cause.format = error.format
        throw cause
      }
    case .declared, .unknown:
      traits.update("\(file.size)")
      let input = LibAVInput(file: file, bytes: 0..<file.size, excludesFrames: true)
      let packets = try Self.hashPackets(of: input, in: layout, into: &hasher, traits: &traits)
      fault = packets.fault ?? fault
      byteCount = packets.byteCount
      bytes = packets.range
    }
    self.bytes = bytes
    id = hasher.finish()
    decodingID = Self.decodingID(id, "\(traits.finish())")
    self.fault = fault
    encodedByteCount = fault == nil ? byteCount : nil
    remarks = layout.remarks
  }

  /// Mean bits per second of the audio, over the duration in `format`; `nil` if the size or the duration is unknown, or
  /// the duration is itself an estimate from the bit rate.
  public func bitRate(of format: AudioFormat) -> Int? {
    guard let encodedByteCount, encodedByteCount > 0, !format.durationIsEstimated, let seconds = format.duration,
      seconds > 0
    else { return nil }
    return Int((Double(encodedByteCount) * 8 / seconds).rounded())
  }

  private static func audioBytes(
    of demuxer: String, in file: ByteSource, _ shown: Range<Int>, packets: Range<Int>?
  ) throws(DecodeError) -> Range<Int>? {
    do throws(FileReadError) {
      return try AudioBytes(of: demuxer, in: file, shown, packets: packets).range
    } catch {
      throw DecodeError(error)
    }
  }

  private static func decodingID(_ id: ContentID, _ traits: String) -> ContentID {
    ContentID(hashing: Array("\(id) \(traits) \(AudioSource.version)".utf8))
  }

  /// - Returns: The damage to the container, if any, the total size of the packets in bytes, and the range that they
  ///   span in the file.
  private static func hashPackets(
    of input: LibAVInput, in layout: AudioLayout, into hasher: inout ContentHasher, traits: inout ContentHasher
  ) throws(DecodeError) -> (fault: DecodeError?, byteCount: Int64, range: Range<Int>?) {
    let reader = try input.open()
    defer { lav_close(reader) }
    let format = lav_format(reader)
    let codec = String(cString: format.codec)
    hasher.update("\(codec) \(format.sampleRate) \(format.channelCount)")
    traits.update("\(String(cString: format.container)) \(format.channelMask) \(format.claimedFrameCount)")
    traits.update("\(format.bitDepth)")
    var parameters: UnsafePointer<UInt8>?
    var parameterCount: CInt = 0
    lav_extradata(reader, &parameters, &parameterCount)
    traits.update(UnsafeRawBufferPointer(start: parameters, count: Int(parameterCount)))
    var packet = LAVPacket()
    var range: Range<Int>?
    while lav_next_packet(reader, &packet) {
      hasher.update(UnsafeRawBufferPointer(start: packet.bytes, count: Int(packet.count)))
      traits.update([
        UInt32(bitPattern: packet.count), UInt32(bitPattern: packet.flags), packet.droppedAtStart, packet.droppedAtEnd,
      ])
      withUnsafeBytes(of: (packet.start, packet.duration)) { traits.update($0) }
      if packet.offset >= 0 {
        let (start, end) = (Int(packet.offset), Int(packet.offset) + Int(packet.count))
        range = min(range?.lowerBound ?? start, start)..<max(range?.upperBound ?? end, end)
      }
      if packet.parameterCount > 0 {
        traits.update(UnsafeRawBufferPointer(start: packet.parameters, count: Int(packet.parameterCount)))
      }
    }
    let report = lav_report(reader)
    if report.readErrno != 0 { throw DecodeError(.reading(report.readErrno)) }
    guard report.packetCount > 0 else {
      throw DecodeError(
        .noAudio, "The file holds no audio.",
        format: StreamLimits.plausible(LibAVDecoder.audioFormat(format, layout: layout), in: layout))
    }
    guard report.badPacketCount == 0, report.demuxerErrorCount == 0, !report.endedByError, !report.lostSync else {
      return (DecodeError(.corrupt, "The container is damaged."), report.packetByteCount, range)
    }
    return (nil, report.packetByteCount, range)
  }
}

extension ByteSource {
  /// Maximum number of bytes hashed in one range: sparse files can have almost any size.
  private static let hashLimit = 8 << 30

  /// Hashes a range of the file in one sequential pass. Only the first and last 4 GiB of a range larger than
  /// `hashLimit` are hashed.
  fileprivate func hash(_ range: Range<Int>, into hasher: inout ContentHasher) throws(DecodeError) {
    guard range.count <= Self.hashLimit else {
      try hash(range.lowerBound..<range.lowerBound + Self.hashLimit / 2, into: &hasher)
      try hash(range.upperBound - Self.hashLimit / 2..<range.upperBound, into: &hasher)
      return
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    var offset = range.lowerBound
    do throws(FileReadError) {
      while offset < range.upperBound {
        let count = min(buffer.count, range.upperBound - offset)
        let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        if got == 0 { break }
        hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
        offset += got
      }
    } catch {
      throw DecodeError(error)
    }
  }
}

extension ContentHasher {
  fileprivate mutating func update(_ text: String) { update(Array(text.utf8)) }

  fileprivate mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

  fileprivate mutating func update(_ numbers: [UInt32]) { numbers.withUnsafeBytes { update($0) } }
}
