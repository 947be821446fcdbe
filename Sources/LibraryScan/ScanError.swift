/// Why a list of files cannot be read any further. What was read until then is good.
public struct ScanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do, in one sentence.
  public var description: String

  public init(_ description: String) {
    self.description = description
  }
}
