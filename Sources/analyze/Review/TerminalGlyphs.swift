import Foundation
import Text

/// What a terminal can show: characters of UTF-8 or only those of ASCII, and how many columns they take.
struct TerminalGlyphs {
  let isUTF8: Bool

  /// - Parameter environment: As POSIX has it, `LC_ALL` counts before `LC_CTYPE`, and this before `LANG`.
  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    self.init(isUTF8: locale.lowercased().replacing("-", with: "").contains("utf8"))
  }

  init(isUTF8: Bool) {
    self.isUTF8 = isUTF8
  }

  /// From low to high.
  var bars: [Character] { isUTF8 ? Array("▁▂▃▄▅▆▇█") : Array("_.-=+*#") }

  private var ellipsis: String { isUTF8 ? "…" : "..." }

  /// Text that the terminal can show.
  func text(_ text: String) -> String {
    if isUTF8 { return text }
    let plain = text.replacing("→", with: "->").replacing("…", with: "...")
    return EscapedText.text(plain) { !$0.isASCII }
  }

  /// The start of a text, at most so many columns wide.
  func cut(_ text: String, to width: Int) -> String {
    columns(text) > width ? String(fitting(text, width - ellipsis.count)) + ellipsis : text
  }

  /// The end of a text, at most so many columns wide.
  func cut(_ text: String, keepingEndIn width: Int) -> String {
    columns(text) > width ? ellipsis + String(fitting(text.reversed(), width - ellipsis.count).reversed()) : text
  }

  private func fitting(_ characters: some Sequence<Character>, _ width: Int) -> [Character] {
    var room = width
    return characters.prefix { character in
      room -= columns(String(character))
      return room >= 0
    }
  }

  private func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + Self.columns($1) }
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// What takes two columns, in blocks (Unicode Standard Annex #11: East Asian width W and F).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
    0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
