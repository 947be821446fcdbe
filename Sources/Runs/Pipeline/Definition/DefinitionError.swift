/// A position in a text. Lines and columns are counted from 1.
public struct TextPosition: Hashable, Sendable {
  public var line: Int
  /// The column, counted in Unicode scalars.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// An error in a pipeline definition or settings file, and where it is.
public struct DefinitionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file, for display.
  public var source: String
  public var position: TextPosition?
  /// The keys from the top level to the place of the error, joined with dots; empty for the whole text.
  public var key: String
  /// The problem, and the values that are valid.
  public var problem: String

  public init(source: String, position: TextPosition? = nil, key: String = "", problem: String) {
    self.source = source
    self.position = position
    self.key = key
    self.problem = problem
  }

  /// `source:line:column: key: problem`
  public var description: String {
    var parts = [position.map { "\(source):\($0.line):\($0.column)" } ?? source]
    if !key.isEmpty { parts.append(key) }
    return (parts + [problem]).joined(separator: ": ")
  }
}
