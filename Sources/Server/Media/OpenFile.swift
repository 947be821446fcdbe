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
  private let descriptor: CInt

  /// Opens the file of a track.
  ///
  /// A link under its name is followed only if it leads to the file that the last run has seen through it: whoever may
  /// write into the folder of the music may not have other files of this machine served.
  convenience init(_ track: TrackFile) throws(Failure) {
    do {
      try self.init(track.path, flags: O_NOFOLLOW)
    } catch .replaced {
      try self.init(track.path, flags: 0)
      guard isSame(as: track) else { throw .replaced }
    }
  }

  /// - Parameter flags: Of open(2), besides those that keep it from waiting and from being inherited.
  init(_ path: FilePath, flags: CInt) throws(Failure) {
    // Without O_NONBLOCK, opening a pipe waits for whoever writes it.
    let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags) }
    guard descriptor >= 0 else { throw errno == ELOOP ? .replaced : .missing }
    guard let file = FileIdentity(FileDescriptor(rawValue: descriptor)), file.isRegularFile else {
      close(descriptor)
      throw .replaced
    }
    self.descriptor = descriptor
    size = file.size
    modified = file.modified.nanoseconds
  }

  deinit { close(descriptor) }

  func withDescriptor<Result>(_ body: (CInt) throws -> Result) rethrows -> Result { try body(descriptor) }

  private func isSame(as track: TrackFile) -> Bool {
    guard let file = FileIdentity(FileDescriptor(rawValue: descriptor)) else { return false }
    return file.size == track.size && file.inode == track.inode
  }

  /// Reads exactly this many bytes.
  func read(_ count: Int, at offset: Int64) throws -> ByteBuffer {
    var buffer = ByteBuffer()
    while buffer.readableBytes < count {
      let position = offset + Int64(buffer.readableBytes)
      let got = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count - buffer.readableBytes) { space in
        while true {
          let got = unsafe pread(
            descriptor, space.baseAddress, min(space.count, count - Int(position - offset)), Int(position))
          if got >= 0 { return got }
          if errno != EINTR { throw Errno(rawValue: errno) }
        }
      }
      if got == 0 { throw Failure.shortened }
    }
    return buffer
  }
}
