import ArgumentParser
import Filters
internal import LibraryTasks
import Platform

/// Options that select tracks: one for each common filter, and `--where`, which combines any filters in one expression.
struct FilterArguments: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Tracks that match an expression, such as 'genre:trance bpm:120..128'", valueName: "filter"))
  var expression: String?

  @Option(help: ArgumentHelp("Tempo: 128, 120..128, 120.. or ..90", valueName: "range"))
  var bpm: String?

  @Flag(help: "With --bpm: count half and double the tempo as well")
  var octaves = false

  @Option(help: ArgumentHelp("Confidence of the tempo, 0 to 1, such as ..0.5", valueName: "range"))
  var confidence: String?

  @Option(
    help: ArgumentHelp("Keys: 8A, Am, 8A,9A; 8A~ for all that mix with it", valueName: "keys"))
  var key: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Loudness of the track in LUFS, such as -14..-9", valueName: "range"))
  var lufs: String?

  @Option(help: ArgumentHelp("Year of the release, such as 1990..1999", valueName: "range"))
  var year: String?

  @Option(help: ArgumentHelp("Words in the genre", valueName: "words"))
  var genre: String?

  @Option(help: ArgumentHelp("Words in the name of the artist", valueName: "words"))
  var artist: String?

  @Option(help: ArgumentHelp("Words in the title of the album", valueName: "words"))
  var album: String?

  @Option(help: ArgumentHelp("Length, such as 3:00..5:00", valueName: "range"))
  var duration: String?

  @Option(help: ArgumentHelp("Codecs, such as flac or mp3,aac", valueName: "codecs"))
  var codec: String?

  @Flag(inversion: .prefixedNo, help: "Only lossless files, or only lossy ones")
  var lossless: Bool?

  @Option(help: ArgumentHelp("Tracks without this tag or finding, such as isrc or key; repeatable", valueName: "name"))
  var missing: [String] = []

  @Option(help: ArgumentHelp("Files added since a date or within an age: 2026-11-01, 7d", valueName: "time"))
  var addedSince: String?

  @Option(
    help: ArgumentHelp("Files with this status: ok, partial or failed", valueName: "status"),
    completion: .list(TrackCondition.Status.allCases.map(\.rawValue)))
  var status: String?

  @Option(help: ArgumentHelp("Files with this problem, such as changed_silently", valueName: "code"))
  var problem: String?

  @Option(
    name: .customLong("under"),
    help: ArgumentHelp("Files at or below this path; repeatable", valueName: "path"))
  var folders: [PathArgument] = []

  /// `true` if any filter was given.
  var isGiven: Bool {
    expression != nil || lossless != nil || !missing.isEmpty || !folders.isEmpty || !values.isEmpty
  }

  /// The combination of all filters.
  /// - Throws: `ValidationError`, which names the option.
  func filter() throws -> TrackFilter {
    guard !octaves || bpm != nil else { throw ValidationError("--octaves needs --bpm.") }
    var filter = try Self.naming("--where") { () throws(FilterSyntaxError) in
      try TrackFilter(parsing: expression ?? "", columns: FindingColumn.known)
    }
    for (option, field, value) in values {
      filter = filter.and(
        try Self.naming(option) { () throws(FilterSyntaxError) in try TrackFilter(field: field, values: value) })
    }
    for name in missing {
      filter = filter.and(
        try Self.naming("--missing") { () throws(FilterSyntaxError) in try TrackFilter(field: .missing, values: name) })
    }
    if let lossless { filter = filter.and(TrackFilter(.condition(.isLossless(lossless)))) }
    if !folders.isEmpty { filter = filter.and(TrackFilter(.any(folders.map { .condition(.under($0.path)) }))) }
    return filter
  }

  /// The given options that take one value, with the field that each filters by.
  private var values: [(option: String, field: FilterField, value: String)] {
    let given: [(String, FilterField, String?)] = [
      ("--bpm", .bpm, bpm.map { octaves && !$0.hasSuffix("~") ? "\($0)~" : $0 }),
      ("--confidence", .confidence, confidence),
      ("--key", .key, key), ("--lufs", .lufs, lufs), ("--year", .year, year), ("--genre", .genre, genre),
      ("--artist", .artist, artist), ("--album", .album, album), ("--duration", .duration, duration),
      ("--codec", .codec, codec), ("--status", .status, status), ("--problem", .problem, problem),
      // A date means that day and all later days.
      ("--added-since", .added, addedSince.map { $0.contains("-") && !$0.contains("..") ? "\($0).." : $0 }),
    ]
    return given.compactMap { option, field, value in value.map { (option, field, $0) } }
  }

  private static func naming(_ option: String, _ make: () throws(FilterSyntaxError) -> TrackFilter) throws
    -> TrackFilter
  {
    do {
      return try make()
    } catch {
      throw ValidationError("\(option): \(error)")
    }
  }
}
