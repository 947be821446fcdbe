import AnalysisTesting
import SystemPackage
import Testing

@testable import LibraryScan

@Suite(.bounded) struct IgnoreTests {
  /// Results of `git check-ignore --no-index`, except that there `?` matches a byte and here a character.
  static let cases: [(pattern: String, matched: [String], unmatched: [String])] = [
    ("*.wav", ["a.wav", "x/a.wav", ".wav"], ["a.wavx", "a.flac", "wav"]),
    ("demo", ["demo", "x/demo", "demo/"], ["demos", "a-demo"]),
    ("demo/", ["demo/", "x/demo/"], ["demo", "x/demo"]),
    ("/demo", ["demo", "demo/"], ["x/demo"]),
    ("a/b", ["a/b", "a/b/"], ["x/a/b", "a/c", "a/b2"]),
    ("a/*.mp3", ["a/1.mp3"], ["a/b/1.mp3", "1.mp3"]),
    ("**/raw", ["raw", "a/raw", "a/b/raw"], ["a/raws"]),
    ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "b/a/z", "a/zz"]),
    ("a/**", ["a/b", "a/b/c"], ["a/", "a", "b/a"]),
    ("?.mp3", ["1.mp3", "é.mp3"], ["12.mp3", ".mp3"]),
    ("[0-9]*.mp3", ["1.mp3", "10 x.mp3"], ["x1.mp3"]),
    ("[!a-c].mp3", ["d.mp3"], ["a.mp3", "c.mp3"]),
    ("[]-].mp3", ["].mp3", "-.mp3"], ["a.mp3"]),
    ("x[", ["x["], ["x"]),
    ("\\#1", ["#1"], ["1"]),
    ("\\!x", ["!x"], ["x"]),
    ("a\\*b", ["a*b"], ["axb", "a\\*b"]),
    ("name ", ["name"], ["name "]),
    ("name\\ ", ["name "], ["name"]),
    ("*a*b*c*", ["abc", "xxaxxbxxcxx"], ["acb", "ab"]),
    ("Live (*)", ["Live (1999)"], ["Live 1999"]),
  ]

  @Test(arguments: cases.indices)
  func patternsMatchAsInGit(index: Int) throws {
    let (text, matched, unmatched) = Self.cases[index]
    let pattern = try #require(IgnorePattern(line: Array(text.utf8)[...]))
    for path in matched { #expect(Self.match(pattern, path), "\(text) matches \(path)") }
    for path in unmatched { #expect(!Self.match(pattern, path), "\(text) does not match \(path)") }
  }

  @Test(arguments: ["", "   ", "# comment", "/", "!", "!/"])
  func emptyLinesAndCommentsAreNotPatterns(line: String) {
    #expect(IgnorePattern(line: Array(line.utf8)[...]) == nil)
  }

  @Test func invalidUTF8IsMatched() throws {
    let pattern = try #require(IgnorePattern(line: [UInt8(ascii: "a"), UInt8(ascii: "?"), 0xFF][...]))
    #expect(pattern.matches([UInt8(ascii: "a"), 0xFE, 0xFF][...], isFolder: false))
    #expect(!pattern.matches([UInt8(ascii: "a"), 0xFE, 0xFE][...], isFolder: false))
  }

  @Test func hostilePatternsEnd() throws {
    let stars = String(repeating: "*a", count: 200)
    let pattern = try #require(IgnorePattern(line: Array((stars + "b").utf8)[...]))
    #expect(!pattern.matches(Array(String(repeating: "a", count: 255).utf8)[...], isFolder: false))
    let folders = String(repeating: "**/a/", count: 100)
    let deep = try #require(IgnorePattern(line: Array((folders + "b").utf8)[...]))
    #expect(!deep.matches(Array(String(repeating: "a/", count: 1000).utf8)[...].dropLast(), isFolder: false))
  }

  @Test func lastPatternAndNearestFileDecide() throws {
    let library = try TemporaryLibrary()
    for name in ["a.wav", "keep.wav", "x/a.wav", "x/b.wav", "x/y/b.wav", "bootlegs/1.mp3", "song.mp3"] {
      try library.file(name)
    }
    try library.file(".nocturneignore", "# no masters\r\n*.wav\n!keep.wav\nbootlegs/\n")
    try library.file("x/.nocturneignore", "!b.wav\n")
    let scan = try library.scan()
    #expect(scan.files == ["keep.wav", "song.mp3", "x/b.wav", "x/y/b.wav"])
    #expect(
      scan.skipped == [
        ".nocturneignore": .hidden, "x/.nocturneignore": .hidden, "a.wav": .ignored, "x/a.wav": .ignored,
        "bootlegs": .ignored,
      ])
  }

  @Test func rulesAboveARootHold() throws {
    let library = try TemporaryLibrary()
    for name in ["jazz/live/1.mp3", "jazz/studio/1.mp3", "jazz/live.mp3"] { try library.file(name) }
    try library.file(".nocturneignore", "jazz/live/\n")
    let scan = try Scan(roots: [library["jazz"]], relativeTo: library.root)
    #expect(scan.files == ["jazz/live.mp3", "jazz/studio/1.mp3"])
    // A file that is named directly is accepted anyway.
    #expect(try Scan(roots: [library["jazz/live"]], relativeTo: library.root).files == ["jazz/live/1.mp3"])
    #expect(try Scan(roots: [library["jazz/live/1.mp3"]], relativeTo: library.root).files == ["jazz/live/1.mp3"])
  }

  @Test func rulesEndWithTheirFolder() throws {
    let library = try TemporaryLibrary()
    for name in ["a/1.mp3", "b/1.mp3"] { try library.file(name) }
    try library.file("a/.nocturneignore", "*\n")
    #expect(try library.scan().files == ["b/1.mp3"])
  }

  @Test func hugeIgnoreFilesAreRefused() throws {
    let library = try TemporaryLibrary()
    try library.file("1.mp3")
    try library.file(".nocturneignore", String(repeating: "*\n", count: IgnoreFile.sizeLimit))
    let scan = try library.scan()
    #expect(scan.files == ["1.mp3"])
    #expect(scan.skippedEntries.contains { $0.reason == .unreadableIgnoreFile && $0.detail == "File too large" })
  }

  private static func match(_ pattern: IgnorePattern, _ path: String) -> Bool {
    let isFolder = path.hasSuffix("/")
    return pattern.matches(Array(path.utf8)[...].dropLast(isFolder ? 1 : 0), isFolder: isFolder)
  }
}
