import AnalysisTesting
import AudioDecoding
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// `analyze click`: a track with clicks on its beats.
@Suite(.bounded) struct ClickTests {
  /// A library with a track of two channels whose beats were found.
  private struct Library {
    let place: Workplace
    let music: Signal
    /// Seconds.
    let beats: [Double]
    let downbeats: [Double]

    /// - Parameter pipeline: One with tempo.
    init(pipeline: Argument = "tempo") throws {
      place = try Workplace()
      let pulse = Signal.clickTrack(bpm: 120, amplitude: 0.5, sampleRate: 22_050, seconds: 14)
      let chords = Signal.chords(sampleRate: 22_050, seconds: 14)
      music = .channels([pulse + chords, pulse.scaled(by: 0.5) + chords.scaled(by: 0.7)])
      try place.put(WAVFile(music).bytes, as: "a.wav")
      let tempo = try place.run("--include", "beats", pipeline: pipeline).file("a.wav")["tempo"]
      // The last beat may lie behind the end.
      beats = tempo["beats_s"].elements.map(\.numberValue).filter { $0 < 14 }
      downbeats = tempo["downbeats_s"].elements.map(\.numberValue)
      #expect(beats.count > 22)
    }

    func click(_ arguments: Argument..., environment: [String: String] = [:]) throws -> Outcome {
      try place.start(["click", "--database", Argument(place.database)] + arguments, environment: environment).end()
    }

    func frames(_ times: [Double]) -> [Int] { times.map { Int(($0 * 22_050).rounded()) } }
  }

  private func read(_ path: FilePath) throws -> (format: AudioFormat, channels: [[Float]]) {
    var source = try AudioSource(path: path)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var channels = [[Float]](repeating: [], count: source.format.channelCount)
    while source.read(into: &block) {
      for channel in channels.indices { channels[channel] += block.samples[block.range(ofChannel: channel)] }
    }
    return (source.format, channels)
  }

  /// Frames at which audio begins after a silence of 200 frames.
  private func onsets(_ samples: [Float], above floor: Float) -> [Int] {
    var last = -1000
    return samples.indices.filter { frame in
      guard abs(samples[frame]) > floor else { return false }
      defer { last = frame }
      return frame - last > 200
    }
  }

  @Test func clicksAreExactlyOnTheBeats() throws {
    let library = try Library()
    let outcome = try library.click("library/a.wav", "--sound", "click", "--json")
    #expect(outcome.status == 0 && outcome.errors == "")
    let answer = try JSONValue(parsing: outcome.output)
    let gain = answer["music_gain_db"].numberValue
    #expect(answer["clicks"].intValue == library.beats.count && answer["accents"].intValue == library.downbeats.count)
    #expect(answer["format"] == "flac" && answer["sample_rate_hz"] == 22_050 && answer["channels"] == 2)
    #expect(answer["clipped_samples"] == 0 && answer["tempo_locked"] == false && answer["loudness_known"] == false)
    #expect(gain < -3 && gain > -15 && answer["problem"] == .null && answer["played_by"] == .null)
    #expect(answer["duration_s"].numberValue == 14)
    let validator = try SchemaValidator(library.place.analyze("schema", "click").text)
    #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(outcome.output))) == [])

    let (format, channels) = try read(library.place.folder.file("a.click.flac"))
    #expect(format.bitDepth == 16 && format.sampleRate == 22_050 && channels[0].count == library.music.frameCount)
    let scale = Float(pow(10, gain / 20))
    for (channel, music) in zip(channels, library.music.channels) {
      #expect(channel.allSatisfy { abs($0) < 0.98 })
      // The rest without the music is the clicks, and noise of dither.
      let clicks = zip(channel, music).map { $0 - scale * $1 }
      #expect(onsets(clicks, above: 0.003) == library.frames(library.beats))
      let accents = library.frames(library.downbeats)
      for frame in library.frames(library.beats) {
        let peak = clicks[frame..<min(frame + 300, clicks.count)].map(abs).max() ?? 0
        let level = answer["click_level_dbfs"].numberValue - (accents.contains(frame) ? 0 : 3)
        #expect(abs(20 * log10(Double(peak)) - level) < 0.2)
      }
    }
  }

