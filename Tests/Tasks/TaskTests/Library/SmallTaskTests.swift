import Analysis
import AnalysisTesting
import AudioEncoding
import BuiltInAnalyzers
import Filters
import Foundation
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import LibraryTasks

/// Levels of clicks, and plain click tracks.
@Suite(.bounded) struct ClickTests {
  /// Computed in Python from the formulas in docs/click.md: clicks in dBFS, then the gain of the music.
  @Test(
    arguments: [
      (nil, -9, 0, -4.9, -8.1), (nil, -14, -1, -6.8, -4.9), (nil, -60, -20, -30, 0), (-6, -9, 0, -6, -6.7),
      (nil, -20, -12, -8, 0), (-3, -30, -20, -3, 0), (nil, -25, -10, -13, 0),
    ] as [(Double?, Double, Double, Double, Double)])
  func levelsOverMusic(level: Double?, integrated: Double, peak: Double, clicks: Double, music: Double) {
    for loudness in [
      LoudnessFinding(integrated: integrated, truePeak: peak),
      LoudnessFinding(integrated: integrated, samplePeak: peak),
    ] {
      let levels = ClickLevels(level: level, over: loudness)
      #expect(abs(levels.clicks - clicks) < 1e-9 && abs(levels.music - music) < 1e-9, "\(levels)")
    }
  }

  @Test func levelsWithoutMusic() {
    #expect(ClickLevels(alone: nil).clicks == -6 && ClickLevels(alone: -3).clicks == -3)
    #expect(ClickLevels(alone: nil).music == 0 && ClickLevels.range == -40...(-1))
    // Unknown loudness counts as loud.
    let unknown = ClickLevels(level: nil, over: nil)
    #expect(abs(unknown.clicks + 4.9) < 1e-9 && abs(unknown.music + 8.1) < 1e-9)
    #expect(abs(ClickLevels.amplitude(-20) - 0.1) < 1e-12 && ClickLevels.amplitude(0) == 1)
  }

  @Test func meters() {
    for text in ["1/1", "32/32", "3/4", "6/8", "7/16", "5/2"] {
      #expect(Metronome.Metre(text)?.description == text)
    }
    for text in ["0/4", "33/4", "4/3", "4/0", "4/64", "4", "4/4/4", "4//4", "/4", "4/", "x/4", "4/x", ""] {
      #expect(Metronome.Metre(text) == nil, "\(text)")
    }
  }

  @Test func clicksOfAMetronome() throws {
    let tempo = try #require(ExactTempo("120"))
    var metronome = Metronome(tempo: tempo, metre: try #require(Metronome.Metre("3/4")), duration: 2)
    #expect(metronome.hasAccents && metronome.sampleRate == 44_100 && metronome.peak == -6)
    // The click that would begin at the end is left out.
    #expect(metronome.clicks.map(\.frame) == [0, 22_050, 44_100, 66_150] && metronome.frameCount == 88_200)
    #expect(metronome.clicks.map(\.isAccent) == [true, false, false, true])
    metronome.hasAccents = false
    #expect(metronome.clicks.allSatisfy { !$0.isAccent })
    metronome.duration = 2.0001
    #expect(metronome.clicks.count == 5)
    #expect(Metronome.durations == 0.1...86_400 && Metronome.sampleRates == 8_000...192_000)
    let folder = try TemporaryDirectory()
    (metronome.hasAccents, metronome.duration) = (true, 2)
    let outcome = try #require(try metronome.write(to: folder.file("a.wav"), as: .wav))
    #expect(
      outcome.clickCount == 4 && outcome.accentCount == 2 && outcome.duration == 2 && outcome.sampleRate == 44_100)
    // Nothing is replaced unless asked.
    #expect(throws: AudioWriteError.self) { try metronome.write(to: folder.file("a.wav"), as: .wav) }
    #expect(try metronome.write(to: folder.file("a.wav"), as: .wav, replacesExisting: true) != nil)
    #expect(try metronome.write(to: folder.file("b.wav"), as: .wav, isCancelled: { true }) == nil)
    #expect(metronome.defaultName(.wav) == "metronome-120bpm.wav")
  }

