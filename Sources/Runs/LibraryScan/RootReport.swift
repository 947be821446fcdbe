internal import Platform
public import SystemPackage

/// The outcome for one of the folders or files that were given to a walk.
public struct RootReport: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    /// A folder that was walked, with the number of files that it yielded. The number is 0 if all its files were
    /// reached elsewhere or were still changing.
    case scanned(fileCount: Int)
    /// A root that is not a folder. It was yielded, or skipped with a reason.
    case single
    /// The path does not exist: it was moved or misspelled, or is on a disk that is not mounted.
    case missing
    /// A folder without candidates. It may be the mount point of a disk that is not mounted.
    case empty
    /// The system could not read the root; the text is the system's message.
    case unreadable(String)
    /// The same folder, or a folder that contains it, has already been walked.
    case alreadyScanned
  }

  /// The absolute path.
  public var path: FilePath
  public var state: State

  public init(path: FilePath, state: State) {
    self.path = path
    self.state = state
  }

  /// The warning for the user, as one sentence without the path; `nil` if there is no problem.
  public var warning: String? {
    switch state {
    case .scanned, .single, .alreadyScanned: nil
    case .missing: "does not exist; if it is on another drive, is the drive mounted? Nothing below it counts as removed"
    case .empty where path.isObject: "holds no audio files; nothing below it counts as removed"
    case .empty:
      "holds no audio files; if it is on another drive, is the drive mounted? Nothing below it counts as removed"
    case .unreadable(let problem): "cannot be read (\(problem)); nothing below it counts as removed"
    }
  }
}
