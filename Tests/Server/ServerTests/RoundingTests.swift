import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import SystemPackage
import Testing
import Text

@testable import Server

/// Numbers have as many decimals as are useful.
@Suite(.bounded) struct RoundingTests {
  /// A file whose numbers have many decimals.
  private static func file(_ name: String, descriptor: [UInt8]) -> LibraryFile {
    var file = LibraryFile(
      path: FilePath("/music/\(name).flac"),
      tags: ["title": [name], "artist": ["Band"], "album": ["Album"], "albumartist": ["Band"]],
      findings: [
        (
          "tempo",
          TempoFinding(
            bpm: 87.123_456_789, confidence: 0.912_345_678, octaveConfidence: 0.712_345_678,
            candidates: [.init(bpm: 87.123_456_789, weight: 0.712_345_678), .init(bpm: 58.123_456_789, weight: 0.2)],
            isStable: false,
            map: [
              .init(startSeconds: 0.123_456_789, bpm: 87.123_456_789),
              .init(startSeconds: 60.123_456_789, bpm: 44.123_456_789),
            ], beats: [0.123_456_789, 0.912_345_678, 1.612_345_678, 2.312_345_678], metre: "4/4",
            downbeats: [0.123_456_789, 1.612_345_678],
            onsets: .init(stepSeconds: 0.123_456_789, values: [0.123_456_789, 0.912_345_678]))
        ),
        (
          "key",
          KeyFinding(
            key: MusicalKey(pitchClass: 4, mode: .minor), confidence: 0.812_345_678,
            candidates: [.init(key: "E minor", probability: 0.812_345_678)],
            map: [.init(startSeconds: 1.123_456_789, key: "E minor")], tuningHertz: 441.123_456_789)
        ),
        (
          "loudness",
          LoudnessFinding(
            integrated: -9.123_456_789, range: 6.123_456_789, maxMomentary: -5.123_456_789,
            maxShortTerm: -7.123_456_789, samplePeak: -0.5, truePeak: 0.25, trackGain: -8.876_543_211,
            trackPeak: 1.023_456_789, gatingBlocks: [])
        ),
        ("traits", TraitsFinding(energy: 0.512_345_678, danceability: 0.612_345_678, speechiness: 0.112_345_678)),
        (
          "sections",
          SectionsFinding(map: [
            .init(
              startSeconds: 0.123_456_789, endSeconds: 60.212_345_678, label: "A", levelDecibels: -12.123_456_789)
          ])
        ), ("likeness", LikenessFinding(version: 1, descriptor: descriptor)),
      ],
      lyrics: [TagFinding.Lyrics(text: "One", lines: [.init(seconds: 1.123_456_789, text: "One")])])
    var health = HealthFinding()
    health.faults = [
      .init(
        kind: "click", startSeconds: 1.123_456_789, endSeconds: 2.123_456_789, channel: nil, strength: 1, confidence: 1)
    ]
    file.findings.append(("health", health))
    var waveform = WaveformFinding()
    (waveform.sampleRate, waveform.samplesPerPoint, waveform.pointCount) = (44_100, 22_051, 4)
    (waveform.peak, waveform.lowPeak) = (-0.123_456_789, -3.123_456_789)
    (waveform.midPeak, waveform.highPeak) = (-6.123_456_789, -9.123_456_789)
    waveform.onsetStepSeconds = 0.123_456_789
    for list in [
      \WaveformFinding.minima, \.maxima, \.rms, \.lowPeaks, \.lowRMS, \.midPeaks, \.midRMS, \.highPeaks, \.highRMS,
      \.onsets,
    ] { waveform[keyPath: list] = [200, 100, 50, 0] }
    file.findings.append(("waveform", waveform))
    file.tags.chapters = [TagFinding.Chapter(startSeconds: 1.123_456_789, endSeconds: 62.123_456_789, title: "One")]
    file.format.frameCount = 8_825_447
    file.format.claimedFrameCount = 8_825_447
    return file
  }

  private static let files = [
    file("one", descriptor: (0..<128).map { UInt8(128 + $0 * 5 % 97 - 48) }),
    file("two", descriptor: (0..<128).map { UInt8(128 + $0 * 11 % 97 - 48) }),
  ]

  /// The largest number of decimals at each path of members.
  private func decimals(_ value: JSONValue, at path: String = "") -> [String: Int] {
    switch value {
    case .object(let members):
      members.reduce(into: [:]) { found, member in
        let name = path.isEmpty ? member.key : "\(path).\(member.key)"
        found.merge(decimals(member.value, at: name)) { max($0, $1) }
      }
    case .array(let values):
      values.reduce(into: [:]) { $0.merge(decimals($1, at: path)) { max($0, $1) } }
    case .number(let number): [path: "\(number)".split(separator: ".").last.map(\.count) ?? 0]
    default: [:]
    }
  }