  @Test func tracksWithoutBeats() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let beats = TempoFinding(bpm: 120, confidence: 1, candidates: [], isStable: true, map: [], beats: [0, 0.5, 1])
    let files = [
      LibraryFile(path: "/music/fine", tags: [:], findings: [("tempo", beats)]),
      LibraryFile(path: "/music/bare", tags: [:]),
      LibraryFile(path: "/music/none", tags: [:], findings: [("tempo", TempoFinding.none(reason: "silence"))]),
      LibraryFile(path: "/music/set", tags: [:], findings: [("tempo", beats)]),
    ]
    try LibraryFiles(files).merge(into: store)
    try store.correctTempo([files[3].contentID: TempoCorrection(bpm: nil, grid: nil, corrected: .now)])
    func complaint(_ name: String) -> String? {
      do {
        let track = try ClickedTrack(of: FilePath("/music/\(name)"), in: store)
        #expect(!track.isLocked && !track.isClicksOnly && !track.isLoudnessKnown && track.level == nil)
        return nil
      } catch { return "\(error)" }
    }
    #expect(complaint("fine") == nil && complaint("bare")?.contains("was not analyzed for beats") == true)
    #expect(complaint("none")?.contains("it is silent") == true)
    #expect(complaint("set")?.contains("it was set to have no steady beat") == true && complaint("x") != nil)
    #expect("\(ClickError.noBeatsSet("/a", bpm: 90))".contains("none fit the audio at the tempo that was set"))
    let track = try ClickedTrack(of: "/music/fine", in: store)
    #expect { try track.write(to: folder.file("a.wav"), as: .wav) } throws: { "\($0)".contains("no longer exists") }
    var only = ClickedTrack(of: "/music/fine", beats, loudness: LoudnessFinding(integrated: -10, truePeak: 0))
    #expect(only.isLoudnessKnown && !only.isLocked && only.levels != ClickLevels(alone: nil))
    only.isClicksOnly = true
    #expect(only.levels == ClickLevels(alone: nil))
  }
}

/// Waveforms in the formats of audiowaveform.
@Suite(.bounded) struct AudiowaveformTests {
  private static var waveform: WaveformFinding {
    var waveform = WaveformFinding()
    (waveform.sampleRate, waveform.samplesPerPoint, waveform.pointCount, waveform.peak) = (44_100, 256, 2, 0)
    (waveform.minima, waveform.maxima) = ([1, 64], [255, 192])
    return waveform
  }

  @Test func valuesReachFullScale() {
    #expect(AudiowaveformData(Self.waveform, bits: .eight).data == [-128, 127, -65, 65])
    #expect(AudiowaveformData(Self.waveform, bits: .sixteen).data == [-32_768, 32_767, -16_513, 16_513])
    var quiet = Self.waveform
    quiet.peak = -20
    #expect(AudiowaveformData(quiet, bits: .sixteen).data == [-3_277, 3_277, -1_651, 1_651])
    quiet.peak = nil
    #expect(AudiowaveformData(quiet, bits: .sixteen).data == [0, 0, 0, 0])
  }

  @Test func bytesOfBothFormats() {
    let data = AudiowaveformData(Self.waveform, bits: .eight)
    #expect(
      String(decoding: data.bytes(.json), as: UTF8.self).replacing(" ", with: "")
        == "{\"version\":2,\"channels\":1,\"sample_rate\":44100,\"samples_per_pixel\":256,\"bits\":8,\"length\":2,"
        + "\"data\":[-128,127,-65,65]}\n")
    let head: [UInt8] = [0x44, 0xAC, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]
    #expect(data.bytes(.dat) == [2, 0, 0, 0, 1, 0, 0, 0] + head + [0x80, 0x7F, 0xBF, 0x41])
    let wide = AudiowaveformData(Self.waveform, bits: .sixteen).bytes(.dat)
    #expect(wide == [2, 0, 0, 0, 0, 0, 0, 0] + head + [0x00, 0x80, 0xFF, 0x7F, 0x7F, 0xBF, 0x81, 0x40])
  }
}

/// Broken tracks, the worst first.
@Suite(.bounded) struct BrokenTracksTests {
  private static func file(
    _ name: String, failure: String? = nil, damage: String? = nil, health: Double? = nil,
    faults: [HealthFinding.Fault] = [],
    worst: String? = nil, isJudged: Bool = true, origin: OriginFinding? = nil
  ) -> LibraryFile {
    var file = LibraryFile(path: FilePath("/music/\(name)"), tags: ["genre": [name]])
    func problem(_ code: String) -> Problem { Problem(stage: .decode, code: code, message: "It is \(code).") }
    (file.failure, file.damage) = (failure.map(problem), damage.map(problem))
    if isJudged, failure == nil {
      var finding = HealthFinding()
      (finding.severity, finding.faults, finding.worst) = (health, faults, worst)
      file.findings.append(("health", finding))
    }
    if let origin { file.findings.append(("origin", origin)) }
    return file
  }

  private static func fault(_ kind: String, _ strength: Double, at start: Double = 1) -> HealthFinding.Fault {
    .init(kind: kind, startSeconds: start, endSeconds: start + 1, channel: 2, strength: strength, confidence: 0.5)
  }

