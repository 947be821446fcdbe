public import Analysis
internal import CLibAV
internal import MediaContainers
public import SystemPackage

/// The encoded audio of a file without its tags.
///
/// `id` is XXH3-128 over the encoding (codec, rate, channels, as far as the packets do not carry them) and the encoded
/// bytes of the audio stream. The place of the bytes depends on the container: the data chunk of PCM containers, all
/// behind FLAC's metadata blocks, MPEG frames without the frame of Xing's table, the bodies of Ogg's audio pages, and
/// for all others the packets which FFmpeg's demuxer gives. Tags, pictures and padding of any size are no part of it.
/// The same audio in another container or codec has another id, as a rule.
public struct AudioContent: Hashable, Sendable {
  public let id: ContentID
  /// Files that share this decode to the same frames and the same remarks on them, provided that they have no `fault`.
  /// Over `id`, the version of the decoders, and all else that the container says to them: its kind, codec parameters,
  /// claimed length, edit lists and other trimming, positions of Ogg pages, checksums of the audio.
  public let decodingID: ContentID
  /// Damage that shows without decoding. Decoders may find more, or make something else of it.
  public let fault: DecodeError?
  /// Notes for people about the file around the audio, such as a tag that cannot be right (stage `open`).
  public let remarks: [Problem]
  /// Bytes of encoded audio; `nil` if something is damaged, or nothing but decoding tells.
  public let encodedByteCount: Int64?
  /// From the first byte of the encoded audio to behind the last one, in the file: all tags but those in the middle of a
  /// chain of streams lie outside. `nil` if nothing tells where it is.
  public let bytes: Range<Int>?

  /// Where the audio lies in the file does not count: the same audio may stand behind longer tags.
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
  /// - Throws: `DecodeError` if there is no audio stream, or it cannot be found.
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
        // Audio that is whole in one file is a part in another that claims more: findings are the same, their status is
        // not.
        if header.isCutOff { hasher.update("of \(header.claimedByteCount ?? 0)") }
        try file.hash(audio, into: &hasher)
        bytes = audio
      } else {
        // Decoders may still make something of a broken header; then the whole file stands for its audio.
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
      // STREAMINFO with its checksum of the audio.
      traits.update("flac \(stream.channelMask)")
      traits.update(stream.bareHeader)
    case .mpeg(let stream):
      try file.hash(stream.payload, into: &hasher)
      byteCount = Int64(stream.payload.count)
      bytes = stream.payload
      // Decoders cut as the table of contents says; retagging tools may rewrite the rest of it.
      traits.update("mpeg \(stream.junkByteCount) \(stream.claimedFrameCount ?? -1) \((stream.trimming ?? 0) >> 8)")
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
      let input = LibAVInput(file: file, bytes: shown, masks: layout.masks, demuxer: demuxer)
      do throws(DecodeError) {
        let packets = try Self.hashPackets(of: input, in: layout, into: &hasher, traits: &traits)
        fault = packets.fault ?? fault
        byteCount = packets.byteCount
        bytes = try Self.audioBytes(of: demuxer, in: file, shown, packets: packets.range)
      } catch {
        // The structure says more of the cause than a demuxer that found no way in.
        guard error.code == .corrupt || error.code == .noAudio, var cause = fault else { throw error }
        cause.format = error.format
        throw cause
      }
    case .told, .unknown:
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

  /// Mean bits per second of the audio by the length that `format` has; `nil` if one of them is not known, or the length
  /// is an estimate by the bit rate.
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

  /// - Returns: The problem of the container, the bytes of the packets, and where they begin and end.
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
        .noAudio, "The file holds no audio.", format: LibAVDecoder.audioFormat(format, layout: layout))
    }
    guard report.badPacketCount == 0, report.demuxerErrorCount == 0, !report.endedByError, !report.lostSync else {
      return (DecodeError(.corrupt, "The container is damaged."), report.packetByteCount, range)
    }
    return (nil, report.packetByteCount, range)
  }
}

extension ByteSource {
  /// More than this of a file is never hashed: sparse files can claim to be endless.
  private static let hashLimit = 8 << 30

  /// Hashes a range of the file in one sequential pass. If it is beyond all real audio, only the first and the last 4
  /// GiB are hashed.
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
