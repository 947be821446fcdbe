public import SystemPackage

/// An entry of the library that is not analyzed, with the reason.
public struct SkippedEntry: Hashable, Sendable {
  public var path: FilePath
  public var reason: SkipReason
  /// `true` if `path` is a folder. Everything below it is skipped, too.
  public var isFolder: Bool
  /// The system's message, another path of the same file, or the target of a link.
  public var detail: String?

  public init(path: FilePath, reason: SkipReason, isFolder: Bool = false, detail: String? = nil) {
    self.path = path
    self.reason = reason
    self.isFolder = isFolder
    self.detail = detail
  }

  /// `true` if `path` may contain known files that the walk did not reach, such as an unreadable folder, a folder on
  /// another file system, or a link that may lead to a disk that is not mounted. `false` for folders that are excluded
  /// by their names or by patterns.
  public var hidesFiles: Bool {
    switch reason {
    case .unreadableFolder, .unreadableEntry, .vanishedWhileScanning, .pathTooLong, .danglingLink, .emptyLinkTarget,
      .linkLoop, .otherFileSystem:
      true
    case .notAudio, .unknownKind, .unfinishedDownload, .hidden, .systemJunk, .ignored, .stillChanging,
      .alreadyScanned, .linkNotFollowed, .fifo, .socket, .device, .pseudoFileSystem, .unreadableIgnoreFile:
      false
    }
  }

  /// The reason in a single sentence, without the path.
  public var message: String {
    guard let detail else { return reason.sentence }
    return "\(reason.sentence) (\(detail))"
  }
}

/// The reason an entry is not analyzed. The raw values appear in reports and must never be renamed.
public enum SkipReason: String, Codable, Hashable, Sendable, CaseIterable {
  /// A picture, text, playlist, archive, video or the like, judging by its extension.
  case notAudio = "not_audio"
  /// The file has no extension, or one that reveals nothing about audio.
  case unknownKind = "unknown_kind"
  /// A download in progress, judging by its extension.
  case unfinishedDownload = "unfinished_download"
  case hidden
  /// An entry that file managers, NAS systems or file systems create: `@eaDir`, `._*`, `lost+found`, …
  case systemJunk = "system_junk"
  /// The entry matches a pattern in a `.nocturneignore` file.
  case ignored
  /// The file changed within the quiet period, or was still being written when its analysis was due.
  case stillChanging = "still_changing"
  /// The same file or folder has already been reached through another root, a link or a bind mount.
  case alreadyScanned = "already_scanned"
  case danglingLink = "dangling_link"
  /// A link to an empty folder, such as the mount point of a disk that is not mounted.
  case emptyLinkTarget = "empty_link_target"
  /// A link that is circular, or leads to a folder that contains the library.
  case linkLoop = "link_loop"
  case linkNotFollowed = "link_not_followed"
  case fifo
  case socket
  case device
  /// The entry is not on the file system of its root, and other file systems are skipped.
  case otherFileSystem = "other_file_system"
  /// A folder of a file system such as `/proc` or `/sys`.
  case pseudoFileSystem = "pseudo_file_system"
  case unreadableFolder = "unreadable_folder"
  /// The type of the entry cannot be determined.
  case unreadableEntry = "unreadable_entry"
  /// A `.nocturneignore` file that cannot be read; the folder was scanned without it.
  case unreadableIgnoreFile = "unreadable_ignore_file"
  /// The path is longer than system calls accept.
  case pathTooLong = "path_too_long"
  case vanishedWhileScanning = "vanished_while_scanning"

  /// `true` for entries that should have been scanned but that the system could not read.
  public var isFailure: Bool { self == .unreadableFolder || self == .unreadableEntry }

  /// The reason in one sentence.
  public var sentence: String {
    switch self {
    case .notAudio: "not an audio file, by its extension"
    case .unknownKind: "no extension of an audio file; name the file itself, or set all_files, to analyze it"
    case .unfinishedDownload: "an unfinished download, by its extension"
    case .hidden: "hidden: its name starts with a dot"
    case .systemJunk: "made by a file manager, NAS or file system for its own use"
    case .ignored: "left out by a pattern in \(IgnoreFile.name)"
    case .stillChanging: "changed just before or while it was read; the next run tries again"
    case .alreadyScanned: "already reached by another path"
    case .danglingLink: "a link to something that does not exist"
    case .emptyLinkTarget: "a link to an empty folder; if it is on another drive, is the drive mounted?"
    case .linkLoop: "a link that leads back to where it came from"
    case .linkNotFollowed: "a link, and links are not followed"
    case .fifo: "a named pipe, not a file"
    case .socket: "a socket, not a file"
    case .device: "a device, not a file"
    case .otherFileSystem: "on another file system; known results of its files are kept"
    case .pseudoFileSystem: "a kernel file system, not on a disk"
    case .unreadableFolder: "the folder could not be read; known results of its files are kept"
    case .unreadableEntry: "its type cannot be determined"
    case .unreadableIgnoreFile: "could not be read, so its patterns do not apply"
    case .pathTooLong: "the path is longer than the system can open"
    case .vanishedWhileScanning: "removed while the library was being scanned"
    }
  }
}
