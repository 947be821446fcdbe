import AnalysisTasks
import AnalysisTesting
import ArgumentParser
import Foundation
import SystemPackage
import Testing

@testable import Commands

/// Combinations of options and the limits of their values, without starting the program.
@Suite(.bounded) struct ArgumentTests {
  /// The message about a mistake in the words of a command line; `nil` if they are valid.
  private static func problem<Command: ParsableCommand>(_ command: Command.Type, _ words: String) -> String? {
    do {
      _ = try command.parse(words.split(separator: " ").map(String.init))
      return nil
    } catch {
      return command.message(for: error)
    }
  }

  private static func expectValid<Command: ParsableCommand>(_ command: Command.Type, _ all: String...) {
    for words in all { #expect(problem(command, words) == nil, "\(words)") }
  }

  /// - Parameter message: The beginning of the message about each of the mistakes.
  private static func expect<Command: ParsableCommand>(_ message: String, _ command: Command.Type, _ all: String...) {
    for words in all {
      let problem = problem(command, words) ?? "nothing"
      #expect(problem.hasPrefix(message), "\(words): \(problem)")
    }
  }

  @Test func corrections() {
    let set = SetCommand.self
    Self.expectValid(
      set, "a --bpm 128", "a b --half", "a --double", "a --no-tempo", "a --unset bpm", "a --shift-beats 0.5",
      "a --first-beat 1", "a --bpm 128 --shift-beats 1", "a --half --first-beat 0", "a --half --dry-run --json",
      "--where genre:x --half", "--where genre:x --half --yes", "--where genre:x --half --dry-run", "--export x",
      "--export x --force", "--import x", "--import x --force --dry-run --json")
    Self.expect("--force needs", set, "a --half --force")
    Self.expect(
      "--unset can't be combined", set, "a --no-tempo --unset bpm", "a --unset bpm --first-beat 1",
      "a --unset bpm --bpm 120")
    Self.expect("--no-tempo can't be combined", set, "a --no-tempo --half", "a --no-tempo --shift-beats 1")
    Self.expect(
      "Give one of --bpm", set, "a", "a --bpm 120 --half", "a --times 2 --double", "a --half --double",
      "a --shift-beats 1 --first-beat 1")
    Self.expect("Name files, or give --where.", set, "--half")
    Self.expect("Give files or --where, not both.", set, "a --where genre:x --half")
    Self.expect("--yes needs --where.", set, "a --half --yes", "--import x --yes", "--export x --yes")
    Self.expect("Give --yes or --dry-run, not both.", set, "--where genre:x --half --yes --dry-run")
    Self.expect("--unset expects bpm, not 'key'.", set, "a --unset key")
    Self.expect("Give --export or --import, not both.", set, "--export x --import y")
    Self.expect("--export can't be combined with a change", set, "--export x --half", "--export x --unset bpm")
    Self.expect("--import can't be combined with a change", set, "--import x --first-beat 1", "--import x --no-tempo")
    Self.expect("--import concerns all corrections", set, "a --import x", "--where genre:x --import x")
    Self.expect("--export concerns all corrections", set, "a --export x", "--where genre:x --export x")
    Self.expect("--export can be combined with --force only.", set, "--export x --dry-run", "--export x --json")
  }

  @Test func valuesOfCorrections() {
    let set = SetCommand.self
    Self.expectValid(
      set, "a --bpm 10", "a --bpm 1000", "a --first-beat 0", "a --first-beat 1000000", "a --shift-beats 16",
      "a --shift-beats -16", "a --shift-beats 1/4", "a --shift-beats -1/4", "a --shift-beats 32/2")
    for ratio in ["2", "1/2", "3", "1/3", "3/2", "2/3", "4/3", "3/4"] { Self.expectValid(set, "a --times \(ratio)") }
    Self.expect("--bpm expects beats per minute", set, "a --bpm 9.99", "a --bpm 1000.1", "a --bpm nan")
    Self.expect("--times expects one of 2, ", set, "a --times 5", "a --times 1/4", "a --times x")
    Self.expect(
      "--shift-beats expects a number or fraction", set, "a --shift-beats 16.1", "a --shift-beats -16.1",
      "a --shift-beats 33/2", "a --shift-beats 1/4/2", "a --shift-beats 1/", "a --shift-beats /4",
      "a --shift-beats 1/0", "a --shift-beats x")
    Self.expect("--first-beat expects seconds", set, "a --first-beat=-0.1", "a --first-beat 1000001")
  }

  @Test func writingTags() {
    let write = WriteTagsCommand.self
    Self.expectValid(
      write, "bpm --where genre:x", "bpm --all", "bpm /tmp", "bpm initialkey /tmp --yes", "bpm --all --dry-run",
      "bpm --where genre:x /tmp --overwrite", "--undo j", "--undo j --yes", "--undo j --dry-run",
      "--undo j --preserve-mtimes --split-hard-links", "bpm --all --journal j")
    for notation in ["musical", "camelot", "open-key"] {
      Self.expectValid(write, "initialkey --all --key-notation \(notation)")
    }
    Self.expect("--key-notation expects one of ", write, "initialkey --all --key-notation flat")
    Self.expect("Give --yes or --dry-run, not both.", write, "bpm --all --yes --dry-run", "--undo j --yes --dry-run")
    Self.expect(
      "--undo restores all of a journal", write, "--undo j bpm", "--undo j --all", "--undo j --where genre:x")
    Self.expect("--undo can't be combined", write, "--undo j --overwrite", "--undo j --journal k")
    Self.expect("Say what to write: bpm, ", write, "--all", "/tmp", "--where genre:x")
    Self.expect("Name files or folders, or give --where", write, "bpm", "bpm initialkey --yes")
    Self.expect("Give --all, or paths and --where, not both.", write, "bpm /tmp --all", "bpm --where genre:x --all")
  }

  @Test func recognition() {
    let match = MatchCommand.self
    Self.expectValid(
      match, "a", "a b", "-", "a b --json", "a --cue", "- --cue", "a --split d", "a --split d --force",
      "a --min-confidence 0.86", "a --min-confidence 1")
    Self.expect("--json and --cue exclude each other.", match, "a --json --cue")
    Self.expect("--cue takes exactly one file.", match, "a b --cue")
    Self.expect("--force needs --split.", match, "a --force")
    Self.expect("--split takes exactly one file", match, "a b --split d", "- --split d")
    Self.expect("--min-confidence must be 0.86 to 1", match, "a --min-confidence 0.85", "a --min-confidence 1.01")
  }

  @Test func searches() {
    let search = SearchCommand.self
    Self.expectValid(
      search, "x --limit 1", "x --limit 10000000", "x --offset 0", "x --offset 10000000", "x --json", "x --ndjson",
      "x -l", "x -0", "--sort bpm", "--bpm 120", "x --type track", "x --type tracks,albums --type genre", "--like a",
      "--like a --like b --json --bpm 120..130", "--like a --limit 1", "--like a --limit 1000", "--like a -l")
    Self.expect("--limit expects 1 to 10000000", search, "x --limit 0", "x --limit 10000001")
    Self.expect("--offset expects 0 to 10000000", search, "x --offset=-1", "x --offset 10000001")
    Self.expect(
      "Give one of --json", search, "x --json --ndjson", "x --ndjson -l", "x -l -0", "x --json -0")
    Self.expect("Say what to look for", search, "--limit 5", "--json")
    Self.expect("--type: there is no 'song'", search, "x --type song", "x --type tracks,song")
    Self.expect("--sort: ", search, "x --sort nothing")
    Self.expect(
      "--like can be combined with", search, "--like a x", "--like a --type tracks", "--like a --sort bpm",
      "--like a --offset 1", "--like a --ndjson")
    Self.expect("--limit expects 1 to 1000,", search, "--like a --limit 1001")
    Self.expect("--octaves needs --bpm.", search, "x --octaves")
    Self.expectValid(SimilarCommand.self, "a --limit 1", "a --limit 1000")
    Self.expect("--limit expects 1 to 1000,", SimilarCommand.self, "a --limit 0", "a --limit 1001")
  }

  @Test func filtersAreTheirExpressions() throws {
    func filter(_ words: String) throws -> String {
      "\(try FilterArguments.parse(words.split(separator: " ").map(String.init)).filter())"
    }
    #expect(try filter("--bpm 120 --octaves") == filter("--bpm 120~"))
    #expect(try filter("--bpm 120~ --octaves") == filter("--bpm 120~"))
    #expect(try filter("--bpm 120") != filter("--bpm 120~"))
    #expect(try filter("--added-since 2026-11-01") == filter("--added-since 2026-11-01.."))
    #expect(try filter("--added-since 2026-11-01..2026-11-02") != filter("--added-since 2026-11-01.."))
    #expect(try filter("--lossless") != filter("--no-lossless"))
    for words in [
      "--bpm 120", "--confidence ..0.5", "--key 8A", "--lufs -14..-9", "--year 1999", "--genre x", "--artist x",
      "--album x", "--duration 3:00..5:00", "--codec flac", "--lossless", "--missing isrc", "--added-since 7d",
      "--status ok", "--under /tmp", "--where genre:x",
    ] {
      let arguments = try FilterArguments.parse(words.split(separator: " ").map(String.init))
      #expect(arguments.isGiven, "\(words)")
      #expect(try filter(words) != filter(""), "\(words)")
      // Each is a further condition.
      #expect(try filter("--problem changed_silently \(words)") != filter(words), "\(words)")
    }
    #expect(try !FilterArguments.parse([]).isGiven)
  }

  @Test func playlists() {
    let playlist = PlaylistCommand.self
    Self.expectValid(
      playlist, "--genre x", "--like a", "--genre x --length 1", "--genre x --length 31536000", "--genre x --tracks 1",
      "--genre x --tracks 1000000", "--genre x --no-repeat-artist 0", "--genre x --no-repeat-artist 100",
      "--genre x --relative --output a", "--genre x --absolute", "--genre x --json", "--genre x --json --format m3u8",
      "--genre x --json --format nsp --output a", "--genre x --json --output a.nsp", "--genre x --format nsp")
    for order in ["mix", "tempo", "key", "energy", "path"] { Self.expectValid(playlist, "--genre x --order \(order)") }
    Self.expect("--order expects one of ", playlist, "--genre x --order best")
    Self.expect("--format expects one of m3u8, nsp, not", playlist, "--genre x --format m3u")
    Self.expect("Give --length or --tracks, not both.", playlist, "--genre x --length 60 --tracks 5")
    Self.expect(
      "--length expects a time from a second", playlist, "--genre x --length 0.9", "--genre x --length 31536001")
    Self.expect("--tracks expects a number from 1", playlist, "--genre x --tracks 0", "--genre x --tracks 1000001")
    Self.expect(
      "--no-repeat-artist expects 0 to 100", playlist, "--genre x --no-repeat-artist=-1",
      "--genre x --no-repeat-artist 101")
    Self.expect("--relative and --absolute exclude", playlist, "--genre x --relative --absolute --output a")
    Self.expect("--relative needs --output", playlist, "--genre x --relative")
    Self.expect("--json does not support smart", playlist, "--genre x --json --format nsp")
    Self.expect("Select tracks with filters", playlist, "", "--tracks 5")
  }

  @Test func duplicates() {
    let duplicates = DuplicatesCommand.self
    Self.expectValid(
      duplicates, "", "a --json", "--csv --genre x", "--prefer lossless", "--prefer rate,oldest --prefer under:/x",
      "--plan -", "--distinct a b", "--keep a", "--forget a b", "--export -", "--import a --force")
    Self.expect(
      "Give one of --distinct", duplicates, "--distinct a b --keep c", "--keep a --forget b", "--export a --import b",
      "--forget a --export b")
    Self.expect(
      "Paths, filters, --json", duplicates, "--json --keep a", "--csv --forget a", "--plan p --keep a",
      "--prefer lossless --keep a", "--genre x --export a", "x --import a", "--json --distinct a b")
    Self.expect("Give --json or --csv, not both.", duplicates, "--json --csv")
    Self.expect("--distinct expects two files or more.", duplicates, "--distinct a")
    Self.expect("--prefer expects whole, ", duplicates, "--prefer best", "--prefer lossless,best", "--prefer under:x")
  }

  @Test func whatIsShownAndExported() {
    let show = ShowCommand.self
    Self.expectValid(
      show, "a", "a b --json", "a --why", "a --why --pipeline tempo", "a --history", "a --history --json",
      "a --include beats", "a --json --include beats")
    Self.expect("--pipeline needs --why.", show, "a --pipeline tempo")
    Self.expect("--why prints sentences", show, "a --why --json", "a --why --include beats")
    Self.expect("--history can be combined", show, "a --history --why", "a --history --include beats")
    let export = ExportCommand.self
    Self.expectValid(
      export, "--list", "--list --option a=1", "--list --option a=", "--list --option a=1 --option b=1=2", "m3u8",
      "bagit --output folder", "m3u8 --output -", "m3u8 x --since 2d")
    Self.expect("Name a format", export, "")
    Self.expect("There is no format 'm3u9'; did you mean", export, "m3u9")
    Self.expect("The format bagit writes a folder", export, "bagit", "bagit --output -")
    Self.expect("--option expects name=value", export, "--list --option a", "--list --option =1")
    Self.expect("--option a is given twice.", export, "--list --option a=1 --option a=2")
    Self.expect("--since expects", export, "m3u8 --since 2x", "m3u8 --since 2026-13-45")
    Self.expectValid(export, "m3u8 --since nowhere.json")
  }

  @Test func plansAndChecks() {
    let plan = PlanCommand.self
    Self.expectValid(
      plan, "", "a --json", "a --ndjson", "--partitions 1", "--from-listing x", "--files-from x --from0",
      "--parquet d --json")
    Self.expect("Give one of --json and --ndjson.", plan, "--json --ndjson")
    Self.expect("--partitions must be greater than zero.", plan, "--partitions 0")
    Self.expect(
      "Give paths, --files-from or --from-listing", plan, "--from-listing x a", "--from-listing x --files-from y")
    Self.expectValid(VerifyCommand.self, "", "a", "a --accept", "--json")
    Self.expect("--accept needs the paths", VerifyCommand.self, "--accept")
    for words in ["s3://bucket/x", "a s3://bucket/x"] {
      #expect(Self.problem(VerifyCommand.self, words)?.contains("is an object") == true)
    }
    Self.expectValid(
      BrokenCommand.self, "", "--from 0", "--from 1", "--limit 1", "a --where genre:x --json")
    Self.expect("--from expects 0 to 1", BrokenCommand.self, "--from=-0.1", "--from 1.1")
    Self.expect("--limit expects a number of at least 1", BrokenCommand.self, "--limit 0")
  }

  @Test func clicks() {
    let click = ClickCommand.self
    Self.expectValid(
      click, "a", "a --clicks-only", "a --from 5 --to 10", "a --from 5", "a --to 0.1", "a --play", "a --level -40",
      "a --level -1", "a --sound wood", "a --sound beep", "a --sound click", "a --format opus", "a --output b.wav",
      "a --output b.xyz --format wav", "a --output b.wav --format wav", "a --play --output b.wav --force", "a --force")
    Self.expect("--to must be after --from.", click, "a --from 10 --to 5", "a --from 5 --to 5", "a --to 0")
    Self.expect("--sound expects one of wood, ", click, "a --sound bell")
    Self.expect("--level expects decibels below full scale", click, "a --level -40.1", "a --level -0.9")
    Self.expect("--format expects flac, wav or opus", click, "a --format mp3")
    Self.expect("--output expects a name that ends", click, "a --output b.xyz", "a --output b")
    Self.expect("--output names a wav file, but --format is flac.", click, "a --output b.wav --format flac")
    Self.expect("With --play, --format and --force need", click, "a --play --format wav", "a --play --force")
    let metronome = MetronomeCommand.self
    Self.expectValid(
      metronome, "--bpm 10", "--bpm 1000", "--bpm 370/3", "--bpm 120 --metre 6/8", "--bpm 120 --duration 0.1",
      "--bpm 120 --duration 24h", "--bpm 120 --rate 8000", "--bpm 120 --rate 192000", "--bpm 120 --format opus",
      "--bpm 120 --format opus --rate 48000", "--bpm 120 --no-accent")
    Self.expect("--bpm expects 10 to 1000 clicks", metronome, "--bpm 9.9", "--bpm 1000.1", "--bpm x")
    Self.expect("--metre expects", metronome, "--bpm 120 --metre x")
    Self.expect(
      "--duration expects 0.1 s to 24 h", metronome, "--bpm 120 --duration 0.09", "--bpm 120 --duration 86401")
    Self.expect("--rate expects 8000 to 192000", metronome, "--bpm 120 --rate 7999", "--bpm 120 --rate 192001")
    Self.expect("Opus supports ", metronome, "--bpm 120 --format opus --rate 44100")
  }

  /// The option counts, then the name of the file; without either it is FLAC.
  @Test func formatsOfClicksAreNamed() throws {
    func format(_ words: String) throws -> String {
      "\(try ClickArguments.parse(words.split(separator: " ").map(String.init)).fileFormat)"
    }
    #expect(try format("") == "flac")
    #expect(try format("--output a.wav") == "wav" && format("--output a.opus") == "opus")
    #expect(try format("--format opus") == "opus" && format("--output a.x --format wav") == "wav")
    let playing = try ClickArguments.parse(["--play"])
    #expect(playing.target("a.flac") == nil)
    #expect(try ClickArguments.parse([]).target("/x/a.flac") == "/x/a.flac")
    #expect(try ClickArguments.parse(["--play", "--output", "/y/b.wav"]).target("/x/a.flac") == "/y/b.wav")
  }

  // MARK: Values

  @Test(arguments: [
    ("90", 90.0), ("1.5", 1.5), ("0", 0), ("1:30", 90), ("90:00", 5400), ("1:00:05", 3605), ("1:2.5", 62.5),
    ("0:59", 59), ("60m", 3600), ("1h30m", 5400), ("100:59:59", 363_599),
  ])
  func lengthsAreRead(text: String, seconds: Double) {
    #expect(LengthArgument(argument: text)?.seconds == seconds)
  }

  @Test(arguments: ["", "x", "-5", "1:60", "1:60:00", "1.5:10", "1:2:3:4", ":30", "1:", "1:-5", "1e3", "1:x"])
  func textsThatAreNoLengths(text: String) { #expect(LengthArgument(argument: text) == nil) }

  @Test func lengthsAreShown() {
    #expect(LengthArgument(seconds: 60).defaultValueDescription == "60")
    #expect(LengthArgument(seconds: 1.5).defaultValueDescription == "1.5")
  }

  @Test func wordsAreQuotedForAShell() {
    for plain in ["a", "z", "A", "Z", "0", "9", "a-_./=:,+@%b", "Ärger", "--yes"] {
      #expect(ShellText.quoted(plain) == plain)
    }
    for special in ["", "a b", "a;b", "~", "[", "`", "{", "$x", "a\"b", "*", "^", "<", "#", "(", "!"] {
      #expect(ShellText.quoted(special) == "'\(special)'")
    }
    #expect(ShellText.quoted("it's") == #"'it'\''s'"#)
  }
}

/// Texts for terminals of any width.
@Suite(.bounded) struct TerminalTextTests {
  @Test func textsAreTruncated() {
    for (width, end, start) in [
      (7, "abcdef", "abcdef"), (6, "abcdef", "abcdef"), (5, "abcd…", "…cdef"), (2, "a…", "…f"), (1, "…", "…"),
      (0, "", ""), (-3, "", ""),
    ] {
      #expect(Truncated.end(of: "abcdef", to: width) == end, "\(width)")
      #expect(Truncated.start(of: "abcdef", to: width) == start, "\(width)")
    }
  }

  @Test func barsHaveTwentyFourCells() {
    for (share, filled) in [(0.0, 0), (-1, 0), (0.5, 12), (0.999, 23), (1, 24), (7, 24), (0.042, 1), (0.04, 0)] {
      let expected = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled) + "  "
      #expect(BarCells.text(share, width: 50) == expected, "\(share)")
    }
    #expect(BarCells.text(0.5, width: 49) == "")
  }

  @Test func localesSayWhatATerminalCanShow() {
    func isUTF8(_ environment: [String: String]) -> Bool { TerminalGlyphs(environment: environment).isUTF8 }
    #expect(isUTF8(["LANG": "de_DE.UTF-8"]) && isUTF8(["LC_CTYPE": "C.utf8"]) && isUTF8(["LC_ALL": "x.Utf-8"]))
    #expect(!isUTF8([:]) && !isUTF8(["LANG": "C"]) && !isUTF8(["LANG": "de_DE.ISO-8859-1"]))
    // The first of them that is not empty counts.
    #expect(!isUTF8(["LC_ALL": "C", "LANG": "de_DE.UTF-8"]) && isUTF8(["LC_ALL": "", "LANG": "de_DE.UTF-8"]))
    #expect(!isUTF8(["LC_CTYPE": "C", "LANG": "C.UTF-8"]) && isUTF8(["LC_ALL": "C.UTF-8", "LC_CTYPE": "C"]))
  }

  @Test func textsAreCutWithTheGlyphsOfATerminal() {
    let (modern, plain) = (TerminalGlyphs(isUTF8: true), TerminalGlyphs(isUTF8: false))
    #expect(modern.cut("abcdef", to: 6) == "abcdef" && plain.cut("abcdef", to: 6) == "abcdef")
    #expect(modern.cut("abcdef", to: 5) == "abcd…" && plain.cut("abcdef", to: 5) == "ab...")
    #expect(modern.cut("abcdef", keepingEndIn: 6) == "abcdef")
    #expect(modern.cut("abcdef", keepingEndIn: 5) == "…cdef" && plain.cut("abcdef", keepingEndIn: 5) == "...ef")
    #expect(modern.text("é → …") == "é → …")
    let text = plain.text("é → …")
    #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.hasSuffix(" -> ..."), "\(text)")
    #expect(modern.bars.count == 8 && plain.bars.count == 7)
    #expect(plain.bars.allSatisfy(\.isASCII) && !modern.bars.contains { $0.isASCII })
  }

  /// Color and redrawing need a terminal that can do it.
  @Test func terminalsDiffer() throws {
    let window = try PseudoTerminal(width: 93, height: 20)
    defer { withExtendedLifetime(window) {} }
    #expect(Terminal(window.device.rawValue, environment: [:]).width == 93)
    func traits(_ environment: [String: String]) -> [Bool] {
      let terminal = Terminal(window.device.rawValue, environment: environment)
      return [terminal.isInteractive, terminal.canRedraw, terminal.style.hasColor]
    }
    #expect(traits([:]) == [true, true, true] && traits(["TERM": "xterm", "NO_COLOR": ""]) == [true, true, true])
    #expect(traits(["TERM": "dumb"]) == [true, false, false])
    #expect(traits(["NO_COLOR": "1"]) == [true, true, false])
    let none = try FileDescriptor.open("/dev/null", .readWrite)
    try none.closeAfter {
      let terminal = Terminal(none.rawValue, environment: [:])
      #expect(!terminal.isInteractive && !terminal.canRedraw && !terminal.style.hasColor && terminal.width == 80)
    }
  }
}
