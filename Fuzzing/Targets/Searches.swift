import Filters
import GRDB
import LibraryStore
import SystemPackage

@testable import ResultStore

/// Filters and searches as people type them: the first line of an input is the expression of `--where`, the rest is what is
/// looked for.
struct SearchTarget: FuzzTarget {
  static let name = "searches"

  private let folder: ScratchFolder
  private let store: ResultStore
  private let all: Set<Int64>

  static func seeds() -> [[UInt8]] {
    [
      "genre:trance bpm:120..128 (key:8A~ OR lossless:yes) -status:failed\nlumine li",
      "bpm:80..90~ -genre:\"drum & bass\" title:\"first li\"*\n", "year:..1999 duration:3:00..5:00,10m.. lufs:-14..-9\n東京",
      "missing:isrc,beats,key added:2026-11-01.. NOT (path:music AND locked:yes)\n\"AND\" OR * NEAR( -x: ^a",
      "under:/music/b codec:flac,mp3 confidence:..0.5 artist:京\n!!!", "added:7d status:ok 夜\n' ; DROP TABLE song --",
      "key:Am,\"C# minor\",1m -lossless:no albumartist:x album:y\nstraße björk",
    ].map { Array($0.utf8) }
  }

  init() throws {
    folder = try ScratchFolder()
    store = try SampleStore(at: folder.path.appending("searches.sqlite")).store
    try Self.fill(store)
    all = Set(try store.tracks(matching: .everything).map(\.fileID))
  }

  /// Tracks with and without each value, beside the one that the sample has, and files that are no tracks.
  private static func fill(_ store: ResultStore) throws {
    let names: [[String?]] = [
      ["Lumine", "First Light", "Dawn", "Lumine", "Trance"], ["Lumine", "Second Light", "Dawn", nil, "Trance / House"],
      ["東京事変", "夜明けのうた", "教育", nil, nil], ["MØ", "Straße", "Größe", nil, "Drum & Bass"], ["!!!", "AND", nil, nil, nil],
      [nil, nil, nil, nil, nil], ["Björk", "Jóga", "Homogenic", "Björk", "Pop"], ["a", "a", "a", "a", "a"],
    ]
    try store.pool.write { db in
      for (index, names) in names.enumerated() {
        let id = Int64(10 + index)
        let path = "/music/\(index % 2 == 0 ? "a" : "b")/\(names[1] ?? "untitled") \(index).flac"
        try db.execute(
          sql: """
            INSERT INTO file (id, path, display_path, size_bytes, mtime_ns, status, first_seen_run, vanished_run)
            VALUES (?, cast(? AS BLOB), ?, 1, 1, 'ok', 1, ?)
            """, arguments: [id, path, path, index == 7 ? 1 : nil])
        if index == 7 { continue }
        try db.execute(
          sql: """
            INSERT INTO song (id, artist, title, album, album_artist, genre, variants, year, bpm, confidence, locked, key, lufs,
              duration_s, codec, lossless, status, added_ns)
            VALUES (?, ?, ?, ?, ?, ?, name_variants(?, ?, ?, ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: StatementArguments(
            [id] + names.map { $0 as (any DatabaseValueConvertible)? } + [
              names[1] != nil, names[0], names[1], path, index % 3 == 0 ? nil : 1990 + index,
              index % 4 == 0 ? nil : 60.0 + 20 * Double(index), index % 4 == 0 ? nil : 0.1 * Double(index), index == 2,
              index % 2 == 0 ? nil : "\(index + 1)A", index % 3 == 1 ? nil : -14.5 + Double(index), 60.5 * Double(index),
              ["flac", "mp3", nil][index % 3], [true, false, nil][index % 3], ["ok", "partial", "failed"][index % 3],
              1_790_000_000_000_000_000 + Int64(index) * 86_400_000_000_000,
            ]))
      }
      try db.execute(sql: "DELETE FROM song_change")
    }
  }

  func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = lines.count > 1 ? String(lines[1]) : ""
    do {
      try check(TrackFilter(parsing: String(lines[0])), words)
    } catch let error as FilterSyntaxError {
      require(!error.reason.isEmpty, "an error has a reason")
      require((error.position ?? 1) >= 1 && (error.position ?? 1) <= text.count + 1, "\(error) is in the text")
      try check(.everything, words)
    } catch {
      fatalError("no filter and no words are an error: \(error)")
    }
  }

  private func check(_ filter: TrackFilter, _ words: String) throws {
    let rest = TrackFilter(.not(filter.expression))
    let found = try tracks(matching: filter)
    require(try tracks(matching: rest) == all.subtracting(found), "a filter and its negation divide the tracks")
    require(try tracks(matching: filter.and(rest)).isEmpty, "a filter and its negation have nothing in common")
    require(try store.trackCount(matching: filter) == found.count, "tracks are counted as they are found")
    let hits = try self.hits(words, .everything)
    require(try self.hits(words, filter) == hits.intersection(found), "a filter takes away from what words find")
    for order in TrackOrder.Key.allCases {
      let sorted = try store.search(SearchRequest(words, filter: filter, order: TrackOrder(order), sections: [.tracks]))
      require(Set(sorted.tracks.hits.map(\.fileID)) == hits.intersection(found), "orders have the same tracks")
    }
  }

  private func tracks(matching filter: TrackFilter) throws -> Set<Int64> {
    let tracks = try store.tracks(matching: filter).map(\.fileID)
    require(Set(tracks).count == tracks.count, "each track is found once")
    return Set(tracks)
  }

  private func hits(_ words: String, _ filter: TrackFilter) throws -> Set<Int64> {
    let answer = try store.search(SearchRequest(words, filter: filter, limit: 100))
    require(answer.tracks.count == answer.tracks.hits.count, "tracks are counted as they are found")
    return Set(answer.tracks.hits.map(\.fileID))
  }
}
