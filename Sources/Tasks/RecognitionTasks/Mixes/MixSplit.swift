internal import Analysis
internal import AudioDecoding
internal import AudioEncoding
internal import Foundation
package import Platform
package import Recognition
package import SystemPackage

/// Splits a recording into files, one for each track and each unrecognized stretch of at least
/// `MixPiece.minUnknownDuration`.
///
/// Lossless audio that FLAC represents exactly, with at most 24 bits, becomes FLAC, cut exactly to the sample. All
/// other audio is copied packet by packet without being encoded again. Either way, the pieces cover all of the
/// recording without overlap.
package struct MixSplit: Sendable {
  package enum Method: String, CaseIterable, Sendable {
    /// The audio is decoded, then encoded losslessly.
    case flac
    /// Packets are copied unchanged.
    case copy
  }

  package struct File: Sendable {
    package var path: FilePath
    /// The number of the piece, counted from 1.
    package var number: Int
    /// Total number of pieces.
    package var count: Int
    /// The planned piece. Once the file has been written, it has the actual start and end of the audio.
    package var piece: MixPiece
  }

  package struct Outcome: Sendable {
    package var folder: FilePath
    package var method: Method
    /// Maximum error of a cut in seconds, which is half the duration of the longest packet; 0 if cuts are exact to the
    /// sample.
    package var precision: Double
    package var files: [File]
    /// The reason the recording is incomplete; `nil` if it is complete.
    package var damage: String?
  }

  package let source: FilePath
  package let folder: FilePath
  package let method: Method
  private let overwriting: OverwriteRule
  private let container: PacketContainer

  /// Checks the recording and the folder, so that errors are found before the work begins.
  /// - Throws: `MixSplitError`.
  package init(of source: FilePath, into folder: FilePath, _ overwriting: OverwriteRule = OverwriteRule())
    throws(MixSplitError)
  {
    self.source = source
    self.folder = folder
    self.overwriting = overwriting
    do throws(DecodeError) {
      let audio = try AudioSource(path: source)
      let isExact = SampleCutting.depth(of: audio) != nil
      method = isExact ? .flac : .copy
      container = isExact ? .flac : PacketContainer(like: audio.format, fileExtension: source.extension)
      if !isExact { _ = try PacketSource(path: source) }
    } catch {
      throw .cannotRead(source, reason: error.message)
    }
    if folder.exists, !(folder.fileKind == .folder && folder.allows(.write)) { throw .notAFolder(folder) }
  }

  /// Writes the pieces. Each file appears at its path once it is complete.
  /// - Parameters:
  ///   - sheet: The tracks recognized in the recording.
  ///   - progress: Called from time to time with the completed fraction, 0 to 1.
  ///   - isCancelled: Called repeatedly. Writing stops once it returns `true`.
  /// - Throws: `MixSplitError` if the recording or the folder cannot be used; `MixSplitFailure` if writing the pieces
  ///   fails.
  package func perform(
    _ sheet: CueSheet, progress: @escaping (Double) -> Void, isCancelled: @escaping () -> Bool
  ) throws -> Outcome {
    let files = files(for: MixPiece.pieces(of: sheet))
    let replaceable = try check(files)
    var outcome = Outcome(folder: folder, method: method, precision: 0, files: [])
    let writing = PieceWriting(
      source: source, container: container, replaceable: replaceable,
      shouldContinue: { seconds in
        progress(sheet.duration > 0 ? min(1, seconds / sheet.duration) : 1)
        return !isCancelled()
      })
    do throws(MixSplitError) {
      switch method {
      case .flac: try SampleCutting(writing).write(files, into: &outcome)
      case .copy: try PacketCutting(writing).write(files, into: &outcome)
      }
    } catch {
      throw MixSplitFailure(cause: error, completeCount: outcome.files.count, count: files.count, folder: folder)
    }
    return outcome
  }

  private func files(for pieces: [MixPiece]) -> [File] {
    pieces.enumerated().map { index, piece in
      let name = PieceName.name(
        of: piece, number: index + 1, of: pieces.count, fileExtension: container.fileExtension)
      return File(path: folder.appending(name), number: index + 1, count: pieces.count, piece: piece)
    }
  }

  /// Creates the folder, and checks that no piece would replace a file that must not be replaced.
  /// - Returns: The existing files that may be replaced.
  private func check(_ files: [File]) throws(MixSplitError) -> Set<FilePath> {
    do {
      try folder.makeFolder()
    } catch {
      throw .cannotWrite(folder, reason: "\(error)")
    }
    let present = files.map(\.path).filter(\.exists)
    if let path = present.first(where: { $0.isSameFile(as: source) }) { throw .isTheRecording(path) }
    func isFile(_ path: FilePath) -> Bool { (try? FileStatus(at: path, followingLinks: false).kind) == .regular }
    if let path = present.first(where: { !isFile($0) }) { throw .notAFile(path) }
    do {
      try overwriting.forRegularFiles.check(present.map { ($0, PieceTags.proof(of: source)) })
    } catch {
      throw .refused(error)
    }
    return Set(present)
  }
}
