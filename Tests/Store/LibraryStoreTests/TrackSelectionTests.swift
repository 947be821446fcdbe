import Analysis
import AnalysisTesting
import Filters
import Foundation
import GRDB
import Library
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import LibraryStore
@testable import ResultStore

/// Filters as evaluated by the store.
@Suite(.bounded) struct TrackSelectionTests {
  /// Song of a made-up library: each value occurs, is missing, and lies on the edges of ranges.
  private struct Song {
    var path: FilePath
    var fields: [String: [String]]
    var bpm: Double?
    var confidence = 0.5
    var key: MusicalKey?
    var loudness: Double?
    var seconds: Double
    var codec: String
    var status = FileAnalysis.Status.ok
  }

  private static let songs: [Song] = {
    let artists = ["Björk", "Daft Punk", "Sigur Rós", "東京事変", "MØ", "Æther & Straße", "!!!", "Земфира", "ภาษาไทย"]
    let genres = [["Trance"], ["Drum & Bass", "Progressive Trance"], ["Rock"], [], ["House", "Techno"]]
    var songs: [Song] = []
    for index in 0..<120 {
      var fields = ["title": ["Song \(index)"], "genre": genres[index % 5]]
      if index % 7 != 0 { fields["artist"] = [artists[index % artists.count]] }
      if index % 3 == 0 { fields["album"] = ["Album \(index / 12)"] }
      if index % 4 != 1 { fields["date"] = ["\(1985 + index % 25)-03-01"] }
      if index % 6 == 0 { fields["isrc"] = ["XX1234567890"] }
      let key = index % 8 == 0 ? nil : MusicalKey.all[index % 24]
      songs.append(
        Song(
          path: FilePath("/music/\(index % 2 == 0 ? "a" : "a b")/\(index % 5)/\(index).flac"), fields: fields,
          bpm: index % 9 == 0 ? nil : 60 + Double(index), confidence: Double(index % 11) / 10, key: key,
          loudness: index % 10 == 0 ? nil : -20 + Double(index % 15), seconds: 60 + Double(index * 3),
          codec: index % 2 == 0 ? "flac" : "mp3", status: index % 13 == 0 ? .failed : index % 17 == 0 ? .partial : .ok))
    }
    return songs
  }()

  private static let findings: [any DeclaredFinding.Type] = ScannedLibrary.findings + [KeyFinding.self]

