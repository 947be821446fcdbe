internal import Analysis

/// Parses plain-text lyrics with times, as in LRC files (en.wikipedia.org: LRC). A line is `[01:02.50]words`; a
/// repeated line has several times. `[offset:500]` is the number of milliseconds by which all lines come earlier. Other
/// bracketed lines describe the song. The times of single words, `<01:02.70>`, are removed.
enum LyricsText {
  static func lyrics(_ text: String, language: String? = nil, description: String? = nil) -> TagFinding.Lyrics {
    TagFinding.Lyrics(language: language, description: description, text: text, lines: lines(in: text))
  }

  /// Returns the lines in order of time; empty if the text contains no times.
  static func lines(in text: String) -> [TagFinding.Lyrics.Line] {
    guard text.utf8.contains(UInt8(ascii: "[")) else { return [] }
    var lines: [TagFinding.Lyrics.Line] = []
    var offset = 0.0
    for line in text.split(whereSeparator: \.isNewline) {
      var rest = line.drop { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
      var times: [Double] = []
      while rest.first == "[", let end = rest.firstIndex(of: "]") {
        let content = rest[rest.index(after: rest.startIndex)..<end]
        if let time = seconds(content) {
          times.append(time)
        } else if times.isEmpty, content.lowercased().hasPrefix("offset:") {
          offset = (Double(content.dropFirst(7).filter { $0 != " " && $0 != "+" }) ?? 0) / 1000
          break
        } else {
          break
        }
        rest = rest[rest.index(after: end)...]
      }
      let words = TagValue.cleaned(withoutTimesOfWords(rest))
      lines += times.map { TagFinding.Lyrics.Line(seconds: $0, text: words) }
    }
    for index in lines.indices { lines[index].seconds = max(0, lines[index].seconds - offset) }
    // Lines with equal times keep their order.
    return lines.enumerated().sorted { ($0.element.seconds, $0.offset) < ($1.element.seconds, $1.offset) }
      .map(\.element)
  }

  /// Parses `mm:ss`, `mm:ss.xx`, `mm:ss:xx` or `hh:mm:ss.xxx`; the last separator may also be a colon or a comma.
  /// Returns `nil` for any other text.
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...4).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    var numbers: [Double] = []
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard part.allSatisfy({ $0.isASCII && $0.isNumber || isLast && ($0 == "." || $0 == ",") }),
        let number = Double(part.replacing(",", with: ".")), number < 1e6
      else { return nil }
      numbers.append(number)
    }
    let total: Double
    switch (numbers.count, parts[parts.count - 1].count) {
    case (2, _): total = numbers[0] * 60 + numbers[1]
    // Two or three digits after a second colon are hundredths or thousandths. Otherwise, for example with a decimal
    // point, the first part is hours.
    case (3, 2...3) where !parts[2].contains("."):
      total = numbers[0] * 60 + numbers[1] + numbers[2] / (parts[2].count == 2 ? 100 : 1000)
    case (3, _): total = (numbers[0] * 60 + numbers[1]) * 60 + numbers[2]
    default: return nil
    }
    return total.isFinite ? total : nil
  }

  private static func withoutTimesOfWords(_ line: Substring) -> String {
    guard line.contains("<") else { return String(line) }
    var result = ""
    var rest = line
    while let start = rest.firstIndex(of: "<") {
      result += rest[..<start]
      let inner = rest[rest.index(after: start)...]
      if let end = inner.firstIndex(of: ">"), seconds(inner[..<end]) != nil {
        rest = inner[inner.index(after: end)...]
      } else {
        result.append("<")
        rest = inner
      }
    }
    return result + rest
  }
}
