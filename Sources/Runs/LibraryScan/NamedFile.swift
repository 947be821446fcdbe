internal import Platform
public import SystemPackage

/// The outcome for a single file that is given directly, without a walk.
public enum NamedFile: Hashable, Sendable {
  case file(ScannedFile)
  case skipped(SkippedEntry)
  case folder
  /// The file does not exist or cannot be accessed. The sentence says which.
  case unreachable(String)
}

extension LibraryWalker {
  /// Checks a file without opening it. The name is checked as if the file had been found in a folder. Ignore files are
  /// not read, because they apply only to walks.
  ///
  /// - Parameter path: An absolute path.
  public static func look(at path: FilePath, options: Options = Options()) -> NamedFile {
    func skipped(_ reason: SkipReason) -> NamedFile {
      .skipped(SkippedEntry(path: path, reason: reason))
    }
    guard !PathBuffer(path).isTooLong else { return skipped(.pathTooLong) }
    let status: FileStatus
    do {
      status = try FileStatus(at: path, followingLinks: true)
    } catch {
      let isLink = (try? FileStatus(at: path, followingLinks: false).kind) == .link
      switch error {
      case .noSuchFileOrDirectory where isLink, .notDirectory where isLink: return skipped(.danglingLink)
      case .tooManySymbolicLinkLevels: return skipped(.linkLoop)
      case .noSuchFileOrDirectory, .notDirectory: return .unreachable("There is no such file.")
      default: return .unreachable("It cannot be accessed: \(error).")
      }
    }
    switch status.kind {
    case .folder: return .folder
    case .regular: break
    case .fifo, .socket, .device, .link, .unknown: return skipped(reason(for: status.kind))
    }
    if !options.followsLinks, (try? FileStatus(at: path, followingLinks: false).kind) == .link {
      return skipped(.linkNotFollowed)
    }
    if let name = path.lastComponent, let reason = options.candidates.reasonToSkip(fileNamed: bytes(of: name)) {
      return skipped(reason)
    }
    if QuietPeriod(options.quietPeriod)?.contains(status) == true { return skipped(.stillChanging) }
    return .file(ScannedFile(path: path, status: status))
  }
}