  private static func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try library.reopen(findings: findings)
    let extra = ["key", "loudness"].map { AnalyzerIdentity(id: $0, version: 1, digest: "") }
    library.wanted = ScannedLibrary.wanted(extra: extra)
    let byPath = Dictionary(uniqueKeysWithValues: songs.map { ($0.path, $0) })
    for song in songs { library.put(song.path) }
    try library.night { file in byPath[file.path].map { analysis(of: $0, by: extra) } }
    return library
  }

  private static func analysis(of song: Song, by extra: [AnalyzerIdentity]) -> FileAnalysis {
    let tags = AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(TagFinding(fields: song.fields)))
    let problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
    if song.status == .failed { return FileAnalysis(status: .failed, problem: problem, outcomes: [tags]) }
    var tempo = ScannedLibrary.tempoFinding(song.bpm ?? 100)
    tempo.bpm = song.bpm
    tempo.confidence = song.confidence
    var loudness = LoudnessFinding()
    loudness.integrated = song.loudness
    let candidates: [KeyFinding.Candidate] = []
    let key = KeyFinding(key: song.key, confidence: 0.5, candidates: candidates, map: [])
    let frames = Int64(song.seconds * 44_100)
    return FileAnalysis(
      status: song.status, problem: song.status == .ok ? nil : problem,
      contentID: ScannedLibrary.contentID(song.path.string),
      format: AudioFormat(
        container: song.codec, codec: song.codec, sampleRate: 44_100, channelCount: 2, bitDepth: nil, bitRate: nil,
        isLossless: song.codec == "flac", claimedFrameCount: frames, frameCount: frames),
      outcomes: [
        tags, AnalyzerOutcome(analyzer: ScannedLibrary.tempo, result: .finding(tempo)),
        AnalyzerOutcome(analyzer: extra[0], result: .finding(key)),
        AnalyzerOutcome(analyzer: extra[1], result: .finding(loudness)),
      ])
  }

  private static func analyzed<Value>(_ song: Song, _ value: Value?) -> Value? {
    song.status == .failed ? nil : value
  }

  /// Each filter, with its meaning expressed in another way.
  private static let cases: [(filter: String, matches: @Sendable (Song) -> Bool)] = [
    ("", { _ in true }),
    ("bpm:100..120", { analyzed($0, $0.bpm).map { (100...120).contains($0) } ?? false }),
    ("bpm:100", { analyzed($0, $0.bpm) == 100 }),
    ("bpm:150..", { analyzed($0, $0.bpm).map { $0 >= 150 } ?? false }),
    ("-bpm:150..", { analyzed($0, $0.bpm).map { $0 < 150 } ?? true }),
    (
      "bpm:80..85~",
      { song in
        analyzed(song, song.bpm).map { bpm in [0.5, 1, 2].contains { (80...85).contains(bpm * $0) } } ?? false
      }
    ),
    ("confidence:..0.5", { $0.status != .failed && $0.bpm != nil && $0.confidence <= 0.5 }),
    ("key:8A", { analyzed($0, $0.key)?.camelot == "8A" }),
    ("key:8A~", { ["8A", "8B", "7A", "9A"].contains(analyzed($0, $0.key)?.camelot) }),
    ("key:Am,C", { ["8A", "8B"].contains(analyzed($0, $0.key)?.camelot) }),
    ("lufs:-14..-9", { analyzed($0, $0.loudness).map { (-14 ... -9).contains($0) } ?? false }),
    (
      "year:1990..1999",
      { $0.fields["date"].flatMap { Int($0[0].prefix(4)) }.map { (1990...1999).contains($0) } ?? false }
    ),
    ("duration:3:00..5:00", { $0.status != .failed && (180...300).contains($0.seconds) }),
    ("codec:mp3", { $0.status != .failed && $0.codec == "mp3" }),
    ("lossless:yes", { $0.status != .failed && $0.codec == "flac" }),
    ("-lossless:yes", { $0.status == .failed || $0.codec != "flac" }),
    ("status:failed", { $0.status == .failed }),
    ("status:partial,ok", { $0.status != .failed }),
    ("missing:isrc", { $0.fields["isrc"] == nil }),
    ("missing:key", { analyzed($0, $0.key) == nil }),
    ("missing:bpm", { analyzed($0, $0.bpm) == nil }),
    ("missing:genre", { $0.fields["genre"]?.isEmpty ?? true }),
    ("missing:fingerprint -missing:year", { $0.fields["date"] != nil }),
    ("missing:likeness", { _ in true }),
    ("genre:trance", { $0.fields["genre"]?.contains { $0.contains("Trance") } ?? false }),
    ("genre:\"drum & bass\"", { $0.fields["genre"]?.contains("Drum & Bass") ?? false }),
    ("-genre:rock", { $0.fields["genre"]?.contains("Rock") != true }),
    ("genre:tech*", { $0.fields["genre"]?.contains("Techno") ?? false }),
    ("artist:bjork", { $0.fields["artist"] == ["Björk"] }),
    ("artist:\"sigur ros\"", { $0.fields["artist"] == ["Sigur Rós"] }),
    ("artist:\"ros sigur\"", { _ in false }),
    ("artist:事", { $0.fields["artist"] == ["東京事変"] }),
    ("artist:京事", { $0.fields["artist"] == ["東京事変"] }),
    ("artist:東事", { _ in false }),
    ("artist:ไทย", { $0.fields["artist"] == ["ภาษาไทย"] }),
    ("artist:mø", { $0.fields["artist"] == ["MØ"] }),
    ("artist:земф*", { $0.fields["artist"] == ["Земфира"] }),
    ("artist:!!!", { $0.fields["artist"] == ["!!!"] }),
    ("strasse", { $0.fields["artist"] == ["Æther & Straße"] }),
    ("title:7", { $0.fields["title"] == ["Song 7"] }),
    ("song trance", { $0.fields["genre"]?.contains { $0.contains("Trance") } ?? false }),
    ("album:\"album 1\"", { $0.fields["album"] == ["Album 1"] }),
    ("under:/music/a", { $0.path.string.hasPrefix("/music/a/") }),
    ("under:\"/music/a b/3\"", { $0.path.string.hasPrefix("/music/a b/3/") }),
    ("under:/music/a/0/0.flac", { $0.path == "/music/a/0/0.flac" }),
    ("path:12", { $0.path.stem == "12" }),
    ("added:1d", { _ in true }),
    ("-added:2020-01-01..2020-12-31", { _ in true }),
    (
      "(codec:mp3 OR key:8A) -status:failed", { $0.status != .failed && ($0.codec == "mp3" || $0.key?.camelot == "8A") }
    ),
    ("codec:flac codec:mp3", { _ in false }),
  ]

  @Test func everyFilterIsWhatItSays() throws {
    let library = try Self.library()
    for (text, matches) in Self.cases {
      let filter = try TrackFilter(parsing: text)
      let found = try library.store.tracks(matching: filter).map(\.path)
      let expected = Self.songs.filter(matches).map(\.path)
      #expect(Set(found) == Set(expected), "\(text)")
      #expect(try library.store.trackCount(matching: filter) == expected.count, "\(text)")
      #expect(try count(filter, in: library, fewTracks: 0) == expected.count, "\(text) by indexes alone")
    }
  }

  private func count(_ filter: TrackFilter, in library: ScannedLibrary, fewTracks: Int) throws -> Int {
    try library.store.read { db in
      try FilterEvaluation(db, tables: library.store.songs.tables, fewTracks: fewTracks).tracks(matching: filter)
        .count(ofAll: TrackSelection(db, tables: []).allCount())
    }
  }

  @Test func filesThatAreNoTracksAreNotFoundByPath() throws {
    let library = try Self.library()
    library.remove("/music/a/2/2.flac")
    library.put("/music/a/2/waiting.flac")
    let skipped = SkippedFile(path: "/music/a/cover.jpg", code: "not_audio", message: "A picture.")
    try library.night(skipping: [skipped]) { _ in nil }
    for fewTracks in [0, 1000] {
      for (text, expected) in [
        ("path:a", 119), ("path:2", 23), ("-path:music", 0), ("path:cover", 0), ("path:waiting", 0),
      ] {
        let filter = try TrackFilter(parsing: text)
        #expect(try count(filter, in: library, fewTracks: fewTracks) == expected, "\(text), \(fewTracks)")
      }
    }
  }

  /// Sorting depends on the value alone, whatever else is requested, and unknown values come last.
  @Test func orders() throws {
    let library = try Self.library()
    let filter = try TrackFilter(parsing: "-status:failed")
    for key in TrackOrder.Key.allCases {
      for isDescending in [false, true] {
        let order = TrackOrder(key, isDescending: isDescending)
        let rows = try library.store.tracks(matching: filter, order: order)
        let values = rows.map { Self.value(key, of: $0) }
        let known = values.compactMap(\.self)
        #expect(values.prefix(known.count).allSatisfy { $0 != nil }, "\(key)")
        let sorted = known.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(known == (isDescending ? sorted.reversed() : sorted), "\(key)")
        let page = try library.store.tracks(matching: filter, order: order, limit: 10, offset: 20)
        #expect(page == Array(rows[20..<30]))
      }
    }
  }

  /// Comparable; texts by their bytes.
  private static func value(_ key: TrackOrder.Key, of row: TrackRow) -> [UInt64]? {
    func number(_ value: Double?) -> [UInt64]? { value.map { [UInt64(($0 + 1000) * 1000)] } }
    func text(_ value: String?) -> [UInt64]? { value.map { $0.lowercased().utf8.map { UInt64($0) } } }
    return switch key {
    case .path: row.path.withBytes { $0.map { UInt64($0) } }
    case .artist: text(row.artist)
    case .title: text(row.title)
    case .album: text(row.album)
    case .year: number(row.year.map { Double($0) })
    case .bpm: number(row.bpm)
    case .confidence: number(row.confidence)
    case .key: number(row.key.map { Double($0.dropLast())! * 2 + ($0.hasSuffix("B") ? 1 : 0) })
    case .lufs: number(row.integratedLoudness)
    case .duration: number(row.durationSeconds)
    case .added: [UInt64(row.added.nanoseconds)]
    }
  }

  @Test func rowsSayWhatRecordsSay() throws {
    let library = try Self.library()
    let records = try library.records()
    let rows = try library.store.tracks(matching: .everything)
    #expect(rows.map(\.path) == records.map(\.path))
    for (row, record) in zip(rows, records) {
      #expect(row.contentID == record.contentID)
      #expect(row.artist == record.tags?.fields["artist"]?.joined(separator: " / "))
      #expect(row.genre == record.tags?.fields["genre"].flatMap { $0.isEmpty ? nil : $0.joined(separator: " / ") })
      #expect(row.bpm == record.tempo?.bpm)
      #expect(row.confidence == (record.tempo?.bpm == nil ? nil : record.tempo?.confidence))
      #expect(row.key == record.findings[KeyFinding.self]?.camelot)
      #expect(row.integratedLoudness == record.findings[LoudnessFinding.self]?.integrated)
      #expect(row.durationSeconds == record.format?.duration)
      #expect(row.codec == record.format?.codec)
      #expect(row.isLossless == record.format?.isLossless)
      #expect(row.status.rawValue == record.status.rawValue)
    }
  }

  /// Texts with a meaning for SQLite, or without any, are plain text.
  @Test func noWordIsAnError() throws {
    let library = try Self.library()
    let pieces = [
      "\"", "'", "*", "AND", "OR", "NOT", "NEAR(", "(", ")", ":", "-", "+", "^", "{", "}", "\0", "%", "_", ";", "--",
      "🎵",
      "東", "京", "и", "a", " ", "\\", "ß", "ø", "e\u{301}", "\u{FEFF}", "\u{202E}", "DROP TABLE song", "title :", "!!!",
      "ไ",
    ]
    var generator = SplitMix64.fresh()
    let fields: [TrackCondition.TextField] = [.anyName, .artist, .title, .album, .albumArtist, .genre, .path]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 1...6, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
        .joined()
      let words = FilterWords(text, isPrefix: .random(using: &generator))
      let condition = TrackFilter.Expression.condition(.text(fields.randomElement(using: &generator)!, words))
      do {
        _ = try library.store.trackCount(matching: TrackFilter(condition))
      } catch {
        Issue.record("\(text.debugDescription): \(error)")
      }
    }
    #expect(try library.store.check() == [])
  }

  // MARK: - Conditions that most tracks match

  /// Number ranges with open and closed ends. Tracks without the value never match, and match the negation.
  @Test func rangesThatMostTracksMatch() throws {
    let library = try Self.library()
    let all = Self.songs.count
    let known = Self.songs.compactMap { Self.analyzed($0, $0.bpm) }
    let ranges = [
      NumberRange(lower: 65, upper: nil), NumberRange(lower: 65, upper: nil, includesLower: false),
      NumberRange(lower: nil, upper: 175), NumberRange(lower: nil, upper: 175, includesUpper: false),
      NumberRange(lower: 65, upper: 175), NumberRange(lower: nil, upper: nil),
      NumberRange(lower: 65, upper: 175, includesLower: false, includesUpper: false),
      NumberRange(lower: 170, upper: 175, includesLower: false, includesUpper: false),
    ]
    #expect(known.contains(65) && known.contains(175))
    for range in ranges {
      let expected = known.count { bpm in
        let isAbove = range.lower.map { range.includesLower ? bpm >= $0 : bpm > $0 } ?? true
        let isBelow = range.upper.map { range.includesUpper ? bpm <= $0 : bpm < $0 } ?? true
        return isAbove && isBelow
      }
      let condition = TrackFilter.Expression.condition(.number(.bpm, range))
      for fewTracks in [0, 5000] {
        #expect(try count(TrackFilter(condition), in: library, fewTracks: fewTracks) == expected, "\(range)")
        let others = try count(TrackFilter(.not(condition)), in: library, fewTracks: fewTracks)
        #expect(others == all - expected, "not \(range)")
      }
    }
  }

  @Test func losslessTracksAreMost() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "c", "bad"] { library.put(FilePath("/music/\(name)")) }
    try library.night { $0.path == "/music/bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    for fewTracks in [0, 5000] {
      for (text, expected) in [
        ("lossless:yes", 3), ("lossless:no", 0), ("-lossless:yes", 1), ("-lossless:no", 4), ("problem:corrupt", 1),
        ("problem:truncated", 0), ("-problem:corrupt", 3),
      ] {
        let filter = try TrackFilter(parsing: text)
        #expect(try count(filter, in: library, fewTracks: fewTracks) == expected, "\(text), \(fewTracks)")
      }
    }
  }

  /// A range of times without ends contains every track; the end itself is outside.
  @Test func timesOfAddition() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    try library.night()
    let added = try #require(try library.store.tracks(matching: .everything).first).added.nanoseconds
    #expect(added > 0)
    for (since, until, expected) in [
      (nil, nil, 1), (added, nil, 1), (added + 1, nil, 0), (nil, added, 0), (nil, added + 1, 1),
      (added, added + 1, 1), (added, added, 0),
    ] as [(Int64?, Int64?, Int)] {
      let range = TimeRange(since: since.map { .absolute($0) }, until: until.map { .absolute($0) })
      let filter = TrackFilter(.condition(.added(range)))
      #expect(try library.store.trackCount(matching: filter) == expected, "\(range)")
    }
  }

  /// Findings that no analyzer of the library makes are missing everywhere.
  @Test func findingsThatTheDatabaseLacks() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    try library.night()
    let columns = FindingColumn.all(of: [TraitsFinding.self])
    for (text, expected) in [("traits_energy:none", 1), ("traits_energy:0..1", 0), ("-traits_energy:none", 0)] {
      let filter = try TrackFilter(parsing: text, columns: columns)
      #expect(try library.store.trackCount(matching: filter) == expected, "\(text)")
    }
    let order = try TrackOrder(parsing: "traits_energy", columns: columns)
    #expect(try library.store.tracks(matching: .everything, order: order).count == 1)
  }

  /// Names in scripts without spaces are found in paths as well, whatever the tags say.
  @Test func pathsWithoutSpaces() throws {
    let library = try ScannedLibrary()
    let tags = ["title": ["東京の夜"]]
    let files = ["/music/東京/a.flac", "/music/京東/b.flac", "/music/c.flac"].map {
      LibraryFile(path: FilePath($0), tags: tags)
    }
    try LibraryFiles(files).merge(into: library.store)
    func paths(_ filter: String) throws -> [String] {
      try library.store.paths(matching: TrackFilter(parsing: filter)).map(\.string)
    }
    #expect(try paths("path:東京") == ["/music/東京/a.flac"])
    #expect(try paths("title:東京").count == 3)
    #expect(try paths("path:京の") == [])
  }

  /// Every column of a row has a value of its own.
  @Test func everyColumnOfARow() throws {
    let library = try ScannedLibrary()
    try library.reopen(findings: ScannedLibrary.findings + [KeyFinding.self])
    var loudness = LoudnessFinding()
    loudness.integrated = -9.5
    var file = LibraryFile(
      path: "/music/a.flac",
      tags: [
        "title": ["T"], "artist": ["A"], "album": ["L"], "albumartist": ["B"], "genre": ["G"], "date": ["1999"],
      ])
    file.findings = [
      ("tempo", ScannedLibrary.tempoFinding(90)), ("loudness", loudness),
      ("key", KeyFinding(key: MusicalKey.all[0], confidence: 0.5, candidates: [], map: [])),
    ]
    try LibraryFiles([file]).merge(into: library.store)
    let row = try #require(try library.store.tracks(matching: .everything).first)
    #expect(row.fileID > 0 && row.path == file.path && row.contentID == file.contentID)
    #expect(row.title == "T" && row.artist == "A" && row.album == "L" && row.albumArtist == "B" && row.genre == "G")
    #expect(row.year == 1999 && row.bpm == 90 && row.confidence == ScannedLibrary.tempoFinding().confidence)
    #expect(row.key == MusicalKey.all[0].camelot && row.integratedLoudness == -9.5 && row.durationSeconds == 200)
    #expect(row.codec == "flac" && row.isLossless == true && row.status == .ok && !row.isLocked)
    #expect(row.added.nanoseconds > 0)
    try library.store.correctTempo([
      file.contentID: TempoCorrection(ScannedLibrary.tempoFinding(100), corrected: .now)
    ])
    let corrected = try #require(try library.store.tracks(matching: .everything).first)
    #expect(corrected.isLocked && corrected.bpm == 100 && corrected.confidence == 1)
  }
}