  private static func origin(_ change: (inout OriginFinding) -> Void) -> OriginFinding {
    var origin = OriginFinding()
    change(&origin)
    return origin
  }

  private func answer(
    _ files: [LibraryFile], matching filter: String? = nil, from severity: Double = 0
  ) throws -> BrokenTracks.Answer {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    defer { withExtendedLifetime(folder) {} }
    try LibraryFiles(files).merge(into: store)
    return try BrokenTracks.list(in: store, matching: filter.map { try TrackFilter(parsing: $0) }, from: severity)
  }

  @Test func theWorstComesFirst() throws {
    let files = [
      Self.file("cut", damage: "truncated"), Self.file("empty", failure: "empty"),
      Self.file("locked", failure: "unreadable"), Self.file("fine"), Self.file("unknown", isJudged: false),
      Self.file("b", health: 0.5, faults: [Self.fault("click", 9)]),
      Self.file("a", health: 0.5, faults: [Self.fault("click", 9)]),
    ]
    let all = try answer(files)
    #expect(all.tracks.map { $0.record.path.lastComponent?.string } == ["empty", "cut", "a", "b"])
    #expect(all.tracks.map(\.severity) == [1, 0.95, 0.5, 0.5] && all.count == 7 && all.unjudgedCount == 1)
    #expect(all.tracks[0].reasons == [.init(kind: "empty", message: "It is empty.")])
    #expect(try answer(files, from: 0.5).tracks.count == 4 && answer(files, from: 0.51).tracks.count == 2)
    let one = try answer(files, matching: "genre:cut")
    #expect(one.tracks.count == 1 && one.count == 1 && one.unjudgedCount == 0)
  }

  @Test func reasonsOfATrack() throws {
    let file = Self.file(
      "a", damage: "truncated", health: 0.25,
      faults: [Self.fault("clipping", 3.6), Self.fault("dropout", 2.25), Self.fault("clipping", 5, at: 7)],
      worst: "dropout")
    let track = try #require(try answer([file]).tracks.first)
    #expect(track.reasons.map(\.kind) == ["truncated", "dropout", "clipping", "clipping"] && track.severity == 0.95)
    let places = track.reasons.dropFirst()
    #expect(places.map(\.startSeconds) == [1, 1, 7] && places.map(\.endSeconds) == [2, 2, 8])
    #expect(places.map(\.message).suffix(2) == ["Clipped: 4 samples cut flat", "Clipped: 5 samples cut flat"])
    #expect(places.allSatisfy { $0.channel == 2 && $0.confidence == 0.5 })
  }

  @Test func originsOfATrack() throws {
    let lossy = Self.origin { ($0.verdict, $0.confidence, $0.codec) = ("lossy", 0.5, "mp3") }
    let wide = Self.origin { ($0.verdict, $0.upsampledFrom, $0.usedBits, $0.isPadded) = ("lossless", 44_100, 16, true) }
    let whole = Self.origin { ($0.verdict, $0.usedBits, $0.isPadded) = ("lossless", 16, false) }
    let sure = Self.origin { $0.verdict = "lossy" }
    let found = try answer([
      Self.file("lossy", origin: lossy), Self.file("wide", origin: wide), Self.file("whole", origin: whole),
      Self.file("sure", health: 0.6, faults: [Self.fault("hum", 1)], origin: sure),
    ]).tracks
    #expect(found.map { $0.record.path.lastComponent?.string } == ["sure", "lossy", "wide"])
    #expect(found.map(\.severity) == [0.6, 0.25, 0.2])
    #expect(found[0].reasons.map(\.kind) == ["hum", "lossy_origin"])
    #expect(found[1].reasons.map(\.confidence) == [0.5] && found[1].reasons[0].message.hasPrefix("lossy: decoded from"))
    #expect(
      found[2].reasons.map(\.message) == [
        "No content above what a sample rate of 44100 Hz can hold", "Only 16 bits of each sample are used",
      ])
    let padded = Self.origin { ($0.verdict, $0.usedBits, $0.isPadded) = ("lossless", 16, true) }
    #expect(try answer([Self.file("padded", origin: padded)]).tracks.map(\.severity) == [0.1])
  }

  @Test func sentencesAboutFaults() {
    #expect(FaultWords.sentence(kind: "clipping", strength: 2.5) == "Clipped: 3 samples cut flat")
    #expect(FaultWords.sentence(kind: "dropout", strength: 2.26) == "Dropout of 2.3 ms")
    #expect(FaultWords.sentence(kind: "other", strength: 1) == "other")
  }
}
