/// Why the tags of a file could not be read at all. Damaged or absurd tags are no error: what is sound in them is read,
/// and `TagFinding.remarks` says what was left out.
public struct TagReadError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file cannot be opened: permissions, vanished, or not a regular file.
    case unreadable
    /// The system failed while reading (I/O error, disk gone).
    case readError = "read_error"
  }

  public var code: Code
  /// One sentence for a reader, without the file's name.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
