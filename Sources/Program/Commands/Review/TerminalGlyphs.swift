import Foundation
import Text

/// The characters that a terminal can show, either Unicode or only ASCII. Also cuts text to a number of columns.
struct TerminalGlyphs {
  let isUTF8: Bool

  /// - Parameter environment: The environment. `LC_ALL` takes precedence over `LC_CTYPE`, and that over `LANG`, as in
  ///   POSIX.
  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    self.init(isUTF8: locale.lowercased().replacing("-", with: "").contains("utf8"))
  }

  init(isUTF8: Bool) {
    self.isUTF8 = isUTF8
  }

  /// Bars of increasing height.
  var bars: [Character] { isUTF8 ? Array("▁▂▃▄▅▆▇█") : Array("_.-=+*#") }

  private var ellipsis: String { isUTF8 ? "…" : "..." }

  /// Converts text to characters that the terminal can show.
  func text(_ text: String) -> String {
    if isUTF8 { return text }
    let plain = text.replacing("→", with: "->").replacing("…", with: "...")
    return EscapedText.text(plain) { !$0.isASCII }
  }

  /// The start of a text, at most `width` columns wide.
  func cut(_ text: String, to width: Int) -> String {
    text.displayWidth > width ? String(fitting(text, width - ellipsis.count)) + ellipsis : text
  }

  /// The end of a text, at most `width` columns wide.
  func cut(_ text: String, keepingEndIn width: Int) -> String {
    text.displayWidth > width ? ellipsis + String(fitting(text.reversed(), width - ellipsis.count).reversed()) : text
  }

  private func fitting(_ characters: some Sequence<Character>, _ width: Int) -> [Character] {
    var room = width
    return characters.prefix { character in
      room -= String(character).displayWidth
      return room >= 0
    }
  }
}
