import Analysis
import AnalysisTesting
import Testing
import Text

@testable import ResultStore

/// Lists of numbers as text, and the spellings of names.
@Suite(.bounded) struct NumberListTests {
  private func numbers(_ text: String) -> [Double] {
    Array(text.utf8).withUnsafeBufferPointer { NumberList.numbers(in: $0) }
  }

  private func tuples(_ size: Int, _ text: String) -> [[FieldValue]] {
    Array(text.utf8).withUnsafeBufferPointer { NumberList.tuples(of: size, in: $0) }
  }

  @Test func numbersAreRounded() {
    #expect(NumberList.text(of: []) == "[]")
    #expect(NumberList.text(of: [0, 1.23456, -0.00012, 12.5, .nan, .infinity]) == "[0.0,1.2346,-0.0001,12.5]")
    #expect(numbers(NumberList.text(of: [1, 0.5, .nan, -3.25])) == [1, 0.5, -3.25])
  }

  /// The fast way to read a number and the general one have the same result.
  @Test func anyNumberIsRead() {
    var random = SplitMix64.fresh()
    var texts = [
      "0", "9", "10", "-0.5", "-7", "1e3", "1E3", "1e+3", "2.5e-3", "0.1", "00.10", "1.", ".5", "-.5",
      "123456789012345",
      "1234567890123456", "9.876543210987654", "0.1234567890123456", "12345678901234567890", "1e400",
    ]
    for digits in 14...17 {
      for _ in 0..<40 {
        var text = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
        let point = text.index(text.startIndex, offsetBy: Int.random(in: 1..<digits, using: &random))
        text.insert(".", at: point)
        texts.append(text)
      }
    }
    for text in texts where !text.contains("E") {
      let expected = Double(text)
      #expect(numbers("[\(text)]") == [expected].compactMap(\.self), "\(text)")
      #expect(numbers("[7,\(text),8]") == [7] + [expected].compactMap(\.self) + [8], "\(text)")
    }
  }

  @Test(
    arguments: [
      ("", []), ("[]", []), ("x", []), ("[1,2]", [1, 2]), ("1 2", [1, 2]), ("1:2/3;4", [1, 2, 3, 4]),
      ("[[1],[2]]", [1, 2]),
      ("1-2", []), ("[1.2.3,4]", [4]), ("[-,+,.,e,5]", [5]), ("--5", []), ("[null,6]", [6]), ("[1]9", [1, 9]),
    ] as [(String, [Double])])
  func otherBytesSeparate(text: String, expected: [Double]) {
    #expect(numbers(text) == expected)
  }

  @Test func tuplesAreWhole() {
    let expected: [[FieldValue]] = [[.number(1), .number(2)], [.number(3), .number(4)]]
    #expect(tuples(2, "[[1,2],[3,4]]") == expected && tuples(2, "[[1,2],[3,4],[5]]") == expected)
    #expect(tuples(3, "[[1,2]]") == [] && tuples(2, "[]") == [])
    #expect(tuples(3, "[[1,2,3]]") == [[.number(1), .number(2), .number(3)]])
    #expect(NumberList.text(ofTuples: expected) == "[[1.0,2.0],[3.0,4.0]]")
    let mixed: [[FieldValue]] = [
      [.number(.nan), .integer(1)], [.integer(2), .boolean(true)], [.text("a"), .null],
      [.json(.array([.integer(3)])), .number(0.123456)], [.number(1), .number(.infinity)],
    ]
    #expect(NumberList.text(ofTuples: mixed) == #"[[2,true],["a",null],[[3],0.1235]]"#)
    #expect(NumberList.text(ofTuples: []) == "[]")
  }

  // MARK: - Spellings

  /// The first and last letters of scripts that are written without spaces, and their neighbors.
  @Test func unspacedScripts() {
    for scalar in [
      0x0E01, 0x0E50, 0x0F40, 0x1000, 0x1780, 0x3005, 0x3007, 0x3041, 0x30FF, 0x3400, 0x9FFF, 0xAC00, 0xD7A3, 0xF900,
      0xFAD9, 0xFF66, 0xFF9F, 0x20000, 0x3134A,
    ] as [UInt32] {
      #expect(NameVariants.hasUnspacedScript(String(Unicode.Scalar(scalar)!)), "\(String(scalar, radix: 16))")
    }
    // Letters of other scripts, and signs that are no letters, such as ฿ and 〄.
    for scalar in [0x41, 0x0DC0, 0x10A0, 0x1820, 0x3004, 0x3105, 0x0E3F, 0xFF41, 0xFFA1, 0x1F3B5, 0x30FB] as [UInt32] {
      #expect(!NameVariants.hasUnspacedScript(String(Unicode.Scalar(scalar)!)), "\(String(scalar, radix: 16))")
    }
    #expect(NameVariants.hasUnspacedScript("abc東") && !NameVariants.hasUnspacedScript("abc"))
  }

  @Test(
    arguments: [
      ("abc", nil), ("", nil), ("é", nil), ("Björk", nil), ("Straße", "Strasse"), ("Æther & Straße", "AEther Strasse"),
      ("東京 Straße é", "東 京 Strasse"), ("東x京", "東 x 京"), ("MØ", "MO"), ("ไทย", "ไ ท ย"),
    ] as [(String, String?)])
  func spellingsOfNames(name: String, variants: String?) {
    #expect(NameVariants.variants(of: name) == variants)
  }

  @Test func plainSpellings() {
    #expect(NameVariants.plain("abc") == nil && NameVariants.plain("é") == nil)
    #expect(NameVariants.plain("øl Łódź") == "ol Lódź" && NameVariants.plain("ẞœÞ") == "ssoeTh")
    #expect(NameVariants.lettersApart("東京x 事") == "東 京 x 事" && NameVariants.lettersApart("abc") == "abc")
  }
}
