import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze set`: a person's correction takes precedence over findings.
@Suite(.bounded) struct CorrectionTests {
  private struct Clicks {
    let place: Workplace
    let found: Double

    /// A library with a file and its copy, whose tempo was found.
    init() throws {
      place = try Workplace()
      let clicks = WAVFile(Signal.clickTrack(bpm: 120, start: 0.25, sampleRate: 22_050, seconds: 10)).bytes
      for name in ["a.wav", "copy.wav"] { try place.put(clicks, as: name) }
      let outcome = try place.run(pipeline: "tempo")
      guard case .number(let bpm) = outcome.file("a.wav")["tempo"]["bpm"] else { throw Errno.invalidArgument }
      #expect(outcome.file("a.wav")["tempo"]["locked"] == false)
      found = bpm
    }

    func set(_ arguments: Argument...) throws -> Outcome {
      try place.start(["set", "--database", Argument(place.database)] + arguments).end()
    }

    func tempo(_ options: Argument...) throws -> JSONValue {
      let report = try place.start(
        ["report", "library/a.wav", "--report", "ndjson", "--output", "-", "--include", "beats", "--database"]
          + [Argument(place.database)] + options
      ).end()
      return try JSONValue(parsing: report.output)["tempo"]
    }
  }

  private func number(_ value: JSONValue) -> Double {
    if case .number(let number) = value { number } else { .nan }
  }

  @Test func halfTheTempoHasHalfTheBeatsAndStays() throws {
    let clicks = try Clicks()
    let before = try clicks.tempo()
    let set = try clicks.set("library/a.wav", "--half")
    #expect(set.status == 0 && set.text == "")
    #expect(set.errors.contains("locked") && set.errors.contains("1 copy of the same audio"))
    let locked = try clicks.tempo()
    #expect(number(locked["bpm"]) == clicks.found / 2 && locked["locked"] == true && number(locked["confidence"]) == 1)
    #expect(locked["beats_s"].elements.count == (before["beats_s"].elements.count + 1) / 2)
    // Neither another run nor a new name changes it, and the copy has it too.
    try clicks.place.move("a.wav", to: "b.wav")
    let again = try clicks.place.run("--force", pipeline: "tempo")
    for name in ["b.wav", "copy.wav"] { #expect(number(again.file(name)["tempo"]["bpm"]) == clicks.found / 2) }
    let shown = try clicks.place.analyze("show", "library/b.wav", "--database", Argument(clicks.place.database))
    #expect(shown.text.contains("locked") && shown.text.contains("tempo found"))
    try clicks.place.move("b.wav", to: "a.wav")
    _ = try clicks.place.run(pipeline: "tempo")
    #expect(try clicks.set("library/a.wav", "--unset", "bpm").errors.contains("as found"))
    #expect(try clicks.tempo() == before)
  }

  private func beats(_ tempo: JSONValue) -> [Double] { tempo["beats_s"].elements.map(number) }

  private func steps(_ beats: [Double]) -> [Double] { zip(beats, beats.dropFirst()).map { $1 - $0 } }

  @Test(arguments: ["60", "90", "240", "180", "80", "160", "40"]) func multiplesKeepToTheClicks(bpm: String) throws {
    let clicks = try Clicks()
    let set = try clicks.set("library/a.wav", "--bpm", "\(bpm)")
    #expect(set.status == 0 && set.errors.contains("\(bpm).00 BPM, locked; "))
    let tempo = try clicks.tempo()
    let period = 60 / (Double(bpm) ?? 0)
    #expect(number(tempo["bpm"]) == Double(bpm) && beats(tempo).count > Int(8 / period))
    #expect(steps(beats(tempo)).allSatisfy { abs($0 - period) < 0.002 })
    // One of them lies on a click.
    #expect(beats(tempo).contains { abs(($0 - 0.25) / 0.5 - (($0 - 0.25) / 0.5).rounded()) < 0.03 })
    // Back to the original tempo.
    #expect(try clicks.set("library/a.wav", "--bpm", "120").status == 0)
    #expect(steps(beats(try clicks.tempo())).allSatisfy { abs($0 - 0.5) < 0.002 })
  }

  @Test func otherTempiAreLaidOnTheAudio() throws {
    let clicks = try Clicks()
    let set = try clicks.set("library/a.wav", "library/copy.wav", "--bpm", "97.5")
    #expect(set.status == 0 && set.errors.contains("beats laid on the audio"), "\(set.errors)")
    let tempo = try clicks.tempo()
    #expect(number(tempo["bpm"]) == 97.5 && tempo["locked"] == true && tempo["reason"] == .null)
    #expect(beats(tempo).count >= 14 && tempo["map"].elements.count == 1)
    #expect(steps(beats(tempo)).allSatisfy { abs($0 - 60 / 97.5) < 0.002 })
    #expect(try clicks.set("library/a.wav", "--double").errors.contains("195.00 BPM, locked"))
    // They are stored: analyzing the audio again does not change them.
    let again = try clicks.place.run("--force", pipeline: "tempo")
    #expect(number(again.file("a.wav")["tempo"]["bpm"]) == 195)
    #expect(beats(try clicks.tempo()).count == 2 * beats(tempo).count - 1)
    // In worker processes as well.
    #expect(try clicks.set("library/a.wav", "--unset", "bpm").status == 0)
    let inWorker = try clicks.place.start(
      ["set", "--database", Argument(clicks.place.database), "library/a.wav", "--bpm", "97.5"]
    ).end()
    #expect(inWorker.status == 0 && inWorker.errors.contains("beats laid on the audio"), "\(inWorker.errors)")
    #expect(beats(try clicks.tempo()) == beats(tempo))
  }

  @Test func whyThereAreNoBeats() throws {
    let clicks = try Clicks()
    try clicks.place.move("a.wav", to: "b.wav")
    let gone = try clicks.set("library/a.wav", "--bpm", "97.5")
    #expect(gone.status == 0 && gone.errors.contains("no beats, since the file is missing"))
    #expect(try clicks.tempo()["beats_s"] == .null)
    let shifted = try clicks.set("library/a.wav", "--shift-beats", "0.5")
    #expect(shifted.status == 1 && shifted.errors.contains("has no beats to move"))
    try clicks.place.put(Audio.wav(4), as: "a.wav")
    #expect(try clicks.set("library/a.wav", "--bpm", "98").errors.contains("has changed since it was analyzed"))
    try clicks.place.put(WAVFile(Signal.silence(sampleRate: 22_050, seconds: 8)).bytes, as: "silence.wav")
    _ = try clicks.place.run(pipeline: "tempo")
    #expect(try clicks.set("library/silence.wav", "--bpm", "98").errors.contains("no onsets"))
  }

  @Test func beatsAreMoved() throws {
    let clicks = try Clicks()
    let before = beats(try clicks.tempo())
    #expect(try clicks.set("library/a.wav", "--shift-beats", "-1/2").status == 0)
    let half = beats(try clicks.tempo())
    #expect(abs(half[0] - (before[0] - 0.25)) < 0.001 || abs(half[0] - (before[0] + 0.25)) < 0.001)
    #expect(try clicks.set("library/a.wav", "--first-beat", "3.1").status == 0)
    #expect(beats(try clicks.tempo()).contains { abs($0 - 3.1) < 0.001 })
    #expect(number(try clicks.tempo()["bpm"]) == clicks.found)
    #expect(try clicks.set("library/a.wav", "--times", "3/2", "--first-beat", "4").status == 0)
    let faster = beats(try clicks.tempo())
    #expect(faster.contains { abs($0 - 4) < 0.001 } && steps(faster).allSatisfy { abs($0 - 1.0 / 3) < 0.002 })
    #expect(try clicks.set("library/a.wav", "--first-beat", "400").status == 1)
    #expect(try clicks.set("library/a.wav", "--unset", "bpm").status == 0)
    #expect(beats(try clicks.tempo()) == before)
  }

  /// Clicks that become faster, from 100 to 140 a minute: beats follow them at every ratio, and the tempo of a person
  /// within its course is followed, too.
  @Test func movingTempiAreFollowed() throws {
    let place = try Workplace()
    let times = (0..<39).map { number in
      let (a, b) = (40.0 / 60 / 40, 100.0 / 60)
      return (-b + (b * b + 4 * a * Double(number)).squareRoot()) / (2 * a)
    }
    var signal = Signal.silence(sampleRate: 22_050, seconds: 20)
    let click = Signal.noise(seed: 7, amplitude: 0.8, sampleRate: 22_050, seconds: 0.005).channels[0]
    for time in times {
      for (offset, sample) in click.enumerated() { signal.channels[0][Int(time * 22_050) + offset] += sample }
    }
    try place.put(WAVFile(signal).bytes, as: "a.wav")
    let found = try place.run("--include", "beats", pipeline: "tempo").file("a.wav")["tempo"]
    #expect(found["stable"] == false && beats(found).count > 33)
    func set(_ arguments: Argument...) throws -> [Double] {
      #expect(
        try place.start(["set", "--database", Argument(place.database), "library/a.wav"] + arguments).end().status == 0)
      let report = try place.start(
        ["report", "--report", "ndjson", "--output", "-", "--include", "beats", "--database", Argument(place.database)]
      ).end()
      return beats(try JSONValue(parsing: report.output)["tempo"])
    }
    /// The 90th percentile of the distance from beats to the nearest clicks, or to `parts` of an interval between two, in
    /// parts of the interval.
    func error(_ beats: [Double], parts: Double) -> Double {
      let errors = beats.filter { $0 > times[2] && $0 < times[35] }.map { beat in
        let index = (times.firstIndex { $0 > beat } ?? 1) - 1
        let place = (beat - times[index]) / (times[index + 1] - times[index]) * parts
        return abs(place - place.rounded())
      }
      return errors.isEmpty ? 1 : errors.sorted()[errors.count * 9 / 10]
    }
    #expect(error(beats(found), parts: 1) < 0.06)
    #expect(error(try set("--double"), parts: 2) < 0.1)
    #expect(error(try set("--half"), parts: 1) < 0.06)
    #expect(error(try set("--times", "3/2"), parts: 3) < 0.15)
    #expect(try set("--unset", "bpm") == beats(found))
    let bpm = number(found["bpm"])
    #expect(error(try set("--bpm", "\(bpm / 2)"), parts: 1) < 0.06)
  }

  @Test func nothingIsSetByMistake() throws {
    let clicks = try Clicks()
    try clicks.place.put(Audio.junk, as: "junk.mp3")
    _ = try clicks.place.run(pipeline: "tempo")
    for arguments: [Argument] in [
      ["library/a.wav"], ["library/a.wav", "--half", "--double"], ["library/a.wav", "--bpm", "0"],
      ["library/a.wav", "--bpm", "nan"], ["library/a.wav", "--times", "5/4"], ["library/a.wav", "--shift-beats", "x"],
      ["library/a.wav", "--shift-beats", "1/0"], ["library/a.wav", "--first-beat", "-1"],
      ["library/a.wav", "--shift-beats", "0.5", "--first-beat", "1"], ["library/a.wav", "--half", "--times", "2"],
      ["library/a.wav", "--unset", "bpm", "--shift-beats", "0.5"], ["library/a.wav", "--unset", "title"],
      ["--bpm", "90"],
    ] {
      #expect(try clicks.place.start(["set"] + arguments).end().status == 64, "\(arguments)")
    }
    for name: Argument in ["library/junk.mp3", "library/nowhere.wav"] {
      #expect(try clicks.set("library/a.wav", name, "--half").status == 1)
    }
    #expect(try clicks.tempo()["locked"] == false)
  }
}
