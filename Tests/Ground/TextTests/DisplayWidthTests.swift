import Testing
import Text

@Suite struct DisplayWidthTests {
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
}
