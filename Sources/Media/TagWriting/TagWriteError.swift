/// Why the tags of a file were left as they are. Nothing has happened to the file.
public struct TagWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// No tags are written in files of this kind. Leave the file out.
    case unsupportedFormat = "unsupported_format"
    /// The file is not built as its format asks for, or in a way that is not changed here.
    case oddStructure = "odd_structure"
    /// The tag has no place for the value.
    case noRoom = "no_room"
    /// Another program has changed the file since it was analyzed, or meanwhile.
    case changed
    /// Another program has locked the file, or has it open for writing. Try again later.
    case inUse = "in_use"
    /// The file, or its folder, may not be written.
    case notWritable = "not_writable"
    /// The file has other names, which would keep the old tags.
    case hardLinks = "hard_links"
    /// Owner, rights or attributes of the file cannot be kept.
    case rights
    /// Reading or writing failed; no room on the disk, among others.
    case inputOutput = "io_error"
    /// The new file was made and found not to be what it should be. It was thrown away.
    case checkFailed = "check_failed"
  }

  public var code: Code
  /// One sentence, without the file's name.
  public var message: String
  /// The file changed just now: what is to be written can be worked out again from what it is now.
  public var canBeRetried = false

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
