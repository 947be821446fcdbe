internal import Foundation
internal import Glibc
internal import System
public import SystemPackage

/// Which files of projects the user trusts, each with the content it had then: one small file each, named by the
/// digest of the path.
///
/// A path is that of the real folder with the name of the file behind it. A link of that name is not followed: linked
/// to from elsewhere, the same lines mean other places.
public struct TrustedProjects: Sendable {
  public enum Verdict: Hashable, Sendable {
    case trusted
    /// It was trusted with another content, or named a definition with another one.
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
    do {
      try FileManager.default.createDirectory(
        atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      // The next step says why.
    }
    let beside = FilePath("\(entry.string).\(UUID().uuidString)")
    do {
      let file = try FileDescriptor.open(
        beside, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll("\(project.digest)\n\(project.path.string)\n".utf8) }
      guard rename(beside.string, entry.string) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      unlink(beside.string)
      throw error as? Errno ?? .ioError
    }
  }

  /// - Returns: whether it was trusted, whatever it has become since.
  public func untrust(_ path: FilePath) throws(Errno) -> Bool {
    if unlink(try entry(for: path).string) == 0 { return true }
    guard errno == ENOENT else { throw Errno(rawValue: errno) }
    return false
  }

  private func entry(for path: FilePath) throws(Errno) -> FilePath {
    guard let resolved = path.removingLastComponent().withPlatformString({ unsafe realpath($0, nil) }),
      let name = path.lastComponent
    else { throw Errno(rawValue: errno) }
    defer { unsafe free(resolved) }
    let place = unsafe FilePath(platformString: resolved).appending(name)
    return folder.appending(SHA256Digest.text(of: [place.withBytes { Array($0) }]))
  }

  /// What nobody else could have written.
  private static func read(_ entry: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(entry, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    return try file.closeAfter {
      var status = stat()
      guard fstat(file.rawValue, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
        throw Errno.notPermitted
      }
      return try FileBytes.read(file, limit: 1 << 16)
    }
  }
}
