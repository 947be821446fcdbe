package import AudioDecoding
internal import CLibAV
internal import Glibc
package import SystemPackage

/// A tag of a file: a name of FFmpeg's (`title`, `artist`, `album`, `track`, `date`, `genre`, `comment`, …) or any
/// other, which goes into formats whose names are free, such as `ISRC` and `MUSICBRAINZ_TRACKID` of Vorbis comments.
package struct AudioTag: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A new file with encoded packets of another one, which are copied as they are.
package struct PacketFile: ~Copyable {
  private let writer: OpaquePointer

  /// Begins the file.
  /// - Parameters:
  ///   - container: The kind of file it becomes.
  ///   - descriptor: A regular file that is empty.
  ///   - isContinuation: The first packet is not the first of `source`, so the delay of the encoder is not in it.
  package init(
    _ container: PacketContainer, for source: borrowing PacketSource, at descriptor: FileDescriptor,
    tags: [AudioTag], isContinuation: Bool
  ) throws(PacketFileError) {
    var writer: OpaquePointer?
    var writeErrno: CInt = 0
    // The muxer copies them.
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

  /// Writes the packet that `source` gave last.
  package func write(_ source: borrowing PacketSource) throws(PacketFileError) {
    var writeErrno: CInt = 0
    let status = lav_writer_write(writer, source.reader, &writeErrno)
    guard status == LAVWriteStatusOK else { throw PacketFileError(status, writeErrno) }
  }

  /// Ends the file.
  package consuming func finish() throws(PacketFileError) {
    var writeErrno: CInt = 0
    let status = lav_writer_finish(writer, &writeErrno)
    guard status == LAVWriteStatusOK else { throw PacketFileError(status, writeErrno) }
  }
}

/// Why packets cannot be written.
package enum PacketFileError: Error, Hashable, Sendable {
  /// This kind of container does not take the codec.
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
