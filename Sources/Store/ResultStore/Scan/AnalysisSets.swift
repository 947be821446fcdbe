internal import Analysis
internal import GRDB
internal import Synchronization

/// One analyzer's outcome for a file, as a member of an analysis set.
struct AnalysisSetMember: Hashable {
  var identity: AnalyzerIdentity
  var readsAudio: Bool
  var outcome: StoredOutcome
}

/// The outcome of an analyzer, as stored in `analysis.outcome`.
enum StoredOutcome: String {
  case ok
  case notApplicable = "not_applicable"
  case failed

  /// Suffix of the id in `analysis_set.members`.
  var mark: String {
    switch self {
    case .ok: ""
    case .notApplicable: "~"
    case .failed: "!"
    }
  }
}

/// The analysis sets of a database, by id. A set never changes, and the number of sets does not grow with the library.
final class AnalysisSets: Sendable {
  private let known = Mutex<[Int64: [AnalysisSetMember]]>([:])

  /// Returns the members of a set written by a committed transaction; empty for `nil`.
  func members(of id: Int64?, in db: Database) throws -> [AnalysisSetMember] {
    guard let id else { return [] }
    if let members = known.withLock({ $0[id] }) { return members }
    let members = try Self.read(id, in: db)
    known.withLock { $0[id] = members }
    return members
  }

  private static func read(_ id: Int64, in db: Database) throws -> [AnalysisSetMember] {
    let set = try Query(db, "SELECT members FROM analysis_set WHERE id = ?")
    let list = try set.first(.integer(id)) { set.text(0) } ?? ""
    let analyzer = try Query(db, "SELECT name, version, digest, reads_audio FROM analyzer WHERE id = ?")
    var members: [AnalysisSetMember] = []
    for item in list.split(separator: ",") {
      let outcome: StoredOutcome = item.hasSuffix("!") ? .failed : item.hasSuffix("~") ? .notApplicable : .ok
      guard let id = Int64(outcome == .ok ? item : item.dropLast()) else { continue }
      try analyzer.forEachRow(.integer(id)) {
        let identity = AnalyzerIdentity(
          id: analyzer.text(0), version: Int(analyzer.integer(1)), digest: analyzer.text(2))
        members.append(AnalysisSetMember(identity: identity, readsAudio: analyzer.flag(3), outcome: outcome))
      }
    }
    return members.sorted { $0.identity.id < $1.identity.id }
  }

  /// Returns the id of the set with these members, and creates the set if needed; `nil` if there are no members.
  static func id(ofMembers members: [(analyzer: Int64, outcome: StoredOutcome)], in db: Database) throws -> Int64? {
    guard !members.isEmpty else { return nil }
    let list = members.sorted { $0.analyzer < $1.analyzer }.map { "\($0.analyzer)\($0.outcome.mark)" }
      .joined(separator: ",")
    let select = try Query(db, "SELECT id FROM analysis_set WHERE members = ?")
    if let id = try select.first(.text(list), body: { select.integer(0) }) { return id }
    try Query(db, "INSERT INTO analysis_set (members) VALUES (?)").run(.text(list))
    return db.lastInsertedRowID
  }
}
