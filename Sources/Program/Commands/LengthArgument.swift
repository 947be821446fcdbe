import ArgumentParser
import Pipeline
import SystemPackage

/// A duration of audio, or a position in it, such as `90`, `1:30`, `1:02:03.5`, `60m` or `1h30m`.
struct LengthArgument: ExpressibleByArgument, Sendable {
  let seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  var defaultValueDescription: String { seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)" }

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    if (2...3).contains(parts.count) {
      var seconds = 0.0
      for (index, part) in parts.enumerated() {
        guard let number = Self.number(part), index == 0 || number < 60,
          index == parts.count - 1 || !part.contains(".")
        else { return nil }
        seconds = seconds * 60 + number
      }
      self.seconds = seconds
    } else if let number = Self.number(argument[...]) {
      seconds = number
    } else if let duration = Duration(setting: argument, in: SettingContext(folder: "/", home: "/")) {
      seconds = duration / .seconds(1)
    } else {
      return nil
    }
  }

  /// Parses digits with an optional decimal point; `nil` for any other text.
  private static func number(_ text: Substring) -> Double? {
    text.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 } && text.utf8.count <= 18 ? Double(text) : nil
  }
}
