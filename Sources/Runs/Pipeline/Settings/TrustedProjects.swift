internal import Digests
internal import Foundation
internal import Platform
public import SystemPackage

/// The project files that the user trusts. For each of them, there is a small file, named after the digest of the
/// project file's path, that identifies the trusted content.
///
/// The path consists of the folder, with links resolved, and the file name. A project file that is a link is not
/// resolved, because its relative paths have a different meaning in each folder.
public struct TrustedProjects: Sendable {
  public enum Verdict: Hashable, Sendable {
    case trusted
    /// The file was trusted once, but it or its definition has changed since.
    case changed
    case unknown
  }

  let folder: FilePath

  public init(_ folders: StandardFolders) {
    folder = folders.state.appending("trusted")
  }

  public func verdict(on project: ProjectFile) -> Verdict {
    guard let entry = try? entry(for: project.path), let bytes = try? Self.read(entry) else { return .unknown }
    return bytes.starts(with: Array("\(project.digest)\n".utf8)) ? .trusted : .changed
  }

  public func trust(_ project: ProjectFile) throws(Errno) {
    let entry = try entry(for: project.path)
    // If this fails, the next step reports the error.
    try? folder.makeFolder(permissions: .ownerReadWriteExecute)
    let beside = FilePath("\(entry.string).\(UUID().uuidString)")
    do {
      let file = try FileDescriptor.open(
        beside, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll("\(project.digest)\n\(project.path.string)\n".utf8) }
      try beside.rename(to: entry)
    } catch {
      try? beside.unlink()
      throw error as? Errno ?? .ioError
    }
  }

  /// - Returns: `true` if the file was trusted, even if it has changed since then.
  public func untrust(_ path: FilePath) throws(Errno) -> Bool {
    do {
      try entry(for: path).unlink()
      return true
    } catch .noSuchFileOrDirectory {
      return false
    }
  }

  private func entry(for path: FilePath) throws(Errno) -> FilePath {
    let folder = try path.removingLastComponent().resolved()
    guard let name = path.lastComponent else { throw .invalidArgument }
    let place = folder.appending(name)
    return self.folder.appending(Digest.sha256(ofList: [place.withBytes { Array($0) }]).description)
  }

  /// Reads a file, provided that no other user could have written it.
  private static func read(_ entry: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(entry, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    return try file.closeAfter {
      let status = try FileStatus(of: file)
      guard status.ownerID == ThisProcess.userID, status.permissions & 0o022 == 0 else {
        throw Errno.notPermitted
      }
      return try file.readToEnd(limit: 1 << 16)
    }
  }
}
