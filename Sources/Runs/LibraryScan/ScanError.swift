/// The rest of a list of files cannot be read. Data read before the error is valid.
public struct ScanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and what to do, in one sentence.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
