import Analysis
import Foundation
import Platform
import Records
import Reporting
import SystemPackage
import Text

/// Records to report on.
enum Samples {
  static let findings: [any DeclaredFinding.Type] = [
    TagFinding.self, TempoFinding.self, FingerprintFinding.self, SignatureFinding.self,
  ]

  static let full: FileRecord = {
    var record = FileRecord(path: "/music/Ärger & Söhne/01 \"Go\", she said.flac", status: .partial)
    record.analyzed = Timestamp(nanoseconds: 1_700_000_100_987_654_321)
    record.problem = Problem(stage: .decode, code: "truncated", message: "The stream ends 3 s early.")
    record.remarks = [Problem(stage: .decode, code: "not_finite", message: "12 samples were not finite.")]
    record.contentID = ContentID(high: 0x0123_4567_89AB_CDEF, low: 42)
    record.sizeBytes = 34_580_098
    record.modified = Timestamp(nanoseconds: 1_700_000_000_123_456_789)
    record.format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: 44_100, channelCount: 2, bitDepth: 16, bitRate: 882_000,
      isLossless: true, claimedFrameCount: 17_274_852, frameCount: 17_142_552)
    record.tags = TagFinding(
      fields: [
        "title": ["Go"], "artist": ["Ä", "B / C"], "track": ["3"], "tracktotal": ["zwölf"], "compilation": ["1"],
        "genre": ["", "Jazz"], "bpm": ["126"], "rating": ["3.5"], "conductor": ["K"], "r128_track_gain": ["-512"],
        "other:MOOD": ["calm", "late, \"blue\""],
        "comment": ["two\nlines\u{0}\u{1F}"],
        "album": [""],
      ],
      pictures: [TagFinding.Picture(type: "front cover", mime: "image/jpeg", sizeBytes: 51_234)], hasLyrics: true,
      lyrics: [
        TagFinding.Lyrics(language: "deu", text: "[00:01]Ä\n\u{85}", lines: [.init(seconds: 1, text: "Ä")]),
        TagFinding.Lyrics(description: "plain", text: "la"),
      ],
      chapters: [
        TagFinding.Chapter(startSeconds: 0, endSeconds: 62.5, title: "One"), TagFinding.Chapter(startSeconds: 62.5),
      ],
      formats: ["vorbis"])
    record.tempo = TempoFinding(
      bpm: 126, confidence: 0.931_27, octaveConfidence: 0.5,
      candidates: [
        TempoFinding.Candidate(bpm: 126, weight: 0.81), TempoFinding.Candidate(bpm: 63.000_04, weight: 1 / 3.0),
      ],
      isStable: true, map: [TempoFinding.Section(startSeconds: 0, bpm: 126)], beats: [0.41, 0.886_19, 1e-7],
      metre: "4/4", downbeats: [0.41], onsets: TempoFinding.OnsetSummary(stepSeconds: 0.5, values: [0, 0.123_45]))
    record.fingerprint = FingerprintFinding(algorithm: "chromaprint-2", duration: 120, value: "AQAA-_")
    record.signature = SignatureFinding(version: 1, landmarkCount: 5231, data: [])
    record.otherFindings = [
      "mood": .object([
        "valence": .number(0.25), "n": .integer(3), "tags": .array([.string("<&>"), .null, .bool(true)]),
      ])
    ]
    record.analyzers = [
      AnalyzerIdentity(id: "tempo", version: 1, digest: "x"),
      AnalyzerIdentity(id: "chromaprint", version: 2, digest: "y"),
      AnalyzerIdentity(id: "key", version: 1, digest: "z"),
    ]
    record.analyzerProblems = [
      FileRecord.AnalyzerProblem(analyzer: "key", outcome: .notApplicable, message: "Too short.")
    ]
    return record
  }()

  static let bare = FileRecord(
    path: FilePath(bytes: Array("/music/bad\n".utf8) + [0xE9, 0xFF] + Array("\\xE9.mp3".utf8)), status: .failed,
    problem: Problem(stage: .decode, code: "corrupt", message: "The stream is damaged."))

  static let skipped = FileRecord(
    path: "/music/=cover.jpg", status: .skipped,
    problem: Problem(stage: .scan, code: "not_audio", message: "A picture."), sizeBytes: 0,
    modified: Timestamp(nanoseconds: -1), isVanished: true)

  static let noTempo: FileRecord = {
    var record = FileRecord(path: "/music/silence.wav", status: .ok)
    record.tempo = .none(reason: "silence")
    record.tempo?.confidence = .nan
    record.tempo?.map = [TempoFinding.Section(startSeconds: .infinity, bpm: -.infinity)]
    record.tags = TagFinding()
    return record
  }()

  /// Many records with or without everything shown in the columns of a page.
  static func sounding(_ count: Int) -> [FileRecord] {
    (0..<count).map { index in
      let number = Double(index)
      let hasTempo = index % 7 != 3
      var record = FileRecord(
        path: FilePath("/music/\(1000 + index / 10)/\(10 + index % 10) - Song \(index).flac"), status: .ok)
      record.sizeBytes = Int64(index * 123_457)
      record.format = full.format
      record.format?.frameCount = Int64(index) * 98_765
      record.tags = TagFinding(fields: ["date": ["\(1950 + index % 70)-01-02"]])
      if index % 5 != 0 { record.tags?.fields["title"] = ["Song \(index)"] }
      if index % 4 != 0 { record.tags?.fields["artist"] = ["Artist \(index % 17)", "Ä"] }
      if index % 3 != 0 { record.tags?.fields["album"] = ["Album \(index / 10)"] }
      record.tempo =
        hasTempo
        ? TempoFinding(
          bpm: 60 + number / 3, confidence: number.truncatingRemainder(dividingBy: 97) / 97, octaveConfidence: 0.5,
          candidates: [.init(bpm: 60 + number / 3, weight: 0.7), .init(bpm: 2 * (60 + number / 3), weight: 0.2)],
          isStable: index % 2 == 0, map: [], beats: [])
        : .none(reason: index % 2 == 0 ? "silence" : "no_pulse")
      if index % 6 != 0 {
        let key = MusicalKey(pitchClass: index % 12, mode: index % 5 == 0 ? .major : .minor)
        record.findings[KeyFinding.self] = KeyFinding(key: key, confidence: 0.7, candidates: [], map: [])
        record.findings[LoudnessFinding.self] = LoudnessFinding(
          integrated: -number / 7, range: number / 30, truePeak: 1 - number / 100)
        record.findings[TraitsFinding.self] = TraitsFinding(
          energy: number / 300, danceability: 1 - number / 300, speechiness: 0)
      }
      return record
    }
  }

  static let everything = ReportOptions(findings: findings, long: ["beats", "lyrics", "chapters"])

  static let all = [full, bare, skipped, noTempo]

  static let run = RunRecord(
    id: 3, started: Timestamp(nanoseconds: 1_700_000_000_000_000_000), state: .finished, exitStatus: 3,
    programVersion: "1.0", pipeline: "default", configuration: .object(["jobs": .integer(2)]),
    configurationDigest: "abc", analyzers: [AnalyzerIdentity(id: "tempo", version: 1, digest: "x")],
    roots: [RunRecord.Root(path: "/music", condition: .scanned), RunRecord.Root(path: "/nas", condition: .missing)],
    totals: RunTotals(analyzed: 1, partial: 6, cached: 2, failed: 3, skipped: 4, vanished: 5), newlyFailed: 1,
    newlyDamaged: 2)

  /// A report on some records, byte for byte.
  static func report(
    _ format: ReportFormat, _ records: [FileRecord] = all, options: ReportOptions = everything,
    run: RunRecord? = run
  ) throws -> Data {
    let folder = NSTemporaryDirectory() + "/nocturne-report-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/report.\(format.fileExtension)"
    let writer = try ReportWriter(
      format, to: .file(FilePath(path)), options: options, run: run, generated: Timestamp(nanoseconds: 0))
    for record in records { try writer.append(record) }
    try writer.finish()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }
}
