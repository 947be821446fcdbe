package import Analysis
package import Platform
package import Text

/// The type of a single value in a report. It defines the schema of the values and how they are written.
package struct Scalar<Value>: Sendable {
  /// The type in JSON Schema: `string`, `integer`, `number`, `boolean`; `nil` for any.
  package var type: String?
  /// The format in JSON Schema: `date-time`, `uri`.
  package var format: String?
  /// All valid values, if they can be listed.
  package var choices: [String]?
  /// `false` for values that a report shows as `null`.
  package var isPresent: @Sendable (Value) -> Bool
  package var writeJSON: @Sendable (Value, inout JSONWriter) -> Void
  package var writeCSV: @Sendable (Value, inout CSVWriter) -> Void
}

/// Maximum number of decimals in reports: enough for 0.1 ms and 0.0001 BPM.
package let reportedDecimals = 4

extension Scalar<String> {
  package static var text: Scalar { text(format: nil) }
  package static var uri: Scalar { text(format: "uri") }

  /// A path for display.
  package static var path: Scalar {
    var path = text
    path.writeCSV = { $1.escapedText($0) }
    return path
  }

  private static func text(format: String?) -> Scalar {
    Scalar(
      type: "string", format: format, isPresent: { !$0.isEmpty }, writeJSON: { $1.string($0) },
      writeCSV: { $1.text($0) })
  }
}

extension Scalar<Int> {
  package static var integer: Scalar {
    Scalar(type: "integer", isPresent: { _ in true }, writeJSON: { $1.integer($0) }, writeCSV: { $1.integer($0) })
  }
}

extension Scalar<Double> {
  /// A number. A number that is not finite is written as `null`, or as 0 where `null` is not allowed.
  package static var number: Scalar {
    Scalar(
      type: "number", isPresent: { $0.isFinite },
      writeJSON: { $1.number($0.isFinite ? $0 : 0, decimals: reportedDecimals) },
      writeCSV: { $1.number($0.isFinite ? $0 : 0, decimals: reportedDecimals) })
  }
}

extension Scalar<Bool> {
  package static var boolean: Scalar {
    Scalar(type: "boolean", isPresent: { _ in true }, writeJSON: { $1.bool($0) }, writeCSV: { $1.bool($0) })
  }
}

extension Scalar<Timestamp> {
  package static var dateTime: Scalar<Timestamp> {
    Scalar(
      type: "string", format: "date-time", isPresent: { _ in true }, writeJSON: { $1.string($0.description) },
      writeCSV: { $1.text($0.description) })
  }

  /// Nanoseconds since 1970.
  package static var nanoseconds: Scalar<Timestamp> {
    Scalar(
      type: "integer", isPresent: { _ in true }, writeJSON: { $1.integer($0.nanoseconds) },
      writeCSV: { $1.integer(Int($0.nanoseconds)) })
  }
}

extension Scalar<ContentID> {
  package static var contentID: Scalar<ContentID> {
    Scalar(
      type: "string", isPresent: { _ in true }, writeJSON: { $1.string($0.description) },
      writeCSV: { $1.text($0.description) })
  }
}

extension Scalar<JSONValue> {
  /// Any JSON value; in CSV, its text.
  package static var json: Scalar {
    Scalar(
      type: nil, isPresent: { $0 != .null }, writeJSON: { $1.value($0) }, writeCSV: { $1.escapedText($0.text) })
  }
}

extension Scalar where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  package static var choice: Scalar {
    Scalar(
      type: "string", choices: Value.allCases.map(\.rawValue), isPresent: { _ in true },
      writeJSON: { $1.string($0.rawValue) }, writeCSV: { $1.text($0.rawValue) })
  }
}
