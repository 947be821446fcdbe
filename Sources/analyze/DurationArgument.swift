import ArgumentParser

/// A span of time as people write it: `90`, `90s`, `30m`, `5h`, `1h30m`, `2d`.
struct DurationArgument: ExpressibleByArgument, Equatable {
  let duration: Duration

  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  init?(argument: String) {
    var seconds = 0.0
    var number = ""
    var isEmpty = true
    for character in argument {
      if character.isASCII, character.isNumber || character == "." {
        number.append(character)
      } else if let unit = Self.units[character], let value = Double(number) {
        seconds += value * unit
        number = ""
        isEmpty = false
      } else {
        return nil
      }
    }
    if !number.isEmpty {
      guard isEmpty, let value = Double(number) else { return nil }
      seconds = value
      isEmpty = false
    }
    // A year is longer than any run; more would not fit the clock's arithmetic for long.
    guard !isEmpty, seconds.isFinite, seconds <= 366 * 86_400 else { return nil }
    duration = .milliseconds(Int64(seconds * 1000))
  }
}
