public import SystemPackage

/// The file a session works on, as known when decoding starts.
public struct Track: Sendable, Hashable {
  public var path: FilePath
  /// `nil` when no audio could be opened: only sessions with `Feed.file` run then.
  public var format: AudioFormat?

  public init(path: FilePath, format: AudioFormat? = nil) {
    self.path = path
    self.format = format
  }
}
