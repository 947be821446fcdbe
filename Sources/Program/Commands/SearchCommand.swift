import Analysis
import ArgumentParser
import Filters
import Foundation
internal import LibraryStore
import LibraryTasks
import Platform
import Records
import ResultStore
import SystemPackage
import Text

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find tracks, albums, artists, genres and files of the library",
    discussion: """
      All words must be there, in any order and case; accents do not count, and the last word may be incomplete. \
      Quotation marks, signs and operators have no meaning. Filter by tempo, key, year and so on with options, or with \
      --where as one expression; see docs/search.md. The exit status is 1 if nothing is found.
      """)

  @Argument(help: ArgumentHelp("Words to look for; none with filters alone", valueName: "word"))
  var words: [String] = []

  @Option(
    help: ArgumentHelp("Tracks that sound most like this file; filters narrow them; repeatable", valueName: "file"))
  var like: [PathArgument] = []

  @Option(
    name: .customLong("type"), parsing: .singleValue,
    help: ArgumentHelp("Type of results: tracks, albums, artists, genres, paths; repeatable", valueName: "type"),
    completion: .list(SearchSection.allCases.map(\.rawValue)))
  var types: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Order of tracks, such as bpm, or -added for descending; see man analyze", valueName: "field"),
    completion: .list(TrackOrder.Key.allCases.map(\.rawValue)))
  var sort: String?

  @Option(
    help: ArgumentHelp("Maximum number of each type (default: 10, or all with -l and -0)", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Skip this many results of each type", valueName: "n"))
  var offset = 0

  @Flag(help: "Print one JSON line; see analyze schema search")
  var json = false

  @Flag(help: "Print a JSON line for each hit; see analyze schema search-hit")
  var ndjson = false

  @Flag(name: [.customShort("l"), .customLong("paths")], help: "Print paths only, one per line")
  var printsPaths = false

  @Flag(name: [.customShort("0"), .long], help: "Print paths only, with a NUL after each")
  var null = false

  @OptionGroup(title: "Filters")
  var filters: FilterArguments

  @OptionGroup
  var database: DatabaseArgument

  private static let limits = 1...10_000_000
  private static let offsets = 0...10_000_000

  func validate() throws {
    if let limit, !Self.limits.contains(limit) {
      throw ValidationError("--limit expects 1 to \(Self.limits.upperBound), not \(limit).")
    }
    guard Self.offsets.contains(offset) else {
      throw ValidationError("--offset expects 0 to \(Self.offsets.upperBound), not \(offset).")
    }
    guard [json, ndjson, printsPaths, null].count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --json, --ndjson, --paths and --null.")
    }
    _ = try request()
    if !like.isEmpty { return try validateLikeness() }
    guard !words.isEmpty || filters.isGiven || sort != nil else {
      throw ValidationError(
        "Say what to look for: words, a filter such as --bpm 120..128, or an order such as --sort -added.")
    }
  }

  private func validateLikeness() throws {
    guard words.isEmpty, types.isEmpty, sort == nil, offset == 0, !ndjson else {
      throw ValidationError("--like can be combined with filters, --limit, --json, --paths and --null only.")
    }
    if let limit { try SimilarCommand.check(limit: limit) }
  }

  private func request() throws -> SearchRequest {
    SearchRequest(
      words.joined(separator: " "), filter: try filters.filter(), order: try order(), sections: try sections(),
      limit: limit ?? (printsPathsAlone ? Self.limits.upperBound : 10), offset: offset)
  }

  private var printsPathsAlone: Bool { printsPaths || null }

  private func sections() throws -> Set<SearchSection> {
    if types.isEmpty { return printsPathsAlone ? [.tracks, .paths] : Set(SearchSection.allCases) }
    var sections: Set<SearchSection> = []
    for name in types.flatMap({ $0.split(separator: ",").map(String.init) }) {
      // Singular names, as in `--type track`, are valid too.
      guard let section = SearchSection(rawValue: name) ?? SearchSection(rawValue: "\(name)s") else {
        let hint = Suggestion.hint(for: name, in: SearchSection.allCases.map(\.rawValue))
        throw ValidationError("--type: there is no '\(printable(name))'; \(hint)".sentence)
      }
      sections.insert(section)
    }
    return sections
  }

  private func order() throws -> TrackOrder? {
    do {
      return try sort.map { text throws(UnknownOrder) in try TrackOrder(parsing: text, columns: FindingColumn.known) }
    } catch {
      throw ValidationError("--sort: \(error)".sentence)
    }
  }

  func run() async throws {
    try await reportingErrors {
      if !like.isEmpty { return try findSimilar() }
      let request = try request()
      let store = try CommandSettings(database).openStoreForReading()
      let answer = try store.search(request)
      if json {
        try StandardOutput.write(SearchReport(answer, to: request).jsonLine)
      } else if ndjson {
        try StandardOutput.write(SearchReport(answer, to: request).ndjsonLines)
      } else if printsPathsAlone {
        try StandardOutput.write(pathList(Self.paths(answer)))
      } else {
        let text = SearchText(
          of: request.words, on: Terminal(STDOUT_FILENO), problems: try Self.problems(answer, store))
        try StandardOutput.writeLines(text.lines(for: answer))
      }
      if answer.isEmpty { throw ExitCode(1) }
    }
  }

  /// Prints the tracks that sound like the given files, as `similar` does.
  private func findSimilar() throws {
    let limit = limit ?? (printsPathsAlone ? SimilarTracks.limits.upperBound : 10)
    var isEmpty = true
    try forEachSimilar(to: like, CommandSettings(database), limit: limit, matching: filters.filter()) { answer in
      isEmpty = isEmpty && answer.tracks.isEmpty
      if json {
        try StandardOutput.write(answer.ndjsonLine)
      } else if printsPathsAlone {
        try StandardOutput.write(pathList(answer.tracks.map(\.record.path)))
      } else {
        try StandardOutput.writeLines(SimilarText.lines(for: answer))
      }
    }
    if isEmpty { throw ExitCode(1) }
  }

  /// Returns the original bytes of paths, and the URIs of objects, each followed by a line feed or a NUL.
  private func pathList(_ paths: [FilePath]) -> [UInt8] {
    paths.flatMap { ($0.isObject ? Array($0.uri.utf8) : $0.bytes) + [null ? 0 : UInt8(ascii: "\n")] }
  }

  /// The path of each file found, without repetitions.
  private static func paths(_ answer: SearchAnswer) -> [FilePath] {
    var seen: Set<Int64> = []
    return (answer.tracks.hits + answer.paths.hits).filter { seen.insert($0.fileID).inserted }.map(\.path)
  }

  /// The problems of tracks whose analysis failed or was incomplete, by file id.
  private static func problems(_ answer: SearchAnswer, _ store: ResultStore) throws -> [Int64: String] {
    var problems: [Int64: String] = [:]
    for row in answer.tracks.hits where row.status != .ok {
      problems[row.fileID] = try store.record(at: row.path)?.problem?.message
    }
    return problems
  }
}
