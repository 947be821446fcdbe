/// Normalizes tag values to the form that `TagField.Kind` requires.
enum TagValue {
  /// Trims spaces, line ends, NULs and byte order marks from both ends, and converts all line ends to line feeds.
  static func cleaned(_ text: String) -> String {
    if let first = text.utf8.first, let last = text.utf8.last, first > 0x20, first < 0x80, last > 0x20, last < 0x80,
      !text.utf8.contains(0x0D)
    {
      return text
    }
    var scalars = Substring(text).unicodeScalars
    while let first = scalars.first, isSurrounding(first) { scalars.removeFirst() }
    while let last = scalars.last, isSurrounding(last) { scalars.removeLast() }
    guard scalars.contains("\r") else { return String(scalars) }
    var clean = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in scalars {
      if scalar == "\r" { clean.append("\n") } else if scalar != "\n" || previous != "\r" { clean.append(scalar) }
      previous = scalar
    }
    return String(clean)
  }

  private static func isSurrounding(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" || scalar == "\0" || scalar == "\u{FEFF}"
  }

  /// Parses a number and a total, such as `3`, `03`, `#3`, `3/12` or `3 of 12`. Zero counts as missing (`nil`).
  static func numberAndTotal(_ text: String) -> (number: Int?, total: Int?) {
    var rest = Substring(text)
    skipSpaces(&rest)
    if rest.first == "#" { rest.removeFirst() }
    guard let number = number(&rest) else { return (nil, nil) }
    skipSpaces(&rest)
    if rest.first == "/" {
      rest.removeFirst()
    } else if rest.hasPrefix("of") {
      rest.removeFirst(2)
    } else {
      return (number == 0 ? nil : number, nil)
    }
    skipSpaces(&rest)
    let total = Self.number(&rest)
    return (number == 0 ? nil : number, total == 0 ? nil : total)
  }

  private static func skipSpaces(_ text: inout Substring) {
    while text.first == " " { text.removeFirst() }
  }

  private static func number(_ text: inout Substring) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    text.removeFirst(digits.count)
    return Int(digits)
  }

  /// Returns `1` for true and `0` for false; `nil` if the text is not a Boolean.
  static func flag(_ text: String) -> String? {
    switch text.lowercased() {
    case "1", "true", "yes": "1"
    case "0", "false", "no": "0"
    default: nil
    }
  }

  /// Returns `true` if there is at least one digit other than zero: `0000` means no date, and `þÿ` is a decoding error.
  static func isDate(_ text: String) -> Bool {
    text.utf8.contains { (0x31...0x39).contains($0) }
  }

  /// Replaces a space between date and time with the `T` of ISO 8601.
  static func date(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > 11, bytes[10] == 0x20 else { return text }
    for (index, byte) in bytes.prefix(10).enumerated() {
      guard index == 4 || index == 7 ? byte == 0x2D : (0x30...0x39).contains(byte) else { return text }
    }
    return String(decoding: bytes[..<10] + [0x54] + bytes[11...], as: UTF8.self)
  }

  /// Parses the genres in one value of ID3v2's TCON. They are bare numbers (2.4), or references in parentheses (2.2,
  /// 2.3) that may be followed by free text; `((` is an escaped parenthesis. A number in parentheses that has no name,
  /// such as 255, means no genre.
  static func genres(_ text: String) -> [String] {
    if let number = Int(text), let name = GenreNames.name(number) { return [name] }
    if text == "RX" { return ["Remix"] }
    if text == "CR" { return ["Cover"] }
    var genres: [String] = []
    var rest = Substring(text)
    while rest.first == "(" {
      if rest.hasPrefix("((") {
        rest.removeFirst()
        break
      }
      guard let end = rest.firstIndex(of: ")") else { break }
      let reference = rest[rest.index(after: rest.startIndex)..<end]
      switch reference {
      case "RX": genres.append("Remix")
      case "CR": genres.append("Cover")
      default:
        guard let number = Int(reference), (0...255).contains(number) else { return genres + [String(rest)] }
        if let name = GenreNames.name(number) { genres.append(name) }
      }
      rest = rest[rest.index(after: end)...]
    }
    // The free text either refines or repeats the reference before it.
    let text = cleaned(String(rest))
    if !text.isEmpty, !genres.contains(text) { genres.append(text) }
    return genres
  }
}
