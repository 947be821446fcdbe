/// The extent of a container according to its own header, and contradictions between the header and the actual bytes.
///
/// Decoders silently accept or correct such contradictions. Finding them requires no decoding: each container has
/// lengths, counters or sequence numbers, which are compared with the bytes present.
package struct ContainerExtent: Hashable, Sendable {
  /// End of the container within the file; `nil` if unknown, or if it continues to the end of the file.
  package var end: Int?
  /// End of the audio, if the container continues after it; `nil` if unknown.
  package var audioEnd: Int?
  /// The reason the container is incomplete or damaged; `nil` if neither was found.
  package var flaw: Flaw?
  /// A contradiction that does not affect the audio, as a sentence; `nil` if there is none.
  package var contradiction: String?
  /// Number of bytes of encoded audio present; `nil` if the structure does not reveal it.
  package var audioByteCount: Int64?
  /// Number of PCM frames that the container claims; `nil` unless it is more exact than the number that decoders
  /// derive.
  package var claimedFrameCount: Int64?

  package enum Flaw: Hashable, Sendable {
    /// Something announced by the container is missing, as described in a sentence.
    case cutOff(String)
    /// Packets, blocks or boxes are damaged, missing, repeated or out of order, as described in a sentence.
    case disordered(String)
  }

  package init(end: Int? = nil) { self.end = end }

  /// - Parameters:
  ///   - start: Start of the container, after the tags of other formats at the start.
  ///   - limit: Start of the tags of other formats at the end of the file.
  package init(
    of container: Container, in source: ByteSource, at start: Int, before limit: Int
  ) throws(FileReadError) {
    self.init()
    switch container {
    case .asf: try readASF(source, at: start)
    case .mp4: try readMP4(source, at: start, before: limit)
    case .matroska: try readMatroska(source, at: start)
    case .wavPack: try readWavPack(source, at: start, before: limit)
    case .trueAudio: try readTrueAudio(source, at: start, before: limit)
    case .monkeysAudio: try readMonkeysAudio(source, at: start, before: limit)
    case .musepack7: try readMusepack7(source, at: start, before: limit)
    case .musepack8: try readMusepack8(source, at: start, before: limit)
    case .dsf: try readDSF(source, at: start)
    case .dsdiff: try readDSDIFF(source, at: start)
    case .amigaVoice: try readAmigaVoice(source, at: start)
    case .creativeVoice: try readCreativeVoice(source, at: start)
    case .nistSphere: try readSphere(source, at: start)
    case .wav, .rifx, .rf64, .wave64, .aiff, .au, .caf:
      // Handled by `PCMHeader`.
      break
    case .flac, .ogg, .tak, .amr, .shorten, .openMG, .dts, .dtsHD, .ac3, .eac3, .loas, .trueHD, .mlp, .realMedia,
      .mod, .s3m, .it, .xm, .unknown:
      // Streams that do not state where they end. Some of them have checksums of their frames, but no lengths or
      // counters.
      break
    }
  }

  /// Sets the end of the container to `claimed`. If that is after `limit`, sets the end to `limit` and the flaw to
  /// `cutOff`.
  ///
  /// - Parameter name: The name of the container for messages.
  mutating func claim(end claimed: Int, before limit: Int, _ name: StaticString) {
    end = min(claimed, limit)
    if claimed > limit {
      flaw = .cutOff("The \(name) file ends \(claimed - limit) bytes before the end that its header claims.")
    }
  }
}

extension ContainerExtent.Flaw {
  /// - Parameters:
  ///   - missing: Number of gaps.
  ///   - damaged: Number of damaged places.
  static func disordered(_ part: String, missing: Int, damaged: Int) -> ContainerExtent.Flaw? {
    guard missing + damaged > 0 else { return nil }
    func places(_ count: Int) -> String { "\(count) place\(count == 1 ? "" : "s")" }
    return .disordered(
      damaged == 0
        ? "\(part) are missing, repeated or out of order in \(places(missing))."
        : "\(part) are damaged or not where they should be in \(places(missing + damaged)).")
  }
}
