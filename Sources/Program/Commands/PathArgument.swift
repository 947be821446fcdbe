package import ArgumentParser
import Foundation
import Objects
import Platform
package import SystemPackage

/// A path or file URI from the command line, made absolute. Names that are not UTF-8 keep their bytes. The URI of an
/// object becomes the path that represents the object.
package struct PathArgument: ExpressibleByArgument, Sendable {
  package let path: FilePath
  /// The argument, which may be the name of a subcommand; `nil` if it contains a slash.
  let bareWord: String?

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    bareWord = argument.contains("/") ? nil : argument
    if ObjectName.scheme(of: argument.utf8) != nil {
      guard let named = Self.object(argument) else { return nil }
      path = named
      return
    }
    let path = Self.absolute(RawArguments.path(from: argument))
    let isURI = argument.lowercased().hasPrefix("file:/") && !path.exists
    guard let named = isURI ? try? FilePath(fileURI: argument.utf8) : path else { return nil }
    self.path = named
  }

  private static func object(_ uri: String) -> FilePath? {
    (try? ObjectAddress(uri: uri.utf8))?.name.path ?? (try? ObjectFolder(uri: uri.utf8))?.path
  }

  package static let defaultCompletionKind = CompletionKind.file()

  /// Returns an absolute path without `.` and `..`. Symbolic links are not resolved.
  static func absolute(_ path: FilePath) -> FilePath {
    var whole = path.isAbsolute ? path : FilePath.currentFolder.pushing(path)
    whole.lexicallyNormalize()
    return whole
  }
}

/// A file, or standard input if the argument is `-`.
enum InputArgument: ExpressibleByArgument, Sendable {
  case standardInput
  case file(PathArgument)

  init?(argument: String) {
    if argument == "-" {
      self = .standardInput
    } else if let path = PathArgument(argument: argument) {
      self = .file(path)
    } else {
      return nil
    }
  }

  static let defaultCompletionKind = CompletionKind.file()
}

/// A file, or standard output if the argument is `-`.
package enum OutputArgument: ExpressibleByArgument, Sendable {
  case standardOutput
  case file(PathArgument)

  package init?(argument: String) {
    if argument == "-" {
      self = .standardOutput
    } else if let path = PathArgument(argument: argument) {
      self = .file(path)
    } else {
      return nil
    }
  }

  package static let defaultCompletionKind = CompletionKind.file()
}

/// The command line as passed by the system. Arguments are bytes, but the option parser accepts only text, so paths
/// that are not UTF-8 are escaped.
enum RawArguments {
  /// A mark for escaped bytes. No argument can contain it, so names that look like escaped bytes are not mistaken for
  /// them.
  private static let mark = "\0"

  /// The arguments without the name of the program. Bytes that are not UTF-8 are escaped; see `path(from:)`.
  static var texts: [String] {
    ProcessArguments.all.dropFirst().map { bytes in
      String(validating: bytes, as: UTF8.self)
        ?? DisplayPath.text(of: FilePath(bytes: bytes)).replacing("\\x", with: "\(mark)\\x")
    }
  }

  /// The path that an argument, or a part of one, refers to. If no file has that exact name, escapes such as `\xE9`
  /// stand for bytes, as in the names that this program shows.
  static func path(from text: String) -> FilePath {
    if text.contains(mark) { return DisplayPath.path(from: text.replacing(mark, with: "")) }
    let path = FilePath(text)
    let shown = DisplayPath.path(from: text)
    return shown == path || DisplayPath.text(of: shown) != text || path.exists ? path : shown
  }
}
