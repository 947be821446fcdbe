package import Platform
package import SystemPackage
internal import Text

/// The reason a recording cannot be split, and what to do about it.
package enum MixSplitError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotRead(FilePath, reason: String)
  /// The output path is not a writable folder.
  case notAFolder(FilePath)
  /// A piece would replace a file that is not a piece of this recording.
  case refused(OverwriteError)
  /// Another program has created the file of a piece in the meantime.
  case exists(FilePath)
  /// A piece would replace the recording itself.
  case isTheRecording(FilePath)
  /// The path of a piece leads to something other than a regular file.
  case notAFile(FilePath)
  case cannotWrite(FilePath, reason: String)
  /// The container of the pieces does not support this codec.
  case cannotCopy(FilePath)
  case cancelled

  package var description: String {
    switch self {
    case .cannotRead(let path, let reason): "\(Self.text(path)) cannot be cut: \(reason)"
    case .notAFolder(let path):
      "The pieces cannot be written to \(Self.text(path)): it is not a writable folder. Name another one."
    case .refused(let error): "\(error)"
    case .exists(let path): "\(Self.text(path)) was created by another program in the meantime. Name another folder."
    case .isTheRecording(let path):
      "\(Self.text(path)) is the recording itself and would be replaced by a piece of it. Name another folder."
    case .notAFile(let path): "\(Self.text(path)) already exists and is not a regular file. Name another folder."
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    case .cannotCopy(let path):
      "The audio of \(Self.text(path)) cannot be copied in pieces: no program writes this kind of file. Convert it to "
        + "FLAC and cut that."
    case .cancelled: "Stopped."
    }
  }

  private static func text(_ path: FilePath) -> String { printable(DisplayPath.text(of: path)) }
}

/// The error thrown if writing ends before all pieces are complete.
package struct MixSplitFailure: Error, CustomStringConvertible {
  package var cause: MixSplitError
  /// Number of complete files, which are kept.
  package var completeCount: Int
  package var count: Int
  package var folder: FilePath

  package var description: String {
    "\(cause) \(completeCount) of \(counted(count, "file")) \(completeCount == 1 ? "is" : "are") complete in "
      + "\(printable(DisplayPath.text(of: folder))); the others were not written."
  }
}
