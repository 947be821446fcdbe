import AnalysisTesting
import Testing
import Text

@Suite(.bounded) struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("Björk", 5), ("e\u{301}", 1), ("東京", 4), ("ガ", 2), ("한", 2), ("🎵", 2), ("👩‍🚀", 2), ("ไทย", 3),
    ("Ｗ", 2), ("–", 1),
  ]) func columns(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test func fitting() {
    #expect("abc".fitted(to: 5) == "abc  ")
    #expect("abcdef".fitted(to: 4) == "abc…")
    #expect("東京事変".fitted(to: 6) == "東京… ")
    #expect("東京".fitted(to: 4) == "東京")
    for width in 0...10 { #expect("a東b京c🎵".fitted(to: width).displayWidth == width) }
  }

  /// The first and the last character of each block of wide characters, and their neighbors. In some neighbors' blocks,
  /// characters are narrow, or not assigned.
  @Test(
    arguments: [
      (0x10FF, 1), (0x1100, 2), (0x115F, 2), (0x2E7F, 1), (0x2E80, 2), (0x303E, 2), (0x303F, 1), (0x3040, 1),
      (0x3041, 2), (0xA4CF, 2), (0xA4D0, 1), (0xA95F, 1), (0xA960, 2), (0xA97F, 2), (0xABFF, 1), (0xAC00, 2),
      (0xD7A3, 2),
      (0xF8FF, 1), (0xF900, 2), (0xFAFF, 2), (0xFB00, 1), (0xFE30, 2), (0xFE6F, 2), (0xFE70, 1), (0xFF00, 2),
      (0xFF60, 2),
      (0xFF61, 1), (0xFFDF, 1), (0xFFE0, 2), (0xFFE6, 2), (0xFFE7, 1), (0x1F2FF, 1), (0x1F300, 2), (0x1F64F, 2),
      (0x1F650, 1), (0x1F67F, 1), (0x1F680, 2), (0x1F6FF, 2), (0x1F700, 1), (0x1F8FF, 1), (0x1F900, 2), (0x1F9FF, 2),
      (0x1FA00, 1), (0x1FFFF, 1), (0x20000, 2), (0x3FFFD, 2), (0x3FFFE, 1),
    ] as [(UInt32, Int)]) func blocks(value: UInt32, width: Int) throws
  {
    #expect(String(try #require(Unicode.Scalar(value))).displayWidth == width)
  }

  @Test(arguments: [
    ("~", 1), ("\u{2764}", 1), ("\u{2764}\u{FE0F}", 2), ("\u{301}", 0), ("\u{20DD}", 0), ("\u{200B}", 0),
    ("é\u{301}x", 2),
  ]) func marksAndSelectors(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test func fittingToNothing() {
    #expect("a".fitted(to: 0) == "" && "".fitted(to: 0) == "" && "ab".fitted(to: 1) == "…" && "a".fitted(to: 1) == "a")
    #expect("東京".fitted(to: 3) == "東…" && "東京".fitted(to: 2) == "… " && "".fitted(to: 2) == "  ")
  }
}
