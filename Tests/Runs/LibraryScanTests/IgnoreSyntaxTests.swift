import AnalysisTesting
import SystemPackage
import Testing

@testable import LibraryScan

/// Rare notation in ignore files, and the extensions of names.
@Suite(.bounded) struct IgnoreSyntaxTests {
  /// Notation of gitignore(5). A path below a matched folder does not match by itself, because the walk does not get
  /// there.
  static let cases: [(pattern: String, matched: [String], unmatched: [String])] = [
    ("a.wav\r", ["a.wav"], ["a.wav\r"]),
    ("a.wav  ", ["a.wav"], ["a.wav ", "a.wav  "]),
    ("[^a-c].mp3", ["d.mp3", "!.mp3", "^.mp3"], ["a.mp3", "c.mp3"]),
    // An escaped bracket is part of a set, alone or as the end of a range.
    (#"[\]a].mp3"#, ["].mp3", "a.mp3"], [#"\.mp3"#, "b.mp3"]),
    (#"[X-\]].mp3"#, ["X.mp3", "Z.mp3", "].mp3", "[.mp3"], ["W.mp3", "^.mp3", "-.mp3"]),
    // A hyphen at the end is literal.
    ("[a-].mp3", ["a.mp3", "-.mp3"], ["b.mp3", "].mp3"]),
    // A reversed range is empty.
    ("[c-ax].mp3", ["x.mp3"], ["a.mp3", "b.mp3", "c.mp3", "-.mp3"]),
    // Without its end, a set is text.
    ("x[a-", ["x[a-"], ["xa", "x["]), (#"x[\"#, [#"x[\"#], ["x", "x["]), ("x[]", ["x[]"], ["x", "x]"]),
    (#"x\"#, [#"x\"#], ["x"]),
    ("/demo", ["demo"], ["demo/x", "demo/x/y"]), ("**/raw", ["raw", "a/raw"], ["raw/x", "a/raw/x"]),
    ("abc*", ["abc", "abcd"], ["ab", "xabc"]), ("a**b", ["ab", "axxb"], ["a/b", "ba"]),
    ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "a/b", "a/b/x", "b/c"]),
    ("*b", ["b", "ab", "abab"], ["aba", ""]),
  ]

  @Test(arguments: cases.indices)
  func rareNotation(index: Int) throws {
    let (text, matched, unmatched) = Self.cases[index]
    let pattern = try #require(IgnorePattern(line: Array(text.utf8)[...]))
    for path in matched { #expect(pattern.matches(Array(path.utf8)[...], isFolder: false), "\(text): \(path)") }
    for path in unmatched { #expect(!pattern.matches(Array(path.utf8)[...], isFolder: false), "\(text): \(path)") }
  }

  /// Bytes that are not UTF-8 come after all characters and in their own order.
  @Test func setsMayContainInvalidBytes() throws {
    let pattern = try #require(IgnorePattern(line: Array("[a-".utf8) + [0x90] + Array("]".utf8)))
    for byte in [UInt8(ascii: "a"), UInt8(ascii: "z"), 0x80, 0x90] { #expect(pattern.matches([byte], isFolder: false)) }
    for byte in [UInt8(ascii: "A"), 0x91, 0xFF] { #expect(!pattern.matches([byte], isFolder: false)) }
  }

  /// A file of more than 1 MiB cannot be an ignore file.
  @Test func ignoreFilesHaveALimit() throws {
    let library = try TemporaryLibrary()
    let path = try library.file(".nocturneignore", String(repeating: "*", count: 1 << 20))
    #expect(try IgnoreFile(at: path, baseLength: 0)?.patterns.count == 1)
    try library.file(".nocturneignore", String(repeating: "*", count: (1 << 20) + 1))
    #expect(throws: Errno.fileTooLarge) { try IgnoreFile(at: path, baseLength: 0) }
    let missing = try IgnoreFile(at: library["none"], baseLength: 0)
    #expect(missing?.patterns == nil)
  }

  /// A dot at the start of a name begins no extension. Longer extensions than 16 bytes are none.
  @Test(arguments: [
    ("a.mp3", "mp3"), ("a.b.MP3", "mp3"), (".mp3", ""), (".a.mp3", "mp3"), ("..mp3", "mp3"), ("mp3", ""), ("", ""),
    ("a.", ""), (".", ""), ("a.1234567890123456", "1234567890123456"), ("a.12345678901234567", ""),
    ("a.b.12345678901234567", ""),
  ])
  func extensions(name: String, suffix: String) {
    #expect(CandidateRule.fileExtension(of: Array(name.utf8)) == suffix)
  }
}
