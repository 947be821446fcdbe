internal import Platform
public import SystemPackage

/// Why audio is not written. The file that was at the path before is still there.
public enum AudioWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is a file of that name, and it must not be replaced.
  case exists(FilePath)
  /// A folder, a device or a pipe: encoders go back to the header when they are done.
  case notAFile(FilePath)
  /// The format does not have such audio; the reason is a sentence.
  case unsupported(FilePath, reason: String)
  /// A WAV file takes at most 4 GB.
  case tooLong(FilePath)
  /// The system, or the encoder, refuses.
  case cannotWrite(FilePath, reason: String)

  public var description: String {
    switch self {
    case .exists(let path): "\(Self.text(path)) exists. Name another file."
    case .notAFile(let path): "\(Self.text(path)) is not a file that audio can be written to. Name another one."
    case .unsupported(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)"
    case .tooLong(let path):
      "\(Self.text(path)) would be larger than the 4 GB that WAV allows. Nothing was written; use FLAC."
    case .cannotWrite(let path, let reason): "\(Self.text(path)) cannot be written: \(reason)."
    }
  }

  private static func text(_ path: FilePath) -> String { DisplayPath.text(of: path) }
}
