public import SystemPackage

/// How far a walk came: what it means if a file known from before was not met.
public struct ScanCoverage: Sendable {
  /// Why a file was not met.
  public enum Absence: Hashable, Sendable {
    /// Its folder was read, or is gone itself: the file was removed or renamed.
    case vanished
    /// It may still exist, in a folder that was left out for this reason.
    case leftOut(SkipReason)
    /// Nobody can tell: its folder could not be read, or the whole root is missing or empty.
    case unknown
    /// It is not below any of the roots of this walk.
    case outside
  }

  private var roots: [[UInt8]: RootReport.State] = [:]
  /// Folders, and links that may have led to some.
  private var foldersNotRead: [[UInt8]: SkipReason] = [:]
  /// Links to folders in which there is nothing, as the mount point of a disk that is not mounted.
  private var emptyTargets: Set<[UInt8]> = []

  /// Ask only when the walk is over, and only about files it did not yield or skip.
  public func absence(of path: FilePath) -> Absence {
    let bytes = path.bytes
    var isInside = false
    var leftOut: SkipReason?
    for end in bytes.indices where bytes[end] == UInt8(ascii: "/") {
      let ancestor = Array(bytes[..<end])
      switch roots[ancestor] {
      case .scanned:
        isInside = true
        leftOut = nil
        continue
      case .missing, .empty, .unreadable: return .unknown
      case .alreadyScanned: if !isInside { leftOut = .alreadyScanned }
      case .single, nil: break
      }
      if emptyTargets.contains(ancestor) { return .unknown }
      guard let reason = foldersNotRead[ancestor] else { continue }
      switch reason {
      case .unreadableFolder, .unreadableEntry, .vanishedWhileScanning, .pathTooLong, .danglingLink, .linkLoop:
        return .unknown
      default:
        leftOut = leftOut ?? reason
      }
    }
    if let leftOut { return .leftOut(leftOut) }
    return isInside ? .vanished : .outside
  }

  mutating func record(_ report: RootReport) {
    roots[PathBuffer(report.path).bytes] = report.state
  }

  mutating func record(_ entry: SkippedEntry) {
    switch entry.reason {
    case .danglingLink, .linkLoop, .linkNotFollowed, .unreadableEntry: break
    default: guard entry.isFolder else { return }
    }
    foldersNotRead[entry.path.bytes] = entry.reason
  }

  mutating func recordEmptyTarget(of link: FilePath) {
    emptyTargets.insert(link.bytes)
  }
}
