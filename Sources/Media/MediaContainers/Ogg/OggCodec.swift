/// The codecs of audio in Ogg, detected from the start of the first packet.
package enum OggCodec: Hashable, Sendable, CaseIterable {
  case vorbis, opus, speex
  /// FLAC with the header of its mapping to Ogg (RFC 9639, section 10.1), and FLAC from before that mapping existed.
  case flac, bareFLAC
  case pcm, celt

  package init?(firstPacket: some Sequence<UInt8>) {
    guard let codec = Self.allCases.first(where: { firstPacket.starts(with: $0.mark) }) else { return nil }
    self = codec
  }

  package var mark: String.UTF8View {
    switch self {
    case .vorbis: "\u{1}vorbis".utf8
    case .opus: "OpusHead".utf8
    case .speex: "Speex   ".utf8
    case .flac: "\u{7F}FLAC".utf8
    case .bareFLAC: "fLaC".utf8
    case .pcm: "PCM     ".utf8
    case .celt: "CELT    ".utf8
    }
  }

  /// Signature of the comment packet (Vorbis I specification, section 4.2.1; RFC 7845, section 5.2); `nil` if it has
  /// none.
  package var commentMark: String? {
    switch self {
    case .vorbis: "\u{3}vorbis"
    case .opus: "OpusTags"
    default: nil
    }
  }
}
