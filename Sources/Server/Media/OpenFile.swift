internal import Glibc
internal import NIOCore
internal import Platform
internal import ResultStore
internal import SystemPackage

/// A regular file that stays open while it is sent, so all of an answer is of one file even if another takes its name.
final class OpenFile: Sendable {
  enum Failure: Error {
    /// Nothing of this name is there, or it may not be read.
    case missing
    /// Something else than the file that was analyzed has its name: a device, a pipe, a folder, a link elsewhere.
    case replaced
    /// It is shorter than it was when the answer began.
    case shortened
  }

  let size: Int64
  /// Of the content, in nanoseconds since 1970.
  let modified: Int64
  private let descriptor: SystemPackage.FileDescriptor

  /// Opens the file of a track, as `TrackFolder` allows.
  convenience init(_ track: TrackFile) throws(Failure) { try self.init(track, in: TrackFolder(of: track)) }

  /// - Parameter folder: That of the track.
  convenience init(_ track: TrackFile, in folder: TrackFolder) throws(Failure) {
    var isLinked = folder.isBehindLink
    do {
      try self.init(folder.name, in: folder.folder, links: .refused)
    } catch .replaced {
      try self.init(folder.name, in: folder.folder, links: .followed)
      isLinked = true
    }
    guard !isLinked || isSeen(as: track) else { throw .replaced }
  }

  /// - Parameter path: From the folder.
  init(_ path: FilePath, in folder: OpenFolder, links: OpenFolder.Links) throws(Failure) {
    let descriptor: SystemPackage.FileDescriptor
    do {
      descriptor = try folder.file(path, links: links)
    } catch {
      throw error == .tooManySymbolicLinkLevels ? .replaced : .missing
    }
    guard let file = FileIdentity(descriptor), file.isRegularFile else {
      try? descriptor.close()
      throw .replaced
    }
    self.descriptor = descriptor
    size = file.size
    modified = file.modified.nanoseconds
  }

  deinit { try? descriptor.close() }

  func withDescriptor<Result>(_ body: (CInt) throws -> Result) rethrows -> Result { try body(descriptor.rawValue) }

  private func isSeen(as track: TrackFile) -> Bool { FileIdentity(descriptor).map(track.isSeen(as:)) ?? false }

  /// Reads exactly this many bytes.
  func read(_ count: Int, at offset: Int64) throws -> ByteBuffer {
    var buffer = ByteBuffer()
    while buffer.readableBytes < count {
      let position = offset + Int64(buffer.readableBytes)
      let got = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count - buffer.readableBytes) { space in
        while true {
          let got = unsafe pread(
            descriptor.rawValue, space.baseAddress, min(space.count, count - Int(position - offset)), Int(position))
          if got >= 0 { return got }
          if errno != EINTR { throw Errno(rawValue: errno) }
        }
      }
      if got == 0 { throw Failure.shortened }
    }
    return buffer
  }
}
