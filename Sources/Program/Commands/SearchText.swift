import AnalysisTasks
import Foundation
internal import LibraryStore
import Platform
import SystemPackage
import Text

/// The human-readable results of a search: a heading for each kind of result, followed by lines that fit the terminal,
/// with the search words in bold. A track's path and problem are on the lines below it. If standard output is not a
/// terminal, only names longer than `maxNameWidth` are cut, and the path is at the end of the line.
struct SearchText {
  private let match: WordMatch
  private let style: TextStyle
  private let problems: [Int64: String]
  /// Width of the terminal in columns; `nil` for lines of any length.
  private let width: Int?

  /// Maximum width of a name without a terminal, in columns.
  private static let maxNameWidth = 60
  /// Minimum width of a terminal that shows the albums of tracks, in columns.
  private static let wideTerminal = 110

  /// - Parameter problems: The problems of files, by their ids.
  init(of words: String, on terminal: Terminal, problems: [Int64: String]) {
    match = WordMatch(words)
    self.problems = problems
    style = terminal.style
    width = terminal.isInteractive ? max(40, terminal.width) : nil
  }

  func lines(for answer: SearchAnswer) -> [String] {
    var sections: [[String]] = []
    func add<Hit>(_ title: String, _ found: SearchHits<Hit>, _ lines: ([Hit]) -> [String]) {
      if found.hits.isEmpty { return }
      let count = (found.isCountExact ? "" : "more than ") + "\(found.count)"
      let shown = found.hits.count == found.count ? count : "\(found.hits.count) of \(count)"
      sections.append(["\(style.colored(title, .bold)) \(style.colored("(\(shown))", .faint))"] + lines(found.hits))
    }
    add("Tracks", answer.tracks, tracks)
    add("Albums", answer.albums, albums)
    add("Artists", answer.artists, names)
    add("Genres", answer.genres, names)
    add("Paths", answer.paths) { $0.map { "  \(path($0, indent: 2))" } }
    return answer.isEmpty ? ["Nothing was found."] : Array(sections.joined(separator: [""]))
  }

  // MARK: Tracks

  private func tracks(_ rows: [TrackRow]) -> [String] {
    let names = rows.map { Self.name(of: $0) }
    let albums = rows.map { $0.album.map(printable) ?? "" }
    let hasAlbums = width.map { $0 >= Self.wideTerminal } ?? false
    let facts = 24
    let albumWidth = hasAlbums ? min(36, albums.map(\.displayWidth).max() ?? 0) + 2 : 0
    let room = width.map { $0 - 2 - facts - albumWidth } ?? Self.maxNameWidth
    let nameWidth = min(names.map(\.displayWidth).max() ?? 0, room)
    return zip(rows, zip(names, albums)).flatMap { row, texts in
      var line = "  " + highlighted(texts.0.fitted(to: nameWidth)) + style.colored(Self.facts(of: row), .faint)
      if hasAlbums { line += "  " + highlighted(texts.1.fitted(to: albumWidth - 2)) }
      if width == nil { line += "  " + printable(DisplayPath.text(of: row.path)) }
      var lines = [line]
      if width != nil { lines.append("    " + style.colored(path(row, indent: 4), .faint)) }
      if let problem = problems[row.fileID] { lines.append("    " + style.colored(printable(problem), .red)) }
      return lines
    }
  }

  private static func name(of row: TrackRow) -> String {
    let title = row.title ?? row.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } ?? ""
    return printable(row.artist.map { "\($0) - \(title)" } ?? title)
  }

  /// Tempo, key, duration and year, in 24 columns.
  private static func facts(of row: TrackRow) -> String {
    func column(_ text: String?, _ width: Int) -> String {
      let text = text ?? "–"
      return String(repeating: " ", count: max(1, width - text.count)) + text
    }
    return column(row.bpm.map { String(format: "%.1f", $0) }, 7) + column(row.key, 4)
      + column(row.durationSeconds.map { clockText($0) }, 8) + column(row.year.map(String.init), 5)
  }

  // MARK: Names

  private func albums(_ albums: [SearchAnswer.Album]) -> [String] {
    table(
      albums.map { album in
        (
          printable(album.title + (album.artist.map { " - \($0)" } ?? "")),
          (album.year.map { "\($0), " } ?? "") + counted(album.trackCount, "track")
        )
      })
  }

  private func names(_ names: [SearchAnswer.Name]) -> [String] {
    table(names.map { (printable($0.name), counted($0.trackCount, "track")) })
  }

  private func table(_ rows: [(name: String, fact: String)]) -> [String] {
    let facts = rows.map(\.fact.count).max() ?? 0
    let room = width.map { $0 - 4 - facts } ?? Self.maxNameWidth
    let nameWidth = min(rows.map(\.name.displayWidth).max() ?? 0, room)
    return rows.map { "  \(highlighted($0.name.fitted(to: nameWidth)))  \(style.colored($0.fact, .faint))" }
  }

  /// The path, or its end if it does not fit.
  private func path(_ row: TrackRow, indent: Int) -> String {
    var path = printable(DisplayPath.text(of: row.path))
    if let width, path.displayWidth > width - indent {
      while path.displayWidth > width - indent - 1 { path.removeFirst() }
      path = "…" + path
    }
    return highlighted(path)
  }

  private func highlighted(_ text: String) -> String {
    guard style.hasColor else { return text }
    var shown = ""
    var end = text.startIndex
    for range in match.ranges(in: text) {
      shown += text[end..<range.lowerBound] + style.colored(String(text[range]), .bold)
      end = range.upperBound
    }
    return shown + text[end...]
  }
}
