import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// Names of files are bytes, not text.
@Suite(.bounded) struct NameTests {
  private static let names: [FilePath] = [
    FilePath(bytes: Array("line\nbreak.wav".utf8)),
    FilePath(bytes: [0x63, 0x61, 0x66, 0xE9] + Array(".wav".utf8)),  // "café" in Latin-1
    FilePath(bytes: Array(repeating: UInt8(ascii: "n"), count: 251) + Array(".wav".utf8)),
    "\u{E9}.wav",
    "e\u{301}.wav",
    "-rf.wav",
    "--help.wav",
    " spaces at both ends .wav ",
    "quote\"'`$(exit 9);*?.wav",
    "tab\tescape\u{1B}[31m.wav",
    "\\xE9.wav",
    "音楽 🎹.wav",
  ]

  private func makeLibrary() throws -> Workplace {
    let place = try Workplace()
    for (number, name) in Self.names.enumerated() {
      try place.put(Audio.wav(UInt64(number + 1)), as: name, modified: 1_000_000)
    }
    return place
  }

  /// The paths whose bytes are percent-encoded in the URIs of a report.
  private static func paths(_ files: [JSONValue]) -> [[UInt8]] {
    files.map { file in
      var bytes: [UInt8] = []
      var rest = Array(file["uri"].textValue.utf8)[...].dropFirst("file://".utf8.count)
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
          bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      return bytes
    }
  }

  private static func expected(_ place: Workplace, _ names: [FilePath] = names) -> [[UInt8]] {
    names.map { Argument(place.library.pushing($0)).bytes }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test func allNamesWorkAndComeBack() throws {
    let place = try makeLibrary()
    // The one that ends in a space has no extension of audio.
    let first = try place.run(environment: ["ANALYZE_ALL_FILES": "true"])
    #expect(first.status == 0)
    #expect(first.totals == ["seen": Self.names.count, "analyzed": Self.names.count])
    #expect(Self.paths(first.files) == Self.expected(place))
    #expect(
      first.files.map { DisplayPath.path(from: $0["path"].textValue) }.map { Argument($0).bytes }
        == Self.expected(place))
    let second = try place.run(environment: ["ANALYZE_ALL_FILES": "true"])
    #expect(second.totals == ["seen": Self.names.count, "cached": Self.names.count])
    #expect(second.files == first.files)
  }

  @Test func namesOnTheCommandLineKeepTheirBytes() throws {
    let place = try makeLibrary()
    let paths = Self.names.map { Argument(place.library.pushing($0)) }
    let outcome = try place.run(paths: paths)
    #expect(outcome.status == 0)
    #expect(Self.paths(outcome.files) == Self.expected(place))
    for name in Self.names.prefix(3) {
      let shown = try place.analyze(
        "show", "--json", Argument(place.library.pushing(name)), "--database", Argument(place.database))
      #expect(shown.status == 0, "\(name)")
      #expect(try Self.paths([JSONValue(parsing: shown.output)]) == Self.expected(place, [name]))
    }
  }

