/// An error that occurs when a list of files is read. Entries that were read before the error are valid.
public struct ScanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and what to do, in one sentence.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
