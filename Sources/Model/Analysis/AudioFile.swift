public import SystemPackage

/// The file that a session analyzes, as known when decoding starts.
public struct AudioFile: Sendable, Hashable {
  public var path: FilePath
  /// A path to the file itself, even if another file has meanwhile taken its name; valid only in this process.
  public var openPath: FilePath
  /// `nil` when no audio could be opened: only sessions with `Feed.file` run then.
  public var format: AudioFormat?
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask` (which FFmpeg extends to 64 bits), in channel
  /// order; 0 if unknown.
  public var channelMask: UInt64

  /// - Parameter openPath: Defaults to `path` if `nil`.
  public init(path: FilePath, openPath: FilePath? = nil, format: AudioFormat? = nil, channelMask: UInt64 = 0) {
    self.path = path
    self.openPath = openPath ?? path
    self.format = format
    self.channelMask = channelMask
  }
}
