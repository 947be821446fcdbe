import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

@testable import Commands

/// `match` and `listen`, over a catalog that `catalog build` has made of a library.
@Suite(.bounded) struct RecognitionTests {
  @Test func clipsAreRecognized() throws {
    let place = try Workplace()
    let run = try place.analyzeTracks()
    let build = try place.catalog("build", "--verbose")
    #expect(build.status == 0, "\(build.errors)")
    #expect(build.text == "")
    #expect(build.errors.contains("3 added, 0 updated, 0 removed, 0 unchanged"))

    let clip = Tracks.noisy(Tracks.cut(Tracks.signals[1], from: 8, seconds: 8))
    try place.write(WAVFile(clip).bytes, to: place.folder.file("clip.wav"))
    try place.write(Audio.wav(5), to: place.folder.file("other.wav"))
    let json = try place.match("clip.wav", "other.wav", "--json")
    #expect(json.status == 0, "\(json.errors)")
    #expect(json.errors == "")
    let records = try json.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    try #require(records.count == 2)
    let track = try #require(records[0]["tracks"].elements.first)
    #expect(track["reference"] == run.file("b.wav")["id"])
    #expect(track["title"] == "Second")
    #expect(track["properties"]["path"].textValue == "\(place.library)/b.wav")
    #expect(abs(track["track_offset_s"].numberValue - 8) < 0.1)
    #expect(abs(track["speed"].numberValue - 1) < 0.01)
    #expect(track["confidence"].numberValue > 0.6)
    #expect(records[1]["tracks"] == .null)
    try Tracks.checkSchema("match", json)

    let text = try place.match("clip.wav", "other.wav")
    #expect(
      text.text.contains(
        "\(place.folder.file("clip.wav"))\n  0:00:00–0:00:08  Second\n      \(place.library)/b.wav\n"))
    #expect(text.text.contains("from 0:00:08 of the track"))
    #expect(text.text.hasSuffix("other.wav\n  nothing recognized\n"))
    // A pipe serves as well as a file.
    let piped = try place.start(
      ["match", "-", "--json", "--catalog", place.catalogFolder], input: WAVFile(clip).bytes
    ).end()
    #expect(piped.status == 0, "\(piped.errors)")
    let heard = try JSONValue(parsing: piped.output)
    #expect(heard["path"] == "/dev/stdin" && heard["tracks"] == records[0]["tracks"])
    // A match below the requested confidence is not reported.
    #expect(try place.match("clip.wav", "--min-confidence", "1").text.contains("nothing recognized"))
    let low = try place.match("clip.wav", "--min-confidence", "0.5")
    #expect(low.status == 64)
    #expect(low.errors.contains("0.86 to 1"), "\(low.errors)")
  }

  @Test func allTracksOfAClipAreListed() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    // Two tracks, and then nothing.
    let silence = Signal.silence(sampleRate: Tracks.sampleRate, seconds: 7)
    let clip = Tracks.joined([
      Tracks.cut(Tracks.signals[1], from: 4, seconds: 10), Tracks.cut(Tracks.signals[2], from: 2, seconds: 12), silence,
    ])
    try place.write(WAVFile(clip).bytes, to: place.folder.file("clip.wav"))
    let json = try place.match("clip.wav", "--json")
    try Tracks.checkSchema("match", json)
    let tracks = try JSONValue(parsing: json.output)["tracks"].elements
    try #require(tracks.map { $0["title"].textValue } == ["Second", "Third"])
    for (track, expected) in zip(tracks, [(0.0, 10.0, 4.0), (10, 22, 2)]) {
      #expect(abs(track["start_s"].numberValue - expected.0) < 0.75)
      #expect(abs(track["end_s"].numberValue - expected.1) < 0.75)
      // The track's place at its start in the clip.
      #expect(abs(track["track_offset_s"].numberValue - track["start_s"].numberValue + expected.0 - expected.2) < 0.1)
    }
    let text = try place.match("clip.wav").text
    #expect(text.contains("  0:00:00–0:00:10  Second\n") && text.contains("  0:00:10–0:00:22  Third\n"), "\(text)")
  }

  @Test func silenceEndsATrackOfALongRecording() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    let silence = Signal.silence(sampleRate: Tracks.sampleRate, seconds: 15)
    let mix = Tracks.joined([silence, Tracks.cut(Tracks.signals[1], from: 4, seconds: 10), silence])
    try place.write(WAVFile(mix).bytes, to: place.folder.file("mix.wav"))
    let cues = try JSONValue(parsing: place.match("mix.wav", "--json").output)["tracks"].elements
    try #require(cues.count == 1)
    #expect(abs(cues[0]["start_s"].numberValue - 15) < 0.3 && abs(cues[0]["end_s"].numberValue - 25) < 0.3, "\(cues)")
  }

  /// Tracks that are added during listening are recognized.
  @Test func listeningTakesTheNewCatalog() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build", "library/a.wav").status == 0)
    let parts = [Tracks.signals[0], Tracks.signals[1], Tracks.cut(Tracks.signals[0], from: 0, seconds: 16)]
    for (number, part) in parts.enumerated() {
      try place.write(Tracks.pcm(part).flatMap(Tracks.bytes), to: place.folder.file("\(number).raw"))
    }
    // The second part comes once the catalog has it, and the third once the catalog cannot be read.
    let listening = try place.start([
      "listen", "--rate", "\(Tracks.sampleRate)", "--catalog", place.catalogFolder, "--json", "--command",
      "cat 0.raw; until [ -e go1 ]; do sleep 0.05; done; cat 1.raw; until [ -e go2 ]; do sleep 0.05; done; cat 2.raw",
    ])
    func heard() -> String { String(decoding: listening.output, as: UTF8.self) }
    #expect(waitUntil { heard().contains("First") })
    #expect(try place.catalog("build").status == 0)
    try place.write("", to: place.folder.file("go1"))
    #expect(waitUntil { heard().contains("Second") })
    try place.write("junk", to: place.folder.file("catalog/CATALOG"))
    try place.write("", to: place.folder.file("go2"))
    let end = listening.end()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.contains("Listening continues"), "\(end.errors)")
    let events = try end.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(
      events.map { "\($0["event"].textValue) \($0["title"].textValue)" } == [
        "began First", "ended First", "began Second", "ended Second", "began First", "ended First",
      ], "\(end.text)")
    try Tracks.checkSchema("listen", end)
    for (event, time) in zip(events.filter { $0["event"] == "ended" }, [24.0, 48, 64]) {
      #expect(abs(event["end_s"].numberValue - time) < 1, "\(event)")
    }
  }

  @Test func filesThatCannotBeHeardAreNamed() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    try place.write(Audio.junk, to: place.folder.file("junk.mp3"))
    try place.write(
      WAVFile(Tracks.cut(Tracks.signals[0], from: 3, seconds: 1)).bytes, to: place.folder.file("short.wav"))
    let outcome = try place.match("junk.mp3", "short.wav", "none.wav", "library/a.wav", "--json")
    #expect(outcome.status == 3)
    let records = try outcome.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(records.map { $0["error"]["code"].textValue } == ["unknown_format", "too_short", "unreadable", ""])
    for name in ["junk.mp3", "short.wav", "none.wav"] { #expect(outcome.errors.contains("\(name): ")) }
    #expect(outcome.errors.contains("at least 2.0 s"))
    try Tracks.checkSchema("match", outcome)
  }

  @Test func aLongRecordingGivesACueSheet() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    // A track, 20 s of something else, and another one that comes in at its second 4.
    let noise = Signal.noise(seed: 9, amplitude: 0.2, sampleRate: Tracks.sampleRate, seconds: 20)
    let mix = Tracks.joined([Tracks.signals[0], noise, Tracks.cut(Tracks.signals[2], from: 4, seconds: 20)])
    try place.write(WAVFile(mix).bytes, to: place.folder.file("mix.wav"))
    let json = try place.match("mix.wav", "--json")
    let record = try JSONValue(parsing: json.output)
    try Tracks.checkSchema("match", json)
    let cues = record["tracks"].elements
    #expect(cues.map { $0["title"].textValue } == ["First", "Third"])
    try #require(cues.count == 2)
    #expect(abs(record["duration_s"].numberValue - 64) < 0.1)
    #expect(cues[0]["start_s"].numberValue < 1)
    // It ends with the track, and not when it was last recognized.
    #expect(abs(cues[0]["end_s"].numberValue - 24) < 0.5)
    #expect(abs(cues[1]["start_s"].numberValue - 44) < 1)
    #expect(abs(cues[1]["end_s"].numberValue - 64) < 1)

    let sheet = try place.match("mix.wav", "--cue")
    #expect(sheet.status == 0)
    #expect(sheet.text.hasPrefix("REM GENERATOR nocturne\r\nFILE \"mix.wav\" WAVE\r\n  TRACK 01 AUDIO\r\n"))
    #expect(
      sheet.text.contains("    TITLE \"First\"\r\n    INDEX 01 00:00:00\r\n  TRACK 02 AUDIO\r\n    TITLE \"Unknown\""))
    #expect(sheet.text.contains(/TRACK 03 AUDIO\r\n    TITLE "Third"\r\n    INDEX 01 00:4[345]:/))
    #expect(!sheet.text.contains("TRACK 04"))
  }

  @Test func aStreamIsListenedTo() throws {
    let place = try Workplace()
    _ = try place.analyzeTracks()
    #expect(try place.catalog("build").status == 0)
    let stream = Tracks.joined([Tracks.cut(Tracks.signals[1], from: 2, seconds: 20), Tracks.signals[0]])
    let options: [Argument] = ["listen", "--rate", "\(Tracks.sampleRate)", "--catalog", place.catalogFolder]
    // Two channels, one of them silent.
    let stereo = Tracks.pcm(stream).flatMap { [$0, 0] }.flatMap(Tracks.bytes)
    let json = try place.start(options + ["--json", "--channels", "2"], input: stereo).end()
    #expect(json.status == 0, "\(json.errors)")
    #expect(json.errors == "")
    let tracks = try json.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    // Each as soon as it is recognized, and once it has ended.
    #expect(
      tracks.map { "\($0["event"].textValue) \($0["title"].textValue)" }.sorted()
        == ["began First", "began Second", "ended First", "ended Second"])
    #expect(abs((tracks.first?["time_s"].numberValue ?? 0) - 3) < 3)
    for track in tracks {
      let expected = track["time_s"].numberValue + (track["title"] == "Second" ? 2 : -20)
      #expect(abs(track["track_offset_s"].numberValue - expected) < 0.2)
    }
    try Tracks.checkSchema("listen", json)

    // A command that runs until it is stopped, like the process that it has started.
    try place.write(Tracks.pcm(stream).flatMap(Tracks.bytes), to: place.folder.file("stream.raw"))
    let listening = try place.start(
      options + ["--command", "sleep 100 & echo $! > sleep; echo $$ > shell; cat stream.raw; wait"])
    #expect(waitUntil { String(decoding: listening.output, as: UTF8.self).contains("First") })
    listening.send(SIGINT)
    let end = listening.end()
    #expect(end.status == 130)
    #expect(end.errors == "")
    #expect(end.lines.count { $0.contains("confidence") } == 2)
    #expect(end.lines.count { $0.contains("ended") } == 2)
    // Both have been stopped.
    for name in ["shell", "sleep"] {
      let process = try String(contentsOfFile: place.folder.file(name).string, encoding: .utf8)
      #expect(
        waitUntil {
          let words = FileManager.default.contents(atPath: "/proc/\(process.dropLast())/cmdline") ?? Data()
          return words.isEmpty
        })
    }

    let broken = try place.start(options + ["--command", "exit 7"]).end()
    #expect(broken.status == 1)
    #expect(broken.errors.contains("status 7"))
  }

  @Test func withoutACatalogItIsSaidWhatToDo() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    for arguments: [Argument] in [["match", "library/a.wav"], ["listen"], ["catalog", "list"], ["catalog", "info"]] {
      let none = try place.start(arguments + ["--catalog", place.catalogFolder], input: []).end()
      #expect(none.status == 1)
      #expect(none.text == "")
      #expect(none.errors.contains("analyze catalog build"), "\(none.errors)")
    }
    _ = try place.run(pipeline: "tags-only")
    let build = try place.catalog("build")
    #expect(build.status == 1)
    #expect(build.errors.contains("pipeline default"), "\(build.errors)")
  }
}

