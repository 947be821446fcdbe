public import Analysis
internal import GRDB
public import Platform

/// A person's decision about duplicates. Like a tempo correction, it belongs to the audio.
public struct DuplicateDecision: Hashable, Sendable {
  public enum Subject: Hashable, Sendable {
    /// Two similar files are not duplicates. Their content ids are in ascending order of their text.
    case distinct(ContentID, ContentID)
    /// This file is the one to keep in its group.
    case keep(ContentID)

    public static func distinctPair(_ one: ContentID, _ other: ContentID) -> Subject {
      one.description < other.description ? .distinct(one, other) : .distinct(other, one)
    }
  }

  public var subject: Subject
  public var decided: Timestamp

  public init(_ subject: Subject, decided: Timestamp) {
    self.subject = subject
    self.decided = decided
  }
}

extension ResultStore {
  /// Returns all decisions, in ascending order of the content ids.
  public func duplicateDecisions() throws(StoreError) -> [DuplicateDecision] {
    try read { db in
      let query = try Query(
        db, "SELECT first, second, decision, decided_ns FROM duplicate_decision ORDER BY first, second")
      var decisions: [DuplicateDecision] = []
      try query.forEachRow {
        guard let first = ContentID(query.text(0)) else { return }
        let decided = Timestamp(nanoseconds: query.integer(3))
        if query.text(2) == "keep" {
          decisions.append(DuplicateDecision(.keep(first), decided: decided))
        } else if let second = ContentID(query.text(1)) {
          decisions.append(DuplicateDecision(.distinct(first, second), decided: decided))
        }
      }
      return decisions
    }
  }

  /// Stores either all of the decisions or none. Of two decisions about the same audio, the newer one counts.
  /// - Returns: The number of decisions that are new or replaced older ones.
  @discardableResult
  public func decideDuplicates(_ decisions: [DuplicateDecision]) throws(StoreError) -> Int {
    try write { db in
      let present = try Query(db, "SELECT decided_ns FROM duplicate_decision WHERE first = ? AND second = ?")
      let set = try Query(
        db, "INSERT OR REPLACE INTO duplicate_decision (first, second, decision, decided_ns) VALUES (?, ?, ?, ?)")
      var count = 0
      for decision in decisions {
        let (first, second, word) = decision.subject.columns
        let known = try present.first(.text(first), .text(second)) { present.integer(0) }
        if let known, known >= decision.decided.nanoseconds { continue }
        try set.run(.text(first), .text(second), .text(word), .integer(decision.decided.nanoseconds))
        count += 1
      }
      return count
    }
  }

  /// Removes all decisions about some audio.
  /// - Returns: The number of decisions that were removed.
  public func forgetDuplicateDecisions(about audio: Set<ContentID>) throws(StoreError) -> Int {
    try write { db in
      let count = try Query(db, "SELECT count(*) FROM duplicate_decision WHERE first = ? OR second = ?")
      let forget = try Query(db, "DELETE FROM duplicate_decision WHERE first = ? OR second = ?")
      var total = 0
      for content in audio.sorted(by: { $0.description < $1.description }) {
        let id = SQLValue.text(content.description)
        total += try count.first(id, id) { Int(count.integer(0)) } ?? 0
        try forget.run(id, id)
      }
      return total
    }
  }
}

extension DuplicateDecision.Subject {
  fileprivate var columns: (first: String, second: String, decision: String) {
    switch self {
    case .distinct(let first, let second): (first.description, second.description, "distinct")
    case .keep(let content): (content.description, "", "keep")
    }
  }
}
