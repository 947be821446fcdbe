// Times searches in one process: time-searches DATABASE < QUERIES
//
// Each line of QUERIES is words, filter, order and sections (with commas), with tabs between. Prints milliseconds of each
// query, a line each: in the first round, and the better of two rounds after it.
import Filters
internal import LibraryStore
import ResultStore
import SystemPackage

let store = try ResultStore(path: FilePath(CommandLine.arguments[1]), findings: [], access: .readOnly)
var requests: [SearchRequest] = []
while let line = readLine() {
  let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
  let isDescending = parts[2].hasPrefix("-")
  let order = TrackOrder.Key(rawValue: isDescending ? String(parts[2].dropFirst()) : parts[2])
  let sections = Set(parts[3].split(separator: ",").compactMap { SearchSection(rawValue: String($0)) })
  requests.append(
    SearchRequest(
      parts[0], filter: try TrackFilter(parsing: parts[1]),
      order: order.map { TrackOrder($0, isDescending: isDescending) },
      sections: sections.isEmpty ? Set(SearchSection.allCases) : sections, limit: 10))
}

func milliseconds(_ request: SearchRequest) throws -> Double {
  let time = try ContinuousClock().measure { _ = try store.search(request) }
  return Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) * 1e-15
}

let first = try requests.map(milliseconds)
let rounds = try (0..<2).map { _ in try requests.map(milliseconds) }
for (index, time) in first.enumerated() { print(time, min(rounds[0][index], rounds[1][index]), separator: "\t") }