/// Tracks that resemble music, and clips cut from them.
enum Tracks {
  static let sampleRate = 11_025
  static let signals = [UInt64(31), 32, 33].map { Signal.chords(seed: $0, sampleRate: sampleRate, seconds: 24) }

  static func file(_ number: Int, title: String) -> [UInt8] {
    var bytes = WAVFile(signals[number]).bytes
    Audio.tag(&bytes, title: title)
    return bytes
  }

  static func cut(_ signal: Signal, from start: Double, seconds: Double) -> Signal {
    let first = Int(start * Double(sampleRate))
    let samples = signal.channels[0][first...].prefix(Int(seconds * Double(sampleRate)))
    return Signal(sampleRate: sampleRate, channels: [Array(samples)])
  }

  static func joined(_ signals: [Signal]) -> Signal {
    Signal(sampleRate: sampleRate, channels: [signals.flatMap { $0.channels[0] }])
  }

  /// With white noise, some 10 dB below.
  static func noisy(_ signal: Signal) -> Signal {
    signal + .noise(seed: 4, amplitude: 0.06, sampleRate: sampleRate, seconds: signal.duration)
  }

  static func pcm(_ signal: Signal) -> [Int16] {
    signal.channels[0].map { Int16(clamping: Int(($0 * 32_767).rounded())) }
  }

