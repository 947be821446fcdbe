extension String {
  /// The number of terminal columns that a text without control characters occupies: two for wide characters (Unicode
  /// Standard Annex #11, classes W and F) and emoji, none for combining marks.
  public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// Returns the text, truncated with an ellipsis or padded with spaces, so that it has the given width.
  public func fitted(to width: Int) -> String {
    let whole = displayWidth
    if whole <= width { return self + String(repeating: " ", count: width - whole) }
    var text = ""
    var used = 0
    for character in self {
      guard used + character.displayWidth < width else { break }
      text.append(character)
      used += character.displayWidth
    }
    return text + (width > 0 ? "…" : "") + String(repeating: " ", count: max(0, width - used - 1))
  }
}

extension Character {
  /// The width of the first scalar, or 2 if there is an emoji selector (U+FE0F). Combining marks and joined emoji do
  /// not add to it.
  fileprivate var displayWidth: Int {
    if isASCII { return 1 }
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
