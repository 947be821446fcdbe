internal import CLibAV
public import SystemPackage

/// Audio described by the caller: bare PCM, audio of a format that the caller names, or a pipe.
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

  /// `true` if `demuxer` is allowed: it must read PCM, or a format whose files contain the audio instead of referring
  /// to other files.
  public static func reads(demuxer: String) -> Bool { lav_reads_format(demuxer) }
}

/// Parameters that bare PCM does not carry. They are ignored for other formats, which carry them.
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
