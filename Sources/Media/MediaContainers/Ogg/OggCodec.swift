/// Codecs of audio in Ogg, by what the first packet of their stream begins with.
package enum OggCodec: Hashable, Sendable, CaseIterable {
  case vorbis, opus, speex
  /// FLAC with the header of its mapping to Ogg (RFC 9639, section 10.1), and FLAC as it was before there was one.
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

  /// The start of the packet of comments (Vorbis I specification, section 4.2.1; RFC 7845, section 5.2); `nil` if it
  /// has no mark.
  package var commentMark: String? {
    switch self {
    case .vorbis: "\u{3}vorbis"
    case .opus: "OpusTags"
    default: nil
    }
  }
}
