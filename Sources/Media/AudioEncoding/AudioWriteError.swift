internal import Platform
public import SystemPackage

/// The reason audio was not written. A file that already exists at the path is unchanged.
public enum AudioWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file exists and may not be replaced.
  case exists(FilePath)
  /// The path leads to a folder, a device or a pipe. Encoders must be able to seek back to the header at the end.
  case notAFile(FilePath)
  /// The format does not support this audio; `reason` is a sentence.
  case unsupported(FilePath, reason: String)
  /// The audio exceeds 4 GB, the maximum size of a WAV file.
  case tooLong(FilePath)
  /// The system or the encoder reported an error.
  case cannotWrite(FilePath, reason: String)

  public var description: String {
    switch self {
    case .exists(let path): "\(Self.text(path)) already exists. Choose another file."
    case .notAFile(let path): "\(Self.text(path)) is not a file that audio can be written to. Choose another one."
    case .unsupported(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)"
    case .tooLong(let path):
      "\(Self.text(path)) would be larger than the 4 GB that WAV allows. Nothing was written; use FLAC."
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    }
  }

  private static func text(_ path: FilePath) -> String { DisplayPath.text(of: path) }
}
