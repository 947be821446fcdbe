import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import Text

/// Standard output is for data, standard error for people.
@Suite(.bounded) struct OutputTests {
  @Test(arguments: ["json", "ndjson", "csv", "html"]) func reportsGoToStandardOutput(format: String) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    let options: [Argument] = [
      "--database", "x.sqlite", "--pipeline", "tags-only", "--output", "-", "--report", "\(format)",
    ]
    let outcome = try place.start(["library", "--verbose", "--progress", "json"] + options).end()
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("bad.mp3"))
    switch format {
    case "json": #expect(try JSONValue(parsing: outcome.output)["files"].elements.count == 2)
    case "ndjson": #expect(try outcome.lines.map { try JSONValue(parsing: Array($0.utf8)) }.count == 2)
    case "html":
      #expect(outcome.text.contains("First run: <a href=\"#tracks\">1 track analyzed</a>"))
      #expect(outcome.text.contains("{\"rows\":2,"))
    default:
      #expect(
        outcome.text.components(separatedBy: "\r\n").count == 4 && outcome.text.hasPrefix("file_id,analyzed_at,id,uri,")
      )
    }
    // The same report again, from the database; only the times differ.
    let again = try place.analyze("report", "--database", "x.sqlite", "--report", "\(format)", "--output", "-")
    if ["ndjson", "csv"].contains(format) { #expect(again.output == outcome.output) }
    // No file was written anywhere.
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.home.string) == [])
  }

  @Test func quietAndVerbose() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    let arguments = [Argument(place.library)] + place.runArguments()
    let quiet = try place.start(arguments + ["-q"]).end()
    #expect(quiet.status == 3)
    #expect(quiet.text + quiet.errors == "")
    let missing = try place.start(["nowhere", "--quiet"] + place.runArguments()).end()
    #expect(missing.status == 1)
    let loud = try place.start(arguments + ["--verbose"]).end()
    #expect(loud.status == 0)
    #expect(loud.text == "")
    #expect(loud.errors.contains("  cached    1"))
    #expect(loud.errors.contains(place.database.string))
    let error = try place.start(arguments + ["-q", "--pipeline", "none"]).end()
    #expect(error.errors.contains("none"))
  }

  /// A reader that closes the pipe early, as with `| head`, is not an error.
  @Test func readerOfStandardOutputMayLeave() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    #expect(try place.run().status == 0)
    let commands: [[Argument]] = [
      ["library", "--report", "ndjson", "--output", "-"] + [
        "--database", Argument(place.database), "--pipeline", "fingerprint",
      ],
      ["report", "--report", "json", "--output", "-", "--database", Argument(place.database)],
      ["show", "library/a.wav", "--database", Argument(place.database)],
      ["show", "--json", "library/a.wav", "--database", Argument(place.database)],
      ["schema"], ["config", "show"], ["doctor"], ["--help"], ["--version"], ["completions", "bash"],
    ]
    for command in commands {
      let pipe = try FileDescriptor.pipe(nonBlocking: nil)
      try pipe.readEnd.close()
      let outcome = try place.start(command, output: pipe.writeEnd).end()
      try pipe.writeEnd.close()
      let name = command.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
      #expect(outcome.status == 0, "\(name)")
      #expect(outcome.errors == "", "\(name)")
    }
  }

  @Test func fullDiskIsAnError() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run()
    let full = try FileDescriptor.open("/dev/full", .writeOnly, options: .closeOnExec)
    defer { try? full.close() }
    for command: [Argument] in [
      ["report", "--report", "json", "--output", "-", "--database", Argument(place.database)], ["schema"],
      ["show", "--json", "library/a.wav", "--database", Argument(place.database)],
    ] {
      let outcome = try place.start(command, output: full).end()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("No space left"), "\(outcome.errors)")
    }
  }

  @Test func placesThatCannotBeWritten() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let noDatabase = try place.analyze("library", "--pipeline", "tags-only", "--database", "/proc/no/results.sqlite")
    #expect(noDatabase.status == 1)
    #expect(noDatabase.errors.contains("/proc/no/results.sqlite"))
    #expect(noDatabase.errors.contains("--database"))
    let folder = try place.analyze("library", "--pipeline", "tags-only", "--database", Argument(place.folder.path))
    #expect(folder.status == 1)
    #expect(folder.errors.contains("is a folder"))
    let noReport = try place.run("--output", "/proc/no")
    #expect(noReport.status == 1)
    #expect(noReport.errors.contains("/proc/no"))
    // The findings are kept nonetheless, and so is the previous report.
    #expect(try place.run().totals == ["seen": 1, "cached": 1])
  }

  @Test func exportsReplaceNoFileOfOtherPrograms() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run()
    let output = place.folder.file("collection.nml")
    try place.write("a whole collection", to: output)
    func export(_ options: Argument...) throws -> Outcome {
      try place.start(
        ["export", "traktor", "--output", Argument(output), "--database", Argument(place.database)] + options
      ).end()
    }
    let refused = try export()
    #expect(refused.status == 1 && refused.errors.contains("--force"), "\(refused.errors)")
    #expect(try String(contentsOfFile: output.string, encoding: .utf8) == "a whole collection")
    #expect(try export("--force").status == 0)
    // It has a cursor now.
    #expect(try export().status == 0)
    #expect(try String(contentsOfFile: output.string, encoding: .utf8).contains("<NML"))
  }

  @Test func progressForPrograms() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let pipeline = try place.makePipeline(script: "sleep 2.5; echo {}")
    let outcome = try place.start(
      [Argument(place.library), "--progress", "json"] + place.runArguments(pipeline: pipeline)
    ).end()
    #expect(outcome.status == 0)
    let lines = try outcome.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    // Also while the only file is being analyzed.
    #expect(lines.contains { $0["phase"] == "analyze" && $0["planned"] == 1 && $0["done"] == 0 })
    for line in lines {
      for key in ["scanned", "planned", "done", "failed"] { #expect(line[key].intValue != nil) }
      #expect(!line["phase"].textValue.isEmpty)
    }
    #expect(outcome.text == "")
  }

  // MARK: - Terminals

  @Test(arguments: [[:], ["NO_COLOR": "1"], ["TERM": "dumb"]]) func terminalsGetABar(environment: [String: String])
    throws
  {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav") }
    try place.put(Audio.junk, as: "bad.mp3")
    let terminal = try PseudoTerminal()
    let pipeline = try place.makePipeline(script: "sleep 0.2; echo {}")
    let program = try place.start(
      [Argument(place.library), "--jobs", "1"] + place.runArguments(pipeline: pipeline),
      environment: ["TERM": "xterm"].merging(environment) { $1 }, errors: terminal.device)
    // A terminal holds little: its program waits if it is not read.
    _ = waitUntil {
      _ = terminal.text
      return program.hasEnded
    }
    let outcome = program.end()
    let shown = terminal.text
    #expect(outcome.status == 3)
    #expect(outcome.text == "")
    #expect(shown.contains("bad.mp3"))
    let isDumb = environment["TERM"] == "dumb"
    #expect(shown.contains("█") == !isDumb, "\(shown)")
    #expect(shown.contains("of 4 files") == !isDumb)
    #expect(shown.contains("\u{1B}[31m") == environment.isEmpty)
    #expect(!isDumb || !shown.contains("\u{1B}"))
    // The summary is for people at a terminal.
    #expect(shown.contains("analyzed  3"))
  }

  /// A line that is too long would wrap, and could not be erased.
  @Test(arguments: [4, 20, 45, 60]) func barsFitTheTerminal(width: Int) throws {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "東京事変 with a long name \(number).wav") }
    let terminal = try PseudoTerminal(width: width)
    let pipeline = try place.makePipeline(script: "sleep 0.2; echo {}")
    let program = try place.start(
      [Argument(place.library), "--jobs", "1"] + place.runArguments(pipeline: pipeline),
      environment: ["TERM": "xterm"], errors: terminal.device)
    _ = waitUntil {
      _ = terminal.text
      return program.hasEnded
    }
    #expect(program.end().status == 0)
    let bars = terminal.text.components(separatedBy: "\r\u{1B}[K").dropFirst().dropLast()
    #expect(bars.count > 2)
    for bar in bars {
      let plain = bar.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
      #expect(plain.displayWidth < width, "\(plain)")
    }
  }
}
