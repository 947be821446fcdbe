internal import SystemPackage

/// The reason a file cannot be opened or read. False claims in a file do not cause this error.
public struct FileReadError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The file cannot be opened because permission is missing, it was removed, or it is not a regular file. It should
    /// be skipped.
    case unreadable
    /// The system failed while reading (I/O error, disk gone). Other files on the same disk may fail, too.
    case readError = "read_error"
  }

  public var code: Code
  /// One sentence without the file's name.
  public var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// - Parameter errno: The system's error number of a failed read.
  package static func reading(_ errno: CInt) -> FileReadError {
    FileReadError(.readError, "The system could not read the file: \(Errno(rawValue: errno)).")
  }

  public var description: String { message }
}
