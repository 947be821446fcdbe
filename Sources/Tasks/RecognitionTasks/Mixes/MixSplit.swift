internal import Analysis
internal import AudioDecoding
internal import AudioEncoding
internal import Foundation
package import Platform
package import Recognition
package import SystemPackage

/// Cuts a recording into files, one for each track and each unknown stretch.
///
/// Audio that was stored without loss, with at most 24 bits, becomes FLAC, sample by sample. All other audio is copied
/// as it is encoded, packet by packet. Either way the pieces hold all of the recording, each part of it once.
package struct MixSplit: Sendable {
  package enum Method: String, CaseIterable, Sendable {
    /// Decoded, and encoded without loss.
    case flac
    /// Packets are copied.
    case copy
  }

  package struct File: Sendable {
    package var path: FilePath
    /// From 1.
    package var number: Int
    /// How many pieces there are.
    package var count: Int
    /// As planned, and once the file is written with the times between which its audio really lies.
    package var piece: MixPiece
  }

  package struct Outcome: Sendable {
    package var folder: FilePath
    package var method: Method
    /// Seconds by which cuts may be beside their places: half of the longest packet; 0 if they are exact to the sample.
    package var precision: Double
    package var files: [File]
    /// Why the recording is not all there; `nil` if it is.
    package var damage: String?
  }

  package let source: FilePath
  package let folder: FilePath
  package let method: Method
  private let overwriting: OverwriteRule
  private let container: PacketContainer

  /// Looks at the recording and the folder: what cannot be done is known before the long work.
  /// - Throws: `MixSplitError`.
  package init(of source: FilePath, into folder: FilePath, _ overwriting: OverwriteRule = OverwriteRule()) throws(MixSplitError) {
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

  /// Writes the pieces. Each file appears when it is complete.
  /// - Parameters:
  ///   - sheet: The tracks recognized in the recording.
  ///   - progress: Called now and then with the part of the recording that is done, 0 to 1.
  ///   - isCancelled: Asked all the time; once it holds, writing ends.
  /// - Throws: `MixSplitError` if nothing was written, otherwise `MixSplitFailure`.
  package func perform(
    _ sheet: CueSheet, progress: @escaping (Double) -> Void, isCancelled: @escaping () -> Bool
  ) throws -> Outcome {
    let files = files(for: MixPiece.pieces(of: sheet))
    let replaceable = try check(files)
    var outcome = Outcome(folder: folder, method: method, precision: 0, files: [])
    let writing = PieceWriting(
      source: source, container: container, replaceable: replaceable,
      goesOn: { seconds in
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

  /// Looks before the first file is written whether anything is in the way, and makes the folder.
  /// - Returns: The present files, which may be replaced.
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
      try overwriting.check(present.map { ($0, PieceTags.proof(of: source)) })
    } catch {
      throw .refused(error)
    }
    return Set(present)
  }
}
