public import SystemPackage

/// The file that a session analyzes, with what is known about it when decoding starts.
public struct AudioFile: Sendable, Hashable {
  public var path: FilePath
  /// A path that leads to this file even if another file has taken its name in the meantime. It is valid only in this
  /// process.
  public var openPath: FilePath
  /// The format; `nil` if no audio could be opened, in which case only sessions with `Feed.file` run.
  public var format: AudioFormat?
  /// Speaker positions as in WAVEFORMATEXTENSIBLE's `dwChannelMask` (which FFmpeg extends to 64 bits), in channel
  /// order; 0 if unknown.
  public var channelMask: UInt64

  /// - Parameter openPath: The path for opening the file; `nil` to use `path`.
  public init(path: FilePath, openPath: FilePath? = nil, format: AudioFormat? = nil, channelMask: UInt64 = 0) {
    self.path = path
    self.openPath = openPath ?? path
    self.format = format
    self.channelMask = channelMask
  }
}
