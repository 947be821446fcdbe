import Analysis
import AnalysisTesting
import Platform
import Testing

/// The lines that `show` prints for findings.
@Suite(.bounded) struct FindingTextTests {
  private func lines<Finding: DeclaredFinding>(
    _ finding: Finding, _ context: FindingContext = FindingContext(format: nil, isWhole: true, tempoCorrection: nil)
  ) -> [String] {
    Finding.declaration.lines(finding, context).flatMap { line in
      ["\(line.label): \(line.text)"] + line.details.map { "  \($0)" }
    }
  }

  private func fault(_ kind: String, at seconds: Double = 1.5, channel: Int? = nil) -> HealthFinding.Fault {
    HealthFinding.Fault(
      kind: kind, startSeconds: seconds, endSeconds: seconds + 1, channel: channel, strength: 1, confidence: 0.9)
  }

  @Test func health() {
    var health = HealthFinding()
    #expect(lines(health) == ["health: no fault found"])
    health.reason = "too_short"
    #expect(lines(health) == ["health: not judged (too_short)"])
    health.reason = nil
    health.worst = "silent"
    #expect(health.text == "nothing but silence")
    health.worst = "click"
    (health.dropouts, health.repeats, health.silences, health.clicks, health.clipped) = (1, 1, 1, 1, 1)
    #expect(health.text == "1 dropout, 1 repeated block, 1 gap, 1 click, 1 clipped place")
    (health.dropouts, health.repeats, health.silences, health.clicks, health.clipped) = (2, 3, 4, 5, 6)
    #expect(health.text == "2 dropouts, 3 repeated blocks, 4 gaps, 5 clicks, 6 clipped places")
    (health.dropouts, health.repeats, health.silences, health.clicks, health.clipped) = (0, nil, 0, nil, 0)
    (health.isInverted, health.hasOffset, health.isIdentical) = (false, false, false)
    (health.isCutAtStart, health.isCutAtEnd) = (false, false)
    #expect(health.text == "")
    (health.isInverted, health.hasOffset, health.isIdentical) = (true, true, true)
    (health.isCutAtStart, health.isCutAtEnd, health.deadChannel) = (true, true, 2)
    (health.hum, health.hiss) = (-50.4, -60.6)
    #expect(
      health.text
        == "channel 2 is dead, channels are inverted, DC offset, hum at -50 dB, hiss at -61 dB, mono in stereo, "
        + "begins abruptly, ends abruptly")
    health.faults = ["silent", "identical", "cut_start", "cut_end", "hum", "hiss"].map { fault($0) }
    #expect(lines(health).count == 1)
    health.faults += (1...6).map { fault("click", at: Double($0), channel: $0 == 2 ? 2 : nil) }
    #expect(
      Array(lines(health).dropFirst()) == [
        "  click at 1.000 s, confidence 0.90", "  click at 2.000 s, channel 2, confidence 0.90",
        "  click at 3.000 s, confidence 0.90", "  click at 4.000 s, confidence 0.90",
        "  click at 5.000 s, confidence 0.90",
      ])
  }

  @Test func cues() {
    var cues = CuesFinding()
    #expect(lines(cues) == ["cues: none (unknown reason)"])
    cues.reason = "silence"
    #expect(lines(cues) == ["cues: none (silence)"])
    (cues.leadingSilence, cues.trailingSilence, cues.fadeIn, cues.fadeOut) = (0.000_9, 0.000_9, 0, 0)
    #expect(lines(cues) == ["cues: no silence, no fades"])
    (cues.leadingSilence, cues.trailingSilence) = (0.001, 0.001)
    #expect(lines(cues) == ["cues: silence before 0.001 s, silence after 0.001 s"])
    (cues.leadingSilence, cues.trailingSilence, cues.fadeIn, cues.fadeOut) = (0, 0, 0.1, 2.25)
    (cues.introEnd, cues.outroStart, cues.highlightStart) = (61.5, 180, 90.25)
    #expect(
      lines(cues) == [
        "cues: fade-in 0.1 s, fade-out 2.2 s, intro to 1:01.50, outro from 3:00.00, highlight at 1:30.25"
      ])
  }

  @Test func origin() {
    var origin = OriginFinding()
    #expect(lines(origin) == ["origin: not judged (unknown reason)"])
    origin.reason = "quiet"
    #expect(origin.text == "not judged (quiet)")
    origin.verdict = "unsure"
    #expect(origin.text == "unsure")
    (origin.verdict, origin.upsampledFrom, origin.usedBits, origin.isPadded) = ("lossless", 44_100, 16, false)
    #expect(origin.text == "lossless; upsampled from 44100 Hz")
    origin.isPadded = true
    #expect(origin.text == "lossless; upsampled from 44100 Hz; padded: only 16 bits are used")
    origin.usedBits = nil
    #expect(origin.text == "lossless; upsampled from 44100 Hz")
    (origin.frameTrace, origin.frameLength, origin.frameOffset, origin.codedSampleRate) = (12.4, 1152, 7, 44_100)
    #expect(origin.evidence.isEmpty)
    (origin.verdict, origin.upsampledFrom) = ("lossy", nil)
    #expect(origin.text == "lossy: decoded from a lossy codec")
    for (codec, name) in [
      ("mp3", "MP3"), ("aac", "AAC"), ("vorbis", "Vorbis"), ("opus", "Opus"), ("mp2", "MP2"), ("other", "other"),
    ] {
      origin.codec = codec
      #expect(origin.text == "lossy: decoded from \(name)")
    }
    origin.kilobitsPerSecond = 128
    #expect(origin.text == "lossy: decoded from other of about 128 kbit/s")
    let frames = "frames of 1152 samples from sample 7 on at 44100 Hz, 12 standard deviations"
    #expect(origin.evidence == [frames])
    origin.quantizationDepth = 3.25
    (origin.wall, origin.wallDepth) = (16_050, 30.4)
    #expect(
      origin.evidence == [
        frames + ", coefficients 3.2 dB lower there", "the spectrum ends at 16.1 kHz, 30 dB deep",
      ])
    origin.wallSteadiness = 0.874
    #expect(lines(origin).last == "  the spectrum ends at 16.1 kHz, 30 dB deep, in 87% of the excerpts")
    origin.frameOffset = nil
    #expect(origin.evidence.count == 1)
  }

  @Test func tempo() {
    var tempo = TempoFinding.none(reason: "silence")
    #expect(lines(tempo) == ["tempo: none (silence)"])
    tempo.reason = nil
    #expect(lines(tempo) == ["tempo: none (unknown reason)"])
    (tempo.bpm, tempo.confidence, tempo.isStable, tempo.beats) = (120.456, 0.876, true, [1])
    #expect(lines(tempo) == ["tempo: 120.46 BPM, confidence 0.88, stable, 1 beat"])
    tempo.candidates = [120.456, 60.2, 90.1, 180, 240].map { TempoFinding.Candidate(bpm: $0, weight: 0.1) }
    (tempo.isStable, tempo.map) = (false, [TempoFinding.Section(startSeconds: 0, bpm: 120)])
    (tempo.beats, tempo.metre) = ([1, 2], "4/4")
    let start = "120.46 BPM, confidence 0.88, alternatives: 60.20, 90.10, 180.00, 1 section, 2 beats, 4/4"
    #expect(lines(tempo) == ["tempo: \(start) (where bars begin is not clear)"])
    tempo.downbeats = [1]
    #expect(lines(tempo) == ["tempo: \(start)"])
    var correction = TempoCorrection(bpm: 60, grid: nil, corrected: .init(nanoseconds: 0), found: tempo)
    func context() -> FindingContext { FindingContext(format: nil, isWhole: true, tempoCorrection: correction) }
    #expect(lines(tempo, context()) == ["tempo: 60.00 BPM, locked, 2 beats, 4/4", "tempo found: \(start)"])
    (correction.bpm, correction.found) = (nil, nil)
    #expect(
      lines(tempo, context()) == [
        "tempo: none, there is no steady beat, locked, 2 beats, 4/4", "tempo found: not looked for",
      ])
  }

  @Test func others() {
    #expect(lines(KeyFinding.none(reason: "no_key")) == ["key: none (no_key)"])
    #expect(lines(KeyFinding()) == ["key: none (unknown reason)"])
    var key = KeyFinding(key: MusicalKey("Am"), confidence: 0.5, candidates: [], map: [])
    #expect(lines(key) == ["key: A minor (8A), confidence 0.50"])
    key.map = [0, 60].map { KeyFinding.Section(startSeconds: $0, key: "A minor") }
    key.tuningHertz = 441.26
    #expect(lines(key) == ["key: A minor (8A), confidence 0.50, 2 sections, A = 441.3 Hz"])
    key.map.removeLast()
    #expect(lines(key) == ["key: A minor (8A), confidence 0.50, A = 441.3 Hz"])

    #expect(lines(LoudnessFinding(reason: "silence")) == ["loudness: none (silence)"])
    var loudness = LoudnessFinding(integrated: -14.04, range: 5.25, truePeak: -0.5, trackGain: -3.96)
    #expect(lines(loudness) == ["loudness: -14.0 LUFS, range 5.2 LU, true peak -0.5 dBTP, gain -3.96 dB"])
    loudness.albumGain = 1
    #expect(lines(loudness)[0].hasSuffix(", album gain +1.00 dB"))
    #expect(LoudnessFinding.gain(ofLoudness: -14.044) == -3.96 && LoudnessFinding.gain(ofLoudness: -20) == 2)

    var waveform = WaveformFinding()
    #expect(lines(waveform) == ["waveform: none (unknown reason)"] && waveform.pointSeconds == 0)
    (waveform.peak, waveform.pointCount, waveform.samplesPerPoint, waveform.sampleRate) = (-1.5, 1, 441, 44_100)
    #expect(lines(waveform) == ["waveform: 1 point of 0.010 s, peak -1.50 dBFS"])
    waveform.pointCount = 2
    #expect(lines(waveform) == ["waveform: 2 points of 0.010 s, peak -1.50 dBFS"])

    #expect(lines(SignatureFinding(version: 2, landmarkCount: 1, data: [])) == ["signature: version 2, 1 landmark"])
    #expect(lines(SignatureFinding(version: 2, landmarkCount: 3, data: [])) == ["signature: version 2, 3 landmarks"])
    #expect(lines(LikenessFinding(version: 3, descriptor: [])) == ["likeness: version 3"])
    #expect(lines(LikenessFinding.none(reason: "silence")) == ["likeness: none (silence)"])
    #expect(
      lines(FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: "x")) == [
        "fingerprint: chromaprint-2, 2 min 00 s"
      ])
    #expect(lines(SectionsFinding.none(reason: "too_short")) == ["sections: none (too_short)"])
    let sections = ["A", "B"].map {
      SectionsFinding.Section(startSeconds: 0, endSeconds: 1, label: $0, levelDecibels: 0)
    }
    #expect(lines(SectionsFinding(map: sections)) == ["sections: A B"] && SectionsFinding().form == nil)
    // Findings without lines of their own show their fields.
    #expect(lines(TraitsFinding()).isEmpty)
    #expect(
      lines(TraitsFinding(energy: 0.504, danceability: 1, speechiness: .nan)) == [
        "traits: energy 0.5, danceability 1.0"
      ])
    #expect(lines(TraitsFinding.none(reason: "silence")) == ["traits: none: silence"])
  }

  @Test func tags() {
    var tags = TagFinding(fields: ["artist": ["A", "B"], "title": ["T"], "other:X": ["Y"]])
    #expect(lines(tags) == ["title: T", "artist: A / B", "pictures: "])
    tags.pictures = [TagFinding.Picture(type: "front cover", mime: "image/png", sizeBytes: 5)]
    tags.lyrics = [
      TagFinding.Lyrics(language: "eng", description: "d", text: "one\n\ntwo"),
      TagFinding.Lyrics(text: "x", lines: [TagFinding.Lyrics.Line(seconds: 61.5, text: "la")]),
    ]
    tags.chapters = [TagFinding.Chapter(startSeconds: 0), TagFinding.Chapter(startSeconds: 90, title: "C")]
    #expect(
      Array(lines(tags).dropFirst(2)) == [
        "lyrics: eng, d, without times", "  one", "  ", "  two", "lyrics: with times", "  1:01.50 la",
        "chapter: 0:00.00", "chapter: 1:30.00 C", "pictures: front cover (image/png)",
      ])
  }

  /// The duration that AcoustID requires: as decoded, otherwise as claimed, otherwise what was decoded.
  @Test(
    arguments: [
      (true, 100, 200, 2.0, false), (true, nil, 200, 4, true), (false, 100, 200, 4, true), (false, 100, nil, 2, false),
      (true, 100, nil, 2, false), (false, nil, nil, nil, nil), (true, nil, nil, nil, nil),
    ] as [(Bool, Int64?, Int64?, Double?, Bool?)])
  func durationsOfTracks(isWhole: Bool, decoded: Int64?, claimed: Int64?, seconds: Double?, isClaimed: Bool?) {
    let format = AudioFormat(
      container: "wav", codec: "pcm_s16", sampleRate: 50, channelCount: 1, isLossless: true, claimedFrameCount: claimed,
      frameCount: decoded)
    func value(_ name: String, _ format: AudioFormat?) -> FieldValue? {
      FingerprintFinding.declaration.fields.first { $0.name == name }?.report?(
        FingerprintFinding(), FindingContext(format: format, isWhole: isWhole, tempoCorrection: nil))
    }
    #expect(value("track_duration_s", format) == (seconds.map { .number($0) } ?? .null))
    #expect(value("track_duration_claimed", format) == (isClaimed.map { .boolean($0) } ?? .null))
    var broken = format
    broken.sampleRate = 0
    #expect(value("track_duration_s", broken) == .null && value("track_duration_s", nil) == .null)
  }
}
