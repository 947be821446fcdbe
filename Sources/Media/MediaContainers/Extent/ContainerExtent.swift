/// How far a container reaches by its own words, and where what is there contradicts them.
///
/// Decoders believe or mend such contradictions in silence. Nothing is decoded for this: each container has lengths,
/// counters or numbers of its own, which are compared with the bytes that are there.
package struct ContainerExtent: Hashable, Sendable {
  /// The end of the container, within the file; `nil` if it does not say, or goes on to the end of the file.
  package var end: Int?
  /// Why it cannot be whole.
  package var flaw: Flaw?
  /// A contradiction that costs no audio, in a sentence.
  package var contradiction: String?
  /// Bytes of encoded audio, as far as they are there; `nil` if the structure does not tell.
  package var audioByteCount: Int64?
  /// Frames of PCM that the container claims, where that is more exact than what decoders make of it.
  package var claimedFrameCount: Int64?

  package enum Flaw: Hashable, Sendable {
    /// Something that the container announces is not there: a sentence says what.
    case cutOff(String)
    /// Parts are damaged, missing, repeated or in another order: a sentence says what.
    case disordered(String)
  }

  package init(end: Int? = nil) { self.end = end }

  /// - Parameters:
  ///   - start: The start of the container, after the tags of other formats in front.
  ///   - limit: The start of the tags of other formats at the end of the file.
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
      // `PCMHeader` says it.
      break
    case .flac, .ogg, .tak, .amr, .shorten, .openMG, .dts, .dtsHD, .ac3, .eac3, .loas, .realMedia, .mod, .s3m, .it, .xm,
      .unknown:
      // Streams that do not say where they end; their frames have checksums, or nothing at all.
      break
    }
  }

  /// Lets the container end at `claimed`, and be cut off if that is behind `limit`.
  ///
  /// - Parameter name: The name of the container in a sentence.
  mutating func claim(end claimed: Int, before limit: Int, _ name: StaticString) {
    end = min(claimed, limit)
    if claimed > limit {
      flaw = .cutOff("The \(name) file ends \(claimed - limit) bytes before the end that its header claims.")
    }
  }
}

extension ContainerExtent.Flaw {
  /// - Parameter places: The problems, with their numbers.
  static func disordered(_ part: String, missing: Int, damaged: Int) -> ContainerExtent.Flaw? {
    guard missing + damaged > 0 else { return nil }
    func places(_ count: Int) -> String { "\(count) place\(count == 1 ? "" : "s")" }
    return .disordered(
      damaged == 0
        ? "\(part) are missing, repeated or out of order in \(places(missing))."
        : "\(part) are damaged or not where they should be in \(places(missing + damaged)).")
  }
}