  /// Characters that a terminal would obey, and those that turn the direction of text around, are shown as their bytes:
  /// in names and in tags.
  @Test func namesAndTagsDoNotDirectATerminal() throws {
    let place = try Workplace()
    let name = "\u{202E}3pm.\u{9B}31m\u{1B}[2J\u{85}x\u{2028}.wav"
    let title = "a\u{202E}b\u{2066}c\u{200F}d\u{61C}e\u{1B}f\u{9B}g\u{7F}h"
    try place.put(Audio.wav(1, title: title), as: name)
    try place.put(Audio.junk, as: "\u{202E}junk.mp3")
    let run = try place.run("--report", "ndjson", "--report", "csv")
    #expect(run.status == 3 && run.errors.contains(#"/\xE2\x80\xAEjunk.mp3"#))
    var texts = [run.errors]
    for words: [Argument] in [["show"], ["show", "--why"]] {
      let outcome = try place.start(
        words + [Argument(place.library.appending(name)), "--database", Argument(place.database)]
      ).end()
      #expect(
        outcome.text.contains(#"/\xE2\x80\xAE3pm.\xC2\x9B31m\x1B[2J\xC2\x85x\xE2\x80\xA8.wav"#), "\(outcome.text)")
      texts.append(outcome.text)
    }
    #expect(texts[1].contains(#"a\xE2\x80\xAEb\xE2\x81\xA6c\xE2\x80\x8Fd\xD8\x9Ce\x1Bf\xC2\x9Bg\x7Fh"#), "\(texts[1])")
    for text in texts {
      #expect(!text.unicodeScalars.contains { $0.isBidiControl || $0.isControlOrSeparator && $0 != "\n" })
    }
    // Files for programs have one line for each record, since programs split them into lines.
    #expect(run.file("\u{2028}.wav") == .null)
    for name in ["report.ndjson", "report.csv"] {
      let text = try String(contentsOfFile: place.reports.appending(name).string, encoding: .utf8)
      #expect(!text.unicodeScalars.contains { $0.isControlOrSeparator && $0 != "\n" && $0 != "\r" }, "\(name)")
    }
    #expect(run.files.contains { $0["tags"]["title"].textValue == title })
    #expect(
      try place.analyze(
        "doctor", "--check", "--database", Argument(place.database), "--output", Argument(place.reports)
      ).text.contains("agrees with the database on 2 files"))
  }

  @Test func folderWhoseNameIsNoTextIsARoot() throws {
    let place = try Workplace()
    let folder = FilePath(bytes: [0xFF, 0xFE, 0x80])
    guard place.library.pushing(folder).withPlatformString({ mkdir($0, 0o755) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    try place.write(Audio.wav(1), to: place.library.pushing(folder).appending("a.wav"))
    // Relative, beside another argument that reads the same once decoded.
    let other = FilePath(bytes: [0xFF, 0xFE, 0x81])
    guard place.library.pushing(other).withPlatformString({ mkdir($0, 0o755) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    try place.write(Audio.wav(2), to: place.library.pushing(other).appending("b.wav"))
    let outcome = try place.run(paths: [
      Argument(FilePath("library").pushing(folder)), Argument(FilePath("library").pushing(other)),
    ])
    #expect(outcome.status == 0)
    #expect(Self.paths(outcome.files) == Self.expected(place, [folder.appending("a.wav"), other.appending("b.wav")]))
  }

  @Test func leadingDashesAreNoOptionsAfterTwoDashes() throws {
    let place = try makeLibrary()
    for paths: [Argument] in [["--", "-rf.wav", "--help.wav"], ["./-rf.wav", "./--help.wav"]] {
      let outcome = try place.start(
        place.runArguments(pipeline: "tags-only") + ["--report", "ndjson", "--output", "-"] + paths, in: place.library
      ).end()
      #expect(outcome.status == 0)
      #expect(outcome.lines.count == 2)
    }
  }

  @Test func listsOfFiles() throws {
    let place = try makeLibrary()
    func list(_ names: [FilePath], separator: UInt8) -> [UInt8] {
      names.flatMap { Argument(place.library.pushing($0)).bytes + [separator] }
    }
    let withoutNewlines = Self.names.filter { !Argument($0).bytes.contains(0x0A) }
    let listFile = place.folder.file("list")
    try place.write(list(withoutNewlines, separator: 0x0A), to: listFile)
    let first = try place.run("--files-from", Argument(listFile), paths: [])
    #expect(first.status == 0)
    #expect(first.totals == ["seen": withoutNewlines.count, "analyzed": withoutNewlines.count])
    #expect(Self.paths(first.files) == Self.expected(place, withoutNewlines))

    let second = try place.run("--files-from", "-", "--from0", paths: [], input: list(Self.names, separator: 0))
    #expect(second.status == 0)
    #expect(second.totals == ["seen": Self.names.count, "analyzed": 1, "cached": withoutNewlines.count])
    #expect(Self.paths(second.files) == Self.expected(place))

    // Relative paths, and no newline at the end.
    let third = try place.run("--files-from=-", paths: [], input: Array("library/-rf.wav\nlibrary/\u{E9}.wav".utf8))
    #expect(third.totals == ["seen": 2, "cached": 2])

    let wrong = try place.run("--files-from", "-", paths: [], input: list(Self.names, separator: 0))
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("--from0"))
  }
}
