import ArgumentParser
import Foundation
import SystemPackage

/// A path as given on the command line, made absolute. Names that are not UTF-8 keep their bytes.
struct PathArgument: ExpressibleByArgument, Sendable {
  let path: FilePath

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    path = Self.absolute(Self.bytes(of: argument))
  }

  static let defaultCompletionKind = CompletionKind.file()

  /// Without `.` and `..`; symbolic links stay as they are.
  static func absolute(_ path: FilePath) -> FilePath {
    var whole = path.isAbsolute ? path : FilePath(FileManager.default.currentDirectoryPath).pushing(path)
    whole.lexicallyNormalize()
    return whole
  }

  /// Arguments reach Swift as `String`, in which bytes that are not UTF-8 have become U+FFFD: the argument vector still has
  /// them.
  private static func bytes(of argument: String) -> FilePath {
    guard argument.unicodeScalars.contains("\u{FFFD}") else { return FilePath(argument) }
    for position in 1..<Int(CommandLine.argc) {
      guard let raw = unsafe CommandLine.unsafeArgv[position] else { continue }
      if unsafe String(cString: raw) == argument { return unsafe FilePath(platformString: raw) }
    }
    return FilePath(argument)
  }
}