  private func expect(
    _ answer: ServedLibrary.Answer, _ expected: [String: Int], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.status == 200, sourceLocation: sourceLocation)
    let found = decimals(answer.json)
    for (path, count) in expected {
      #expect((1...count).contains(found[path] ?? 0), "\(path): \(found[path] ?? 0)", sourceLocation: sourceLocation)
    }
  }

  @Test func pagesOfTracksAreShort() async throws {
    let library = try await ServedLibrary(Self.files)
    let (id, audio) = (Self.files[0].id, Self.files[0].contentID)
    let tempo = [
      "tempo.bpm": 3, "tempo.confidence": 3, "tempo.octave_confidence": 3, "tempo.candidates.bpm": 3,
      "tempo.candidates.weight": 4, "tempo.candidates.ratio": 4, "tempo.beats_s": 4, "tempo.downbeats_s": 4,
      "tempo.map.start_s": 3, "tempo.map.bpm": 3, "tempo.onsets.step_s": 4, "tempo.onsets.values": 3,
    ]
    let others = [
      "track.tempo_bpm": 2, "track.tempo_confidence": 3, "track.loudness_integrated_lufs": 2, "track.duration_s": 3,
      "chapters.start_s": 3, "chapters.end_s": 3, "lyrics.lines.start_s": 3, "key.candidates.probability": 4,
      "key.map.start_s": 2, "key.confidence": 3, "key.tuning_hz": 2, "sections.map.start_s": 3,
      "sections.map.end_s": 3, "sections.map.level_db": 2, "faults.start_s": 3, "faults.end_s": 3,
    ]
    expect(try await library.get("/app/api/tracks/\(id)"), tempo.merging(others) { $1 })
    expect(
      try await library.get("/app/api/tracks/\(id)/waveform"),
      [
        "point_s": 6, "peak_dbfs": 2, "low_peak_dbfs": 2, "mid_peak_dbfs": 2, "high_peak_dbfs": 2, "onset_step_s": 6,
      ])
    expect(try await library.get("/app/api/tracks/\(id)/similar"), ["items.likeness": 3, "items.duration_s": 3])
    expect(try await library.get("/app/api/albums"), ["items.duration_s": 1])
    expect(try await library.get("/app/api/status"), ["duration_s": 1])
    for bpm in [91.123_456_789, 92.123_456_789] {
      try library.store.correctTempo([audio: TempoCorrection(bpm: bpm, grid: nil, corrected: .now)])
    }
    expect(
      try await library.get("/app/api/tracks/\(id)"),
      ["tempo.bpm": 3, "tempo.found.bpm": 3, "tempo.found.confidence": 3, "tempo.states.bpm": 3])
    try await library.stop()
  }

  @Test func soundIsRounded() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = Self.files[0].id
    expect(
      try await library.get("/v1/audio-features/\(id)"),
      ["danceability": 3, "energy": 3, "speechiness": 3, "loudness": 3, "tempo": 3])
    expect(
      try await library.get("/v1/audio-analysis/\(id)"),
      [
        "track.duration": 5, "track.start_of_fade_out": 5, "track.loudness": 3, "track.tempo": 3,
        "track.tempo_confidence": 3, "track.key_confidence": 3, "beats.start": 5, "beats.duration": 5,
        "beats.confidence": 3, "bars.start": 5, "sections.start": 3, "sections.duration": 3, "sections.loudness": 2,
        "sections.tempo": 3, "sections.key_confidence": 3,
      ])
    try await library.stop()
  }

  /// The tempo of a section is the one at its start.
  @Test func sectionsHaveTheirTempo() async throws {
    var file = LibraryFile(path: "/music/a.flac", tags: [:])
    let map = [(0.0, 100.0), (40.5, 50), (90, 75)].map { TempoFinding.Section(startSeconds: $0.0, bpm: $0.1) }
    file.findings = [
      (
        "tempo",
        TempoFinding(bpm: 100, confidence: 0.5, candidates: [], isStable: false, map: map, beats: [])
      ),
      (
        "sections",
        SectionsFinding(
          map: [(0.0, 40.5), (40.5, 89.5), (89.5, 200)].map {
            SectionsFinding.Section(startSeconds: $0.0, endSeconds: $0.1, label: "A", levelDecibels: -6)
          })
      ),
    ]
    let library = try await ServedLibrary([file])
    let sections = try await library.get("/v1/audio-analysis/\(file.id)").json["sections"].list
    #expect(sections.map { $0["tempo"] } == [.number(100), .number(50), .number(50)])
    #expect(sections.map { $0["duration"] } == [.number(40.5), .number(49), .number(110.5)])
    try await library.stop()
  }
}
