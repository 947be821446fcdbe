package import Analysis
internal import CLibAV
internal import MediaContainers
package import SystemPackage

/// A packet of encoded audio.
package struct EncodedPacket: Sendable {
  /// Seconds from the first audible frame to the first frame of this packet, by the container's clock or, if it has
  /// none, by the durations of the packets so far. Negative for packets that the encoder prepended.
  package var start: Double
  /// Seconds; 0 if unknown.
  package var duration: Double
  package var byteCount: Int
}

/// The encoded audio of one file, packet by packet from start to end, for copying without decoding. Not thread-safe.
package struct PacketSource: ~Copyable {
  /// Format according to the container; nothing is decoded.
  package let format: AudioFormat
  /// CLibAV's reader, from which `PacketFile` copies packets.
  package let reader: OpaquePointer
  private var end = 0.0

  /// - Throws: `DecodeError` if there is no audio, or the audio is a chain of several streams, which cannot be read as
  ///   one series of packets.
  package init(path: FilePath) throws(DecodeError) {
    let (file, layout) = try AudioLayout.open(path)
    let inputs = LibAVDecoder.inputs(for: layout, in: file)
    guard let input = inputs.first else { throw DecodeError(.noAudio, "The file holds no audio.") }
    guard inputs.count == 1 else {
      throw DecodeError(.unsupportedCodec, "The file is a chain of \(inputs.count) streams, one after the other.")
    }
    let reader = try input.open()
    guard let format = LibAVDecoder.audioFormat(lav_format(reader), layout: layout) else {
      lav_close(reader)
      throw DecodeError(.absurdHeader, "The header does not say the sample rate or the number of channels.")
    }
    self.file = file
    self.reader = reader
    self.format = format
  }

  /// Keeps open the descriptor that `reader` uses.
  private let file: ByteSource

  deinit { lav_close(reader) }

  /// The next packet; `nil` at the end.
  package mutating func next() -> EncodedPacket? {
    var packet = LAVPacket()
    guard lav_next_packet(reader, &packet) else { return nil }
    let start = packet.start.isNaN ? end : packet.start
    end = start + packet.duration
    return EncodedPacket(start: start, duration: packet.duration, byteCount: Int(packet.count))
  }

  /// The reason the packets ended early; `nil` if they did not.
  package var fault: DecodeError? {
    let report = lav_report(reader)
    if report.readErrno != 0 { return DecodeError(.reading(report.readErrno)) }
    if report.lostSync || report.endedByError {
      return DecodeError(.corrupt, "The container is damaged; the rest was not decoded.")
    }
    return nil
  }
}
