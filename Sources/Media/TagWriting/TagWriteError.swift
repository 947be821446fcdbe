/// The reason the tags of a file were not changed. The file is untouched.
public struct TagWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Tags cannot be written in this file format, so the file should be skipped.
    case unsupportedFormat = "unsupported_format"
    /// The file violates its format, or has a structure that is not supported for writing.
    case oddStructure = "odd_structure"
    /// The tag cannot store the value.
    case noRoom = "no_room"
    /// Another program has changed the file since it was analyzed, or while it was being written.
    case changed
    /// Another program has locked the file, or has it open for writing. Try again later.
    case inUse = "in_use"
    /// Write permission for the file or its folder is missing.
    case notWritable = "not_writable"
    /// The file has other hard links, which would still lead to the old tags.
    case hardLinks = "hard_links"
    /// The owner, permissions or attributes of the file cannot be preserved.
    case rights
    /// Reading or writing failed, for example because the disk is full.
    case inputOutput = "io_error"
    /// The new file failed its checks and was deleted.
    case checkFailed = "check_failed"
  }

  public var code: Code
  /// One sentence, without the file's name.
  public var message: String
  /// `true` if the file was changed a moment ago. Determine the new tags from its current state, and try again.
  public var canBeRetried = false

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