  @Test func correctedBeatsCount() throws {
    let library = try Library()
    func set(_ arguments: Argument...) throws {
      let outcome = try library.place.start(
        ["set", "--database", Argument(library.place.database), "library/a.wav"] + arguments
      ).end()
      #expect(outcome.status == 0)
    }
    try set("--half")
    let half = try JSONValue(parsing: library.click("library/a.wav", "--json", "--clicks-only").output)
    #expect(
      half["tempo_locked"] == true && half["clicks"].intValue == (library.beats.count + 1) / 2 && half["accents"] == 0)
    #expect(abs(half["tempo_bpm"].numberValue - 60) < 0.1)
    try set("--first-beat", "1.1")
    #expect(try library.click("library/a.wav", "--force", "--clicks-only").status == 0)
    let clicks = try read(library.place.folder.file("a.click.flac")).channels[0]
    #expect(onsets(clicks, above: 0).contains(Int((1.1 * 22_050).rounded())))
    try set("--no-tempo")
    let none = try library.click("library/a.wav", "--force")
    #expect(
      none.status == 1 && none.errors.contains("set to have no steady beat") && none.errors.contains("--unset bpm"))
  }

  @Test func clicksAloneNeedNoAudio() throws {
    let library = try Library()
    try library.place.remove("a.wav")
    let outcome = try library.click("library/a.wav", "--clicks-only", "--output", "c.wav", "--json")
    #expect(outcome.status == 0 && outcome.errors == "")
    let answer = try JSONValue(parsing: outcome.output)
    #expect(
      answer["music_gain_db"] == .null && answer["clicks_only"] == true && answer["click_level_dbfs"].numberValue == -6)
    let file = library.place.folder.file("c.wav")
    let (format, channels) = try read(file)
    #expect(format.container == "wav" && channels.count == 1 && channels[0].count == library.music.frameCount)
    #expect(onsets(channels[0], above: 0) == library.frames(library.beats))
    // The analyzer finds the same tempo and beats.
    let heard = try library.place.run("--include", "beats", paths: [Argument(file)], pipeline: "tempo").file("c.wav")
    #expect(abs(heard["tempo"]["bpm"].numberValue - 120) < 0.05)
    let found = heard["tempo"]["beats_s"].elements.map(\.numberValue)
    for beat in library.beats.dropFirst(2).dropLast(2) {
      #expect(found.contains { abs($0 - beat) < 0.01 })
    }
    // Without the audio there is no music.
    let mixed = try library.click("library/a.wav")
    #expect(mixed.status == 1 && mixed.errors.contains("no longer exists"))
  }

  @Test func levelsFollowTheLoudness() throws {
    let library = try Library(pipeline: "default")
    func levels(_ arguments: Argument...) throws -> (click: Double, music: Double, clipped: Int?) {
      let outcome = try library.place.start(
        ["click", "--database", Argument(library.place.database), "library/a.wav", "--json", "--force"] + arguments
      ).end()
      let answer = try JSONValue(parsing: outcome.output)
      #expect(answer["loudness_known"] == true)
      return (
        answer["click_level_dbfs"].numberValue, answer["music_gain_db"].numberValue, answer["clipped_samples"].intValue
      )
    }
    let standard = try levels()
    #expect(standard.click > -20 && standard.click < -3 && standard.music > -9 && standard.clipped == 0)
    let loud = try levels("--level", "-2")
    #expect(loud.click == -2 && loud.music < standard.music - 3 && loud.clipped == 0)
    let peak = try read(library.place.folder.file("a.click.flac")).channels.flatMap { $0 }.map(abs).max() ?? 0
    #expect(peak > 0.5 && peak < 0.98)
    #expect(try levels("--level", "-40").music == 0)
  }

  @Test(arguments: ["wav", "opus", "flac"]) func formats(format: String) throws {
    let library = try Library()
    let outcome = try library.click(
      "library/a.wav", "--format", Argument(stringLiteral: format), "--from", "0:02", "--to", "5")
    #expect(outcome.status == 0 && outcome.text == "" && outcome.errors == "")
    let (read, channels) = try read(library.place.folder.file("a.click.\(format)"))
    #expect(read.container == (format == "opus" ? "ogg" : format) && channels.count == 2)
    #expect(channels[0].count == 3 * (format == "opus" ? 48_000 : 22_050))
  }

  @Test func whatCannotBe() throws {
    let library = try Library()
    let place = library.place
    try place.put(WAVFile(.silence(sampleRate: 22_050, seconds: 8)).bytes, as: "silence.wav")
    try place.put(WAVFile(.noise(sampleRate: 22_050, seconds: 1)).bytes, as: "short.wav")
    _ = try place.run(pipeline: "tempo")
    try place.put(Audio.wav(2), as: "tags.wav")
    _ = try place.run(paths: ["library/tags.wav"], pipeline: "fingerprint")
    func refuses(_ arguments: Argument..., status: Int = 1, because text: String) throws {
      let outcome = try place.start(["click", "--database", Argument(place.database)] + arguments).end()
      #expect(outcome.status == status && outcome.text == "" && outcome.errors.contains(text), "\(text): \(outcome)")
    }
    try refuses("library/silence.wav", because: "has no beats: it is silent")
    try refuses("library/short.wav", because: "has no beats: it is too short")
    try refuses("library/tags.wav", because: "was not analyzed for beats")
    try refuses("library/missing.wav", because: "is not in the database")
    try refuses("library/a.wav", "--sound", "cowbell", status: 64, because: "one of wood, beep, click")
    try refuses("library/a.wav", "--output", "a.mp3", status: 64, because: "--format")
    try refuses("library/a.wav", "--output", "a.wav", "--format", "flac", status: 64, because: "--format is flac")
    try refuses("library/a.wav", "--level", "0", status: 64, because: "-40 to -1")
    try refuses("library/a.wav", "--from", "9", "--to", "3", status: 64, because: "--to must be after --from")
    try refuses("library/a.wav", "--from", "1:75", status: 64, because: "--from")
    try refuses("library/a.wav", "--output", "library/a.wav", because: "exists")
    try refuses("library/a.wav", "--output", "library/a.wav", "--force", because: "the track")
    try refuses("library/a.wav", "--output", "no/folder.wav", because: "No such file")
    try place.write("mine", to: place.folder.file("a.click.flac"))
    try refuses("library/a.wav", because: "--force")
    #expect(try String(contentsOfFile: place.folder.file("a.click.flac").string, encoding: .utf8) == "mine")
    // Other audio under the same name. A file with only other tags is the same audio.
    var bytes = WAVFile(library.music).bytes
    Audio.tag(&bytes, title: "other")
    try place.put(bytes, as: "a.wav")
    #expect(try library.click("library/a.wav", "--force").status == 0)
    try place.put(Audio.wav(7), as: "a.wav")
    try refuses("library/a.wav", "--force", because: "has changed since it was analyzed")
    try place.put(Audio.junk, as: "a.wav")
    try refuses("library/a.wav", "--force", because: "cannot be read")
    let without = try place.start(["click", "library/a.wav", "--database", "none.sqlite"]).end()
    #expect(without.status == 1 && without.errors.contains("no database"))
  }

  @Test func namesThatAreNoTextAreKept() throws {
    let library = try Library()
    try library.place.move("a.wav", to: FilePath(bytes: Array("caf".utf8) + [0xE9] + Array(".1.wav".utf8)))
    _ = try library.place.run(pipeline: "tempo")
    #expect(try library.click(#"library/caf\xE9.1.wav"#).status == 0)
    let name = FilePath(bytes: Array("caf".utf8) + [0xE9] + Array(".1.click.flac".utf8))
    #expect(library.place.folder.path.pushing(name).exists)
  }

  // MARK: - Playing

  /// A folder with a program that replaces a player, as `PATH`.
  private func player(_ script: String, in place: Workplace) throws -> [String: String] {
    ["PATH": try place.makeProgram("aplay", script).string]
  }

  private func temporaryFiles(_ place: Workplace) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).filter { $0.contains("nocturne-") }
  }

  @Test func whatIsPlayed() throws {
    let library = try Library()
    let heard = library.place.folder.file("heard.wav")
    let environment = try player("for file; do :; done; /bin/cp \"$file\" '\(heard.string)'", in: library.place)
    let outcome = try library.click("library/a.wav", "--play", "--json", environment: environment)
    #expect(outcome.status == 0 && outcome.errors == "")
    let answer = try JSONValue(parsing: outcome.output)
    #expect(answer["played_by"] == "aplay" && answer["output"] == .null && answer["format"] == .null)
    let (format, channels) = try read(heard)
    #expect(format.container == "wav" && format.bitDepth == 16 && channels.count == 2)
    #expect(channels[0].count == library.music.frameCount)
    #expect(try temporaryFiles(library.place) == [] && !library.place.folder.file("a.click.flac").exists)
    // Both.
    let both = try library.click("library/a.wav", "--play", "--output", "b.flac", environment: environment)
    #expect(both.status == 0 && library.place.folder.file("b.flac").exists)
    #expect(try read(library.place.folder.file("b.flac")).channels == channels)
  }

  @Test func aSignalEndsPlaying() throws {
    let library = try Library()
    let started = library.place.folder.file("started")
    let environment = try player("echo $$ > '\(started.string)'; exec /bin/sleep 100", in: library.place)
    let running = try library.place.start(
      ["click", "--database", Argument(library.place.database), "library/a.wav", "--play"], environment: environment)
    func number() -> Int32? {
      let text = try? String(contentsOfFile: started.string, encoding: .utf8)
      return text.flatMap { $0.hasSuffix("\n") ? Int32($0.dropLast()) : nil }
    }
    #expect(waitUntil { number() != nil })
    running.send(SIGINT)
    #expect(running.end().status == 130)
    #expect(try temporaryFiles(library.place) == [])
    #expect(number().map { kill($0, 0) } == -1)
  }

  @Test func nothingPlays() throws {
    let library = try Library()
    let none = try library.click("library/a.wav", "--play", environment: ["PATH": library.place.home.string])
    #expect(
      none.status == 1 && none.errors.contains("No program that plays audio was found")
        && none.errors.contains("apt install"))
    let failing = try player("echo 'no device' >&2; exit 1", in: library.place)
    let outcome = try library.click("library/a.wav", "--play", environment: failing)
    #expect(
      outcome.status == 1 && outcome.errors.contains("no device")
        && outcome.errors.contains("aplay ended with status 1"))
    #expect(try temporaryFiles(library.place) == [])
  }
}
