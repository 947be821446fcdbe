internal import Analysis
internal import LibraryStore
package import Platform
package import ResultStore
internal import SystemPackage
internal import Text

/// A table of decisions about duplicates in CSV: a header, followed by a row for each decision.
package enum DuplicateDecisionTable {
  private static let columns = ["decision", "content_id", "other_content_id", "decided_at", "path", "other_path"]

  /// A problem with a table or a row.
  package struct ReadingError: Error, CustomStringConvertible {
    package var description: String
  }

  package struct Outcome: Hashable, Sendable {
    package var readCount = 0
    package var setCount = 0
    /// A message, with the line number, for each row that could not be read.
    package var unreadable: [String] = []
  }

  /// Identifies a file of decisions.
  package static let proof = OriginProof.head(orElse: "does not start with the header of a decisions table") {
    $0.starts(with: header)
  }

  private static var header: [UInt8] {
    var csv = CSVWriter(guardsFormulas: true)
    for column in columns { csv.text(column) }
    csv.endRow()
    return csv.bytes
  }

  /// Returns the table of all decisions in a database. The columns with paths are only informative and are not read
  /// back.
  package static func bytes(of store: ResultStore) throws(StoreError) -> [UInt8] {
    let decisions = try store.duplicateDecisions()
    var csv = CSVWriter(guardsFormulas: true)
    let paths = try store.paths(ofAudio: Set(decisions.flatMap(\.subject.contents)))
    for decision in decisions {
      let contents = decision.subject.contents
      csv.text(contents.count == 1 ? "keep" : "distinct")
      csv.text(contents[0].description)
      if contents.count > 1 { csv.text(contents[1].description) } else { csv.empty() }
      csv.text(decision.decided.description)
      for content in contents {
        if let path = paths[content] { csv.text(DisplayPath.text(of: path)) } else { csv.empty() }
      }
      if contents.count == 1 { csv.empty() }
      csv.endRow()
    }
    return header + csv.bytes
  }

  /// Imports the readable decisions of a table in one transaction. Of two decisions about the same audio, the newer one
  /// counts.
  /// - Throws: `ReadingError` if the bytes are not a table of decisions, in which case nothing was set, or
  ///   `StoreError`.
  package static func read(_ bytes: [UInt8], into store: ResultStore, now: Timestamp = .now) throws -> Outcome {
    let rows: [CSVReader.Row]
    do {
      rows = try CSVReader.rows(of: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw ReadingError(description: "the quotation mark in line \(error.line) is never closed")
    }
    guard let first = rows.first, let layout = Layout(first.cells) else {
      throw ReadingError(description: "its first line must have the columns decision and content_id")
    }
    var outcome = Outcome()
    var decisions: [DuplicateDecision] = []
    for row in rows.dropFirst() {
      do throws(ReadingError) {
        decisions.append(try layout.decision(row.cells, now: now))
      } catch {
        outcome.unreadable.append("line \(row.line) was left out: \(error.description)")
      }
    }
    outcome.readCount = decisions.count
    outcome.setCount = try store.decideDuplicates(decisions)
    return outcome
  }

  private struct Layout {
    private var places: [String: Int] = [:]

    init?(_ header: [String]) {
      for (place, name) in header.enumerated() where places[name] == nil { places[name] = place }
      guard places["decision"] != nil, places["content_id"] != nil else { return nil }
    }

    private func cell(_ name: String, _ row: [String]) -> String? {
      guard let place = places[name], row.indices.contains(place), !row[place].isEmpty else { return nil }
      return FormulaGuard.removed(from: row[place])
    }

    func decision(_ row: [String], now: Timestamp) throws(ReadingError) -> DuplicateDecision {
      guard let content = cell("content_id", row).flatMap({ ContentID($0) }) else {
        throw ReadingError(description: "it has no content_id of 22 letters and digits")
      }
      var decided = now
      if let text = cell("decided_at", row) {
        guard let time = Timestamp(rfc3339: text) else {
          throw ReadingError(description: "decided_at is not a time such as 2026-11-21T04:15:04Z")
        }
        decided = time
      }
      switch cell("decision", row) {
      case "keep": return DuplicateDecision(.keep(content), decided: decided)
      case "distinct":
        guard let other = cell("other_content_id", row).flatMap({ ContentID($0) }), other != content else {
          throw ReadingError(description: "distinct needs another recording as other_content_id")
        }
        return DuplicateDecision(.distinctPair(content, other), decided: decided)
      default: throw ReadingError(description: "decision is not keep or distinct")
      }
    }
  }
}

extension DuplicateDecision.Subject {
  var contents: [ContentID] {
    switch self {
    case .distinct(let one, let other): [one, other]
    case .keep(let content): [content]
    }
  }
}
