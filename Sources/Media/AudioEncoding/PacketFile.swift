package import AudioDecoding
internal import CLibAV
internal import Glibc
package import SystemPackage

/// A tag of a file. The name is one that FFmpeg defines (`title`, `artist`, `album`, `track`, `date`, `genre`,
/// `comment`, …) or, in formats that allow it, any other name, such as `ISRC` or `MUSICBRAINZ_TRACKID` in Vorbis
/// comments.
package struct AudioTag: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A new file of encoded packets, copied unchanged from another file.
package struct PacketFile: ~Copyable {
  private let writer: OpaquePointer

  /// Starts writing the file.
  ///
  /// - Parameters:
  ///   - container: The file format.
  ///   - descriptor: The descriptor of an empty regular file.
  ///   - isContinuation: `true` if the first packet written is not the first of `source`, so that the file declares no
  ///     encoder delay.
  package init(
    _ container: PacketContainer, for source: borrowing PacketSource, at descriptor: FileDescriptor,
    tags: [AudioTag], isContinuation: Bool
  ) throws(PacketFileError) {
    var writer: OpaquePointer?
    var writeErrno: CInt = 0
    // The muxer copies the tags.
    let strings = tags.map { unsafe (name: strdup($0.name), value: strdup($0.value)) }
    defer {
      for tag in strings {
        unsafe free(tag.name)
        unsafe free(tag.value)
      }
    }
    let pointers = strings.map { unsafe LAVTag(name: $0.name, value: $0.value) }
    let status = lav_writer_open(
      source.reader, container.muxer, descriptor.rawValue, pointers, CInt(pointers.count), isContinuation, &writer,
      &writeErrno)
    guard status == LAVWriteStatusOK, let writer else { throw PacketFileError(status, writeErrno) }
    self.writer = writer
  }

  deinit { lav_writer_close(writer) }

  /// Writes the packet that `source` read last.
  package func write(_ source: borrowing PacketSource) throws(PacketFileError) {
    var writeErrno: CInt = 0
    let status = lav_writer_write(writer, source.reader, &writeErrno)
    guard status == LAVWriteStatusOK else { throw PacketFileError(status, writeErrno) }
  }

  /// Completes the file.
  package consuming func finish() throws(PacketFileError) {
    var writeErrno: CInt = 0
    let status = lav_writer_finish(writer, &writeErrno)
    guard status == LAVWriteStatusOK else { throw PacketFileError(status, writeErrno) }
  }
}

/// The reason packets cannot be written.
package enum PacketFileError: Error, Hashable, Sendable {
  /// The container does not support the codec.
  case unsupported
  case cannotWrite(Errno)
  case outOfMemory

  fileprivate init(_ status: LAVWriteStatus, _ writeErrno: CInt) {
    self =
      switch status {
      case LAVWriteStatusWriteError: .cannotWrite(Errno(rawValue: writeErrno))
      case LAVWriteStatusOutOfMemory: .outOfMemory
      default: .unsupported
      }
  }
}