  static func bytes(_ sample: Int16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
  }

  static func checkSchema(_ format: String, _ outcome: Outcome) throws {
    let schema = try #require(Schemas.files.first { $0.format == format }).text
    let validator = try SchemaValidator(schema)
    for line in outcome.lines {
      #expect(validator.complaints(about: try JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
    }
  }
}

extension Workplace {
  var catalogFolder: Argument { Argument(folder.file("catalog")) }

  /// Analyzes a library of three tracks (or adds to it) for their signatures.
  func analyzeTracks(sourceLocation: SourceLocation = #_sourceLocation) throws -> LibraryOutcome {
    for (number, title) in ["First", "Second", "Third"].enumerated() {
      try put(Tracks.file(number, title: title), as: "\(["a", "b", "c"][number]).wav")
    }
    return try analyzeSignatures(sourceLocation: sourceLocation)
  }

  func analyzeSignatures(sourceLocation: SourceLocation = #_sourceLocation) throws -> LibraryOutcome {
    let pipeline = folder.file("signatures.yaml")
    try write("analyzers:\n  tags:\n  signature:\n", to: pipeline)
    let outcome = try run(pipeline: Argument(pipeline), sourceLocation: sourceLocation)
    #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    return outcome
  }

  func catalog(_ subcommand: Argument, _ arguments: Argument...) throws -> Outcome {
    let database: [Argument] =
      ["build", "add"].contains(String(decoding: subcommand.bytes, as: UTF8.self))
      ? ["--database", Argument(database)] : []
    return try start(["catalog", subcommand] + arguments + ["--catalog", catalogFolder] + database).end()
  }

  func match(_ arguments: Argument...) throws -> Outcome {
    try start(["match"] + arguments + ["--catalog", catalogFolder]).end()
  }
}
