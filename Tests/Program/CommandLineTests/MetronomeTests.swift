import AnalysisTesting
import AudioDecoding
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// `analyze metronome`: a plain click track.
@Suite(.bounded) struct MetronomeTests {
  /// A WAV file of 16 bits and one channel, looked at without decoding it.
  private struct Samples {
    private let bytes: Data
    private let start: Int

    init(_ path: FilePath) throws {
      bytes = try Data(contentsOf: URL(filePath: path.string), options: .alwaysMapped)
      start = try #require(bytes.prefix(4_096).firstRange(of: Data("data".utf8))).upperBound + 4
    }

    var count: Int { (bytes.count - start) / 2 }

    subscript(_ frame: Int) -> Int {
      let place = start + 2 * frame
      return Int(Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8))
    }
  }

  @Test(arguments: [("123.45", 2_469, 20), ("370/3", 370, 3)])
  func anHourWithoutDrift(bpm: String, numerator: Int, denominator: Int) throws {
    let place = try Workplace()
    let outcome = try place.analyze(
      "metronome", "--bpm", Argument(stringLiteral: bpm), "--duration", "60m", "--rate", "8000", "--sound", "click",
      "--output", "hour.wav", "--json")
    #expect(outcome.status == 0 && outcome.errors == "")
    let answer = try JSONValue(parsing: outcome.output)
    let samples = try Samples(place.folder.file("hour.wav"))
    #expect(samples.count == 28_800_000 && answer["duration_s"].numberValue == 3_600)
    var beat = 0
    while true {
      // The whole number nearest to beat · 60 · 8000 / bpm, halves up.
      let frame = (2 * beat * 480_000 * denominator + numerator) / (2 * numerator)
      guard frame < samples.count else { break }
      if samples[frame] == 0 || (frame > 0 && samples[frame - 1] != 0) {
        Issue.record("Click \(beat) does not begin at frame \(frame).")
        break
      }
      beat += 1
    }
    #expect(answer["clicks"].intValue == beat && answer["accents"].intValue == (beat + 3) / 4)
  }

  @Test(arguments: [("wood", 97.31), ("beep", 128), ("click", 143.7)])
  func theAnalyzerHearsIt(sound: String, bpm: Double) throws {
    let place = try Workplace()
    let made = try place.analyze(
      "metronome", "--bpm", "\(bpm)", "--sound", Argument(stringLiteral: sound), "--metre", "3/4", "--duration", "0:40",
      "--rate", "22050", "--output", "library/m.flac")
    #expect(made.status == 0 && made.text == "" && made.errors == "")
    let tempo = try place.run("--include", "beats", pipeline: "tempo").file("m.flac")["tempo"]
    #expect(abs(tempo["bpm"].numberValue - bpm) < 0.05)
    let beats = tempo["beats_s"].elements.map(\.numberValue).filter { (2...38).contains($0) }
    #expect(beats.count > Int(35 * bpm / 60))
    for beat in beats {
      let position = beat * bpm / 60
      #expect(abs(position - position.rounded()) * 60 / bpm < 0.008)
    }
  }

  @Test func accentsBeginBars() throws {
    let place = try Workplace()
    func peaks(_ arguments: Argument...) throws -> [Int] {
      let outcome = try place.start(
        ["metronome", "--bpm", "300", "--duration", "2", "--rate", "10000", "--output", "m.wav", "--force"] + arguments
      ).end()
      #expect(outcome.status == 0)
      let samples = try Samples(place.folder.file("m.wav"))
      return (0..<10).map { beat in (0..<2_000).map { abs(samples[2_000 * beat + $0]) }.max() ?? 0 }
    }
    let accents = try peaks("--metre", "3/4", "--level", "-6")
    for (beat, peak) in accents.enumerated() {
      #expect(abs(20 * log10(Double(peak) / 32_768) - (beat.isMultiple(of: 3) ? -6 : -9)) < 0.05)
    }
    #expect(Set(try peaks("--no-accent")).count == 1)
    #expect(try peaks("--metre", "5/8").map { $0 > 15_000 } == (0..<10).map { $0.isMultiple(of: 5) })
  }

  @Test func namesFormatsAndSchema() throws {
    let place = try Workplace()
    let outcome = try place.analyze("metronome", "--bpm", "370/3", "--duration", "1.5", "--json")
    #expect(outcome.status == 0)
    let answer = try JSONValue(parsing: outcome.output)
    #expect(answer["output"].textValue.hasSuffix("/metronome-370_3bpm.flac") && answer["format"] == "flac")
    #expect(
      answer["sample_rate_hz"] == 44_100 && answer["clicks"] == 4 && answer["accents"] == 1 && answer["metre"] == "4/4")
    #expect(answer["played_by"] == .null)
    let validator = try SchemaValidator(place.analyze("schema", "metronome").text)
    #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(outcome.output))) == [])
    let opus = try JSONValue(
      parsing: place.analyze("metronome", "--bpm", "60", "--duration", "2", "--format", "opus", "--json").output)
    #expect(opus["sample_rate_hz"] == 48_000 && opus["output"].textValue.hasSuffix("metronome-60bpm.opus"))
    // The same command, the same file.
    func bytes() throws -> Data {
      try Data(contentsOf: URL(filePath: place.folder.file("metronome-370_3bpm.flac").string))
    }
    let first = try bytes()
    let again = try place.analyze("metronome", "--bpm", "370/3", "--duration", "1.5")
    #expect(again.status == 0 && again.errors == "", "\(again.errors)")
    #expect(try bytes() == first)
  }

  @Test(arguments: [
    (["--bpm", "0"], "--bpm expects"), (["--bpm", "12o"], "--bpm expects"), (["--bpm", "1200"], "--bpm expects"),
    ([], "--bpm"),
    (["--bpm", "120", "--metre", "4"], "--metre expects"), (["--bpm", "120", "--metre", "0/4"], "--metre expects"),
    (["--bpm", "120", "--metre", "3/5"], "--metre expects"),
    (["--bpm", "120", "--duration", "0"], "--duration expects"),
    (["--bpm", "120", "--duration", "25h"], "--duration expects"),
    (["--bpm", "120", "--duration", "abc"], "--duration"),
    (["--bpm", "120", "--duration", "-5"], "--duration"), (["--bpm", "120", "--rate", "1"], "--rate expects"),
    (["--bpm", "120", "--sound", ""], "--sound expects"),
    (["--bpm", "120", "--rate", "44100", "--format", "opus"], "Opus supports"),
    (["--bpm", "120", "--play", "--force"], "--force need --output"),
    (["--bpm", "120", "--format", "mp3"], "--format expects"),
  ])
  func wrongUsage(arguments: [String], text: String) throws {
    let place = try Workplace()
    let outcome = try place.start(["metronome"] + arguments.map { Argument(stringLiteral: $0) }).end()
    #expect(outcome.status == 64 && outcome.text == "" && outcome.errors.contains(text), "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).count == 2)
  }

  /// A disk that is full, or a file that may not grow.
  @Test(.disabled(if: isSanitized, "the thread sanitizer writes a larger file when a program starts"))
  func whatCannotBeWrittenLeavesNothing() throws {
    let place = try Workplace()
    let shell = try RunningProgram(
      [
        "-c", "ulimit -f 200; exec \"$0\" metronome --bpm 120 --duration 5m --output m.wav",
        Argument(RunningProgram.executable),
      ],
      of: "/bin/sh", environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(
      shell.status == 1 && shell.errors.contains("m.wav cannot be written: File too large"),
      "\(shell.status): \(shell.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted() == ["home", "library"])
  }

  @Test func playing() throws {
    let place = try Workplace()
    let bin = try place.makeProgram("pw-play", "/bin/cp \"$1\" '\(place.folder.file("heard.wav").string)'")
    let outcome = try place.analyze(
      "metronome", "--bpm", "90", "--duration", "3", "--play", "--json", environment: ["PATH": bin.string])
    #expect(outcome.status == 0)
    #expect(try JSONValue(parsing: outcome.output)["played_by"] == "pw-play")
    #expect(try Samples(place.folder.file("heard.wav")).count == 3 * 44_100)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted() == [
        "bin", "heard.wav", "home", "library",
      ])
  }
}
