/// A metric family in the Prometheus text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct MetricFamily {
  /// The type of a metric. The metrics of a run are gauges, because each run starts from zero.
  package enum Kind: String {
    case gauge, counter, histogram
  }

  package struct Sample {
    /// Suffix of the family's name: `_bucket`, `_sum` or `_count` of a histogram, or empty.
    var suffix: String
    var labels: [(name: String, value: String)]
    var value: Double

    package init(suffix: String = "", labels: [(name: String, value: String)] = [], value: Double) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  var name: String
  var help: String
  var kind: Kind
  var samples: [Sample]

  package init(_ name: String, _ help: String, kind: Kind = .gauge, _ samples: [Sample]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.samples = samples
  }

  package init(_ name: String, _ help: String, _ value: Double) {
    self.init(name, help, [Sample(value: value)])
  }

  package init(_ name: String, _ help: String, _ value: Int) {
    self.init(name, help, Double(value))
  }

  init(_ name: String, _ help: String, label: String, _ values: [(String, Int)]) {
    self.init(name, help, values.map { Sample(labels: [(label, $0.0)], value: Double($0.1)) })
  }

  /// The family as text; empty if there are no samples.
  package var text: String {
    guard !samples.isEmpty else { return "" }
    var text = "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quote: true))\"" }.joined(separator: ",")
      text += "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
    }
    return text
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }

  private static func escaped(_ text: String, quote: Bool = false) -> String {
    // Iterates over scalars, because a character may be a quotation mark with a combining accent, or CR and LF
    // together.
    var escaped = "".unicodeScalars
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
      case "\"" where quote: escaped.append(contentsOf: "\\\"".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
