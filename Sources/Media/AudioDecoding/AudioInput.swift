public import SystemPackage
internal import CLibAV

/// Audio of which the caller says what it is, and where: bare PCM, a format that is to be taken for granted, or a pipe.
public struct AudioInput: Sendable {
  public enum Place: Sendable {
    case file(FilePath)
    /// Something that can be read only once, in order. The descriptor stays the caller's, and must stay open.
    case stream(FileDescriptor)
  }

  public var place: Place
  /// FFmpeg's short name of the format, such as `s16le` or `flac`; `nil` to find out by the content.
  public var demuxer: String?
  public var bare: BareAudio

  public init(_ place: Place, demuxer: String? = nil, bare: BareAudio = BareAudio()) {
    self.place = place
    self.demuxer = demuxer
    self.bare = bare
  }

  /// Whether `demuxer` may be this: formats whose files hold their audio themselves, and PCM.
  public static func reads(demuxer: String) -> Bool { lav_reads_format(demuxer) }
}

/// The parameters that bare PCM lacks. Other formats have them, and these values are then ignored.
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
