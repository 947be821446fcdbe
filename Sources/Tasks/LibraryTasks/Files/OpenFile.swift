internal import AudioDecoding
package import LibraryStore
package import Platform
package import SystemPackage

/// A regular file that stays open while it is read, so that all data comes from the same file even if another file
/// takes its name.
package final class OpenFile: Sendable {
  package enum Failure: Error {
    /// The file does not exist or is not readable.
    case missing
    /// The path now refers to something other than the analyzed file: a device, a pipe, a folder, a link to elsewhere,
    /// or a file without audio.
    case replaced
    /// A link leads to a place outside the folders of the library.
    case outside
    /// The last run did not decode audio from the file.
    case notAudio
    /// The file has become shorter since it was opened.
    case shortened
  }

  package let size: Int64
  /// The time of the last change of the content, in nanoseconds since 1970.
  package let modified: Int64
  private let descriptor: SystemPackage.FileDescriptor

  /// Opens the file of a track according to the rules of `TrackFolder`.
  package convenience init(_ track: TrackFile) throws(Failure) { try self.init(track, in: TrackFolder(of: track)) }

  /// - Parameter folder: The folder of the track.
  convenience init(_ track: TrackFile, in folder: TrackFolder) throws(Failure) {
    guard track.isAudio else { throw .notAudio }
    var isLinked = folder.isBehindLink
    do {
      try self.init(folder.name, in: folder.folder, links: .refused)
    } catch .replaced {
      try self.init(folder.name, in: folder.folder, links: .followed)
      isLinked = true
    }
    let isUnchanged = FileIdentity(descriptor).map(track.isSeen(as:)) ?? false
    if isLinked {
      guard isUnchanged else { throw .replaced }
      guard isInside(track.linkScope) else { throw .outside }
    } else if !isUnchanged {
      // A new file is accepted, because programs that write tags create one. It must be audio, because a hard link with
      // the same name can lead anywhere.
      guard AudioSource.recognizes(descriptorPath) else { throw .replaced }
    }
  }

  /// - Parameter path: A path relative to the folder.
  package init(_ path: FilePath, in folder: OpenFolder, links: OpenFolder.Links) throws(Failure) {
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

  private var descriptorPath: FilePath { FilePath("/proc/self/fd/\(descriptor.rawValue)") }

  /// Returns `true` if the open file is in one of the folders, no matter what links led to it; `false` also if the
  /// system cannot tell.
  private func isInside(_ folders: [FilePath]) -> Bool {
    if folders.contains("/") { return true }
    guard let path = descriptorPath.linkTarget else { return false }
    return folders.contains { folder in (try? folder.resolved()).map(path.starts(with:)) ?? false }
  }

  /// Reads exactly `count` bytes.
  package func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { space, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(space)[filled..<count])
        let got = try descriptor.read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
        if got == 0 { throw Failure.shortened }
        filled += got
      }
    }
  }
}
