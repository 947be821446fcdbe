public import SystemPackage

/// The file a session works on, as known when decoding starts.
public struct AudioFile: Sendable, Hashable {
  public var path: FilePath
  /// Leads to the file itself, even if another has taken its name meanwhile; in this process alone.
  public var openPath: FilePath
  /// `nil` when no audio could be opened: only sessions with `Feed.file` run then.
  public var format: AudioFormat?
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask` (which FFmpeg extends to 64 bits), in channel order; 0
  /// if the file does not say.
  public var channelMask: UInt64

  /// - Parameter openPath: `nil` for `path`.
  public init(path: FilePath, openPath: FilePath? = nil, format: AudioFormat? = nil, channelMask: UInt64 = 0) {
    self.path = path
    self.openPath = openPath ?? path
    self.format = format
    self.channelMask = channelMask
  }
}
