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

  private static func temporaryPath(for path: FilePath) -> FilePath {
    let name = path.lastComponent.map { $0.string } ?? "report"
    return path.removingLastComponent().appending(".\(name).\(getpid()).partial")
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
