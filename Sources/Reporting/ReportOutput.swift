internal import AudioAnalysis
internal import Glibc
public import SystemPackage

/// Where a report goes.
public enum ReportDestination: Hashable, Sendable {
  case file(FilePath)
  case standardOutput
}

/// Bytes on their way to a destination. A file is written under another name beside its place and renamed when it is whole;
/// what is not finished is removed.
final class ReportOutput {
  private let path: FilePath?
  /// `nil` where bytes go to their place directly: standard output, devices, pipes.
  private let temporaryPath: FilePath?
  private let descriptor: FileDescriptor
  private var isOpen = true

  init(_ destination: ReportDestination) throws(ReportError) {
    guard case .file(let path) = destination else {
      self.path = nil
      temporaryPath = nil
      descriptor = .standardOutput
      return
    }
    self.path = path
    do {
      if Self.isSpecial(path) {
        temporaryPath = nil
        descriptor = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
      } else {
        let temporaryPath = Self.temporaryPath(for: path)
        Self.removeLeftovers(for: path)
        self.temporaryPath = temporaryPath
        descriptor = try FileDescriptor.open(
          temporaryPath, .writeOnly, options: [.create, .truncate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      }
    } catch {
      throw .cannotCreate(path: path, reason: "\(error)")
    }
  }

  deinit {
    guard isOpen, path != nil else { return }
    try? descriptor.close()
    if let temporaryPath { _ = temporaryPath.withPlatformString { unlink($0) } }
  }

  func write(_ bytes: [UInt8]) throws(ReportError) {
    do {
      try descriptor.writeAll(bytes)
    } catch {
      if error as? Errno == .brokenPipe { throw .closedPipe }
      throw .cannotWrite(path: path, reason: "\(error)")
    }
  }

  /// Puts the file into its place.
  func finish() throws(ReportError) {
    guard let path else { return }
    if let temporaryPath, fsync(descriptor.rawValue) != 0 || !Self.rename(temporaryPath, to: path) {
      throw .cannotWrite(path: path, reason: "\(Errno(rawValue: errno))")
    }
    isOpen = false
    do {
      try descriptor.close()
    } catch {
      throw .cannotWrite(path: path, reason: "\(error)")
    }
  }

  private static let leftoverSuffix = ".partial"

  private static func temporaryPath(for path: FilePath) -> FilePath {
    path.removingLastComponent().appending("\(temporaryPrefix(for: path))\(getpid())\(leftoverSuffix)")
  }

  private static func temporaryPrefix(for path: FilePath) -> String {
    ".\(path.lastComponent.map { $0.string } ?? "report")."
  }

  /// Removes what processes have left that were killed while they wrote the same file.
  private static func removeLeftovers(for path: FilePath) {
    let folder = path.removingLastComponent()
    let prefix = temporaryPrefix(for: path)
    guard let listing = folder.withPlatformString({ opendir($0) }) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix(prefix), name.hasSuffix(leftoverSuffix),
        let owner = pid_t(name.dropFirst(prefix.count).dropLast(leftoverSuffix.count)), owner > 0
      else { continue }
      // Signal 0 only asks whether the process is there.
      if kill(owner, 0) != 0, errno == ESRCH { _ = folder.appending(name).withPlatformString { unlink($0) } }
    }
  }

  private static func rename(_ old: FilePath, to new: FilePath) -> Bool {
    old.withPlatformString { old in new.withPlatformString { new in Glibc.rename(old, new) == 0 } }
  }

  /// Something other than a file that is there already and must not be replaced by one.
  private static func isSpecial(_ path: FilePath) -> Bool {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
  }
}
