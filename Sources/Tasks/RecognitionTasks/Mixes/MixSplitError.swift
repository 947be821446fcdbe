package import Platform
package import SystemPackage
internal import Text

/// Why a recording is not cut, and what to do about it.
package enum MixSplitError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(FilePath, reason: String)
  /// The path for the pieces is no folder.
  case notAFolder(FilePath)
  /// A piece would replace a file that is none of this recording.
  case refused(OverwriteError)
  /// It was not there before.
  case exists(FilePath)
  /// A piece would replace what it is cut from.
  case isTheRecording(FilePath)
  /// Something that is not a file has the name of a piece.
  case notAFile(FilePath)
  case cannotWrite(FilePath, reason: String)
  /// The kind of file that the pieces would have does not take this codec.
  case cannotCopy(FilePath)
  case cancelled

  package var description: String {
    switch self {
    case .cannotRead(let path, let reason): "\(Self.text(path)) cannot be cut: \(reason)"
    case .notAFolder(let path):
      "The pieces cannot go to \(Self.text(path)): it is not a folder, or you may not write in it. Name another one."
    case .refused(let error): "\(error)"
    case .exists(let path): "\(Self.text(path)) has appeared meanwhile. Name another folder."
    case .isTheRecording(let path):
      "\(Self.text(path)) is the recording itself and would be replaced by a piece of it. Name another folder."
    case .notAFile(let path): "\(Self.text(path)) is in the way: it is not a file. Name another folder."
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    case .cannotCopy(let path):
      "The audio of \(Self.text(path)) cannot be copied in pieces: no program writes this kind of file. Convert it to "
        + "FLAC and cut that."
    case .cancelled: "Stopped."
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}

/// Writing ended before all pieces were complete.
package struct MixSplitFailure: Error, CustomStringConvertible {
  package var cause: MixSplitError
  /// These files stay.
  package var completeCount: Int
  package var count: Int
  package var folder: FilePath

  package var description: String {
    "\(cause) \(completeCount) of \(counted(count, "file")) \(completeCount == 1 ? "is" : "are") complete in "
      + "\(printable(DisplayPath.text(of: folder))); the others were not written."
  }
}
