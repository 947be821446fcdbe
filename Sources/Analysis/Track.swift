public import SystemPackage

/// The file a session works on, as known when decoding starts.
public struct Track: Sendable, Hashable {
  public var path: FilePath
  /// Leads to the file itself, even if another has taken its name meanwhile; in this process alone.
  public var openPath: FilePath
  /// `nil` when no audio could be opened: only sessions with `Feed.file` run then.
  public var format: AudioFormat?

  /// - Parameter openPath: `nil` for `path`.
  public init(path: FilePath, openPath: FilePath? = nil, format: AudioFormat? = nil) {
    self.path = path
    self.openPath = openPath ?? path
    self.format = format
  }
}
