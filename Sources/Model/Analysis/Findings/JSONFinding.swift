public import Text

/// The finding of an analyzer without a declared finding type, such as an `exec` analyzer, as JSON.
public struct JSONFinding: AnalysisFinding {
  public var value: JSONValue

  public init(_ value: JSONValue) {
    self.value = value
  }

  public init(from decoder: any Decoder) throws {
    value = try JSONValue(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }
}
