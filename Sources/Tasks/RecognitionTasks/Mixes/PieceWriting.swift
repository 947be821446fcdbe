internal import AudioDecoding
internal import AudioEncoding
internal import Platform
internal import SystemPackage

/// The code that both methods of splitting a recording share.
struct PieceWriting {
  var source: FilePath
  var container: PacketContainer
  /// Existing files that may be replaced.
  var replaceable: Set<FilePath>
  /// Called with the number of seconds of the recording that are done. It returns `false` to cancel.
  var shouldContinue: (_ seconds: Double) -> Bool

  /// Opens the file of a piece.
  /// - Parameter isContinuation: `true` if the first packet of the piece is not the first of `packets`.
  func begin(
    _ file: MixSplit.File, with packets: borrowing PacketSource, isContinuation: Bool
  ) throws(MixSplitError) -> PieceFile {
    try PieceFile(file, self, packets, isContinuation: isContinuation)
  }
}

/// The file of a piece while it is being written.
struct PieceFile: ~Copyable {
  private let path: FilePath
  private let source: FilePath
  private let isReplaceable: Bool
  private let replacement: FileReplacement
  private let packets: PacketFile

  fileprivate init(
    _ file: MixSplit.File, _ writing: PieceWriting, _ packets: borrowing PacketSource, isContinuation: Bool
  ) throws(MixSplitError) {
    let replacement = try Self.replacement(file.path)
    self.packets = try Self.packets(for: file, writing, packets, at: replacement, isContinuation: isContinuation)
    self.replacement = replacement
    path = file.path
    source = writing.source
    isReplaceable = writing.replaceable.contains(file.path)
  }

  private static func replacement(_ path: FilePath) throws(MixSplitError) -> FileReplacement {
    do {
      return try FileReplacement(path)
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
  }

  private static func packets(
    for file: MixSplit.File, _ writing: PieceWriting, _ packets: borrowing PacketSource,
    at replacement: FileReplacement, isContinuation: Bool
  ) throws(MixSplitError) -> PacketFile {
    do throws(PacketFileError) {
      return try PacketFile(
        writing.container, for: packets, at: replacement.descriptor,
        tags: PieceTags.tags(of: file, from: writing.source, in: writing.container.tagFormat),
        isContinuation: isContinuation)
    } catch {
      throw failure(error, file.path, writing.source)
    }
  }

  /// Writes the packet that `source` read last.
  func write(_ source: borrowing PacketSource) throws(MixSplitError) {
    do throws(PacketFileError) {
      try packets.write(source)
    } catch {
      throw Self.failure(error, path, self.source)
    }
  }

  /// Completes the file and moves it into place.
  consuming func finish() throws(MixSplitError) {
    let (path, source) = (path, source)
    // Another program may have created the file in the meantime.
    if !isReplaceable, path.exists { throw .exists(path) }
    do throws(PacketFileError) {
      try packets.finish()
    } catch {
      throw Self.failure(error, path, source)
    }
    do throws(Errno) {
      try replacement.commit()
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
  }

  private static func failure(_ error: PacketFileError, _ path: FilePath, _ source: FilePath) -> MixSplitError {
    switch error {
    case .unsupported: .cannotCopy(source)
    case .cannotWrite(let errno): .cannotWrite(path, reason: "\(errno)")
    case .outOfMemory: .cannotWrite(path, reason: "\(Errno.noMemory)")
    }
  }
}
