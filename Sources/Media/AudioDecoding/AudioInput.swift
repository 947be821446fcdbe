internal import CLibAV
public import SystemPackage

/// Audio described by the caller: bare PCM, audio whose format is not to be detected, or a pipe.
public struct AudioInput: Sendable {
  public enum Place: Sendable {
    case file(FilePath)
    /// A source that can be read only once, in order. The caller owns the descriptor and must keep it open.
    case stream(FileDescriptor)
  }

  public var place: Place
  /// FFmpeg's short name of the format, such as `s16le` or `flac`; `nil` to detect it from the content.
  public var demuxer: String?
  public var bare: BareAudio

  public init(_ place: Place, demuxer: String? = nil, bare: BareAudio = BareAudio()) {
    self.place = place
    self.demuxer = demuxer
    self.bare = bare
  }

  /// `true` if `demuxer` is allowed here: for PCM, and for formats whose files contain their own audio.
  public static func reads(demuxer: String) -> Bool { lav_reads_format(demuxer) }
}

/// Parameters that bare PCM lacks. Other formats carry them, and these values are then ignored.
public struct BareAudio: Hashable, Sendable {
  /// Samples per second; `nil` for FFmpeg's default (44,100).
  public var sampleRate: Int?
  /// `nil` for FFmpeg's default (1).
  public var channelCount: Int?

  public init(sampleRate: Int? = nil, channelCount: Int? = nil) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }
}
