internal import Platform
public import SystemPackage

/// The decision of a scan about one file that is named directly, without walking a folder.
public enum NamedFile: Hashable, Sendable {
  case file(ScannedFile)
  case skipped(SkippedEntry)
  case folder
  /// There is no such file, or the system denies access; the sentence says which.
  case unreachable(String)
}

extension LibraryWalker {
  /// Looks at a file without opening it and judges its name as if it had been found in a folder. Ignore files are not
  /// read: they apply to walks.
  ///
  /// - Parameter path: Absolute.
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
      default: return .unreachable("The system does not let it be seen: \(error).")
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
