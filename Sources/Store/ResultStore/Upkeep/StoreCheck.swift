internal import Analysis
internal import GRDB
internal import Platform
internal import SystemPackage
internal import Text

extension ResultStore {
  /// Looks for states that should be impossible: damage to the file, inconsistent rows, a song catalog that disagrees
  /// with the rows, totals of the last run that disagree with its files, or gaps in playlists. The check reads the
  /// whole database.
  /// - Returns: One line for each kind of problem, which says what is wrong, how often, and what to do; empty if there
  ///   is none.
  public func check() throws(StoreError) -> [String] {
    let damage = try checkIntegrity()
    // In a damaged file, other problems would be noise.
    guard damage.isEmpty else {
      return damage.map {
        "\($0); restore a backup, or save what can be read with `sqlite3 FILE .recover | sqlite3 NEW`"
      }
    }
    var complaints = try checkWordIndex()
    complaints += try read { db in
      try StoreCheck.rows(self, db) + StoreCheck.searchCatalog(self, db) + StoreCheck.lastRun(db)
        + PlaylistTables.check(db)
    }
    return complaints
  }

  /// Compares the words in the full-text indexes with the rows. The comparison requires a writable connection; without
  /// one, it is skipped.
  private func checkWordIndex() throws(StoreError) -> [String] {
    var complaints: [String] = []
    for table in SongCatalog.fullTextTables {
      do {
        try write { db in
          try db.execute(sql: "INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
      } catch .corrupt {
        complaints.append("search index: the words of \(table) differ from the rows; \(StoreCheck.repair)")
      } catch .readOnly {
        return []
      }
    }
    return complaints
  }

  /// Rebuilds the song catalog and the full-text indexes from the rows of files and findings.
  public func rebuildSearchIndex() throws(StoreError) {
    try write { db in try songs.rebuild(db) }
  }
}

enum StoreCheck {
  static let repair = "`analyze doctor --repair` rebuilds it"
  private static let again = "`analyze --force` on them fixes it"

  /// Checks for inconsistent rows. Each has a description and a condition that is true for a file `f` with the problem.
  private static let conditions: [(what: String, sql: String)] = [
    (
      "analyzed without a format",
      "f.status IN ('ok', 'partial') AND NOT EXISTS (SELECT 1 FROM format m WHERE m.file = f.id)"
    ),
    (
      "failed or partial without a reason",
      "f.status IN ('failed', 'partial') AND NOT EXISTS (SELECT 1 FROM failure e WHERE e.file = f.id)"
    ),
    ("intact, but recorded as failed", "f.status = 'ok' AND EXISTS (SELECT 1 FROM failure e WHERE e.file = f.id)"),
    (
      "with outcomes that differ from analysis_set",
      """
      f.status IS NOT NULL AND coalesce((SELECT members FROM analysis_set s WHERE s.id = f.analysis_set), '') <>
        coalesce((SELECT group_concat(member, ',') FROM (
          SELECT a.analyzer || CASE a.outcome WHEN 'ok' THEN '' WHEN 'failed' THEN '!' ELSE '~' END AS member
          FROM analysis a WHERE a.file = f.id ORDER BY a.analyzer)), '')
      """
    ),
  ]

  /// Returns checks for findings that are missing from one of their tables, and for findings without a recorded
  /// analysis.
  private static func conditions(of findings: [FindingTables]) -> [(what: String, sql: String)] {
    let cases = findings.map { finding in
      let tables = finding.tables.filter { $0.key == .file }.map(\.name)
      let joined = tables.dropFirst().map { " JOIN \($0) USING (file)" }.joined()
      return "WHEN '\(finding.analyzer)' THEN NOT EXISTS (SELECT 1 FROM \(tables[0]) x\(joined) WHERE x.file = f.id)"
    }
    let places = findings.map { (table: $0.main, analyzer: "'\($0.analyzer)'") }
    return [
      (
        "with an analyzer whose finding is missing",
        """
        EXISTS (SELECT 1 FROM analysis a JOIN analyzer n ON n.id = a.analyzer
          WHERE a.file = f.id AND a.outcome = 'ok'
          AND NOT EXISTS (SELECT 1 FROM finding x WHERE x.file = f.id AND x.analyzer = n.name)
          AND CASE n.name \(cases.joined(separator: " ")) ELSE 1 END)
        """
      ),
      (
        "with findings without an analysis on record",
        (places + [(table: "finding", analyzer: "x.analyzer")]).map { table, analyzer in
          """
          EXISTS (SELECT 1 FROM \(table) x WHERE x.file = f.id AND NOT EXISTS (
            SELECT 1 FROM analysis a JOIN analyzer n ON n.id = a.analyzer
            WHERE a.file = f.id AND a.outcome = 'ok' AND n.name = \(analyzer)))
          """
        }.joined(separator: " OR ")
      ),
    ]
  }

  static func rows(_ store: ResultStore, _ db: Database) throws -> [String] {
    // A read-only database may be older than a declaration.
    let findings = store.findings.tables.filter { $0.tables.allSatisfy { store.existing.has($0.name) } }
    return try (conditions + conditions(of: findings)).compactMap { condition in
      let select = try Query(db, "SELECT count(*), min(f.display_path) FROM file f WHERE \(condition.sql)")
      let found = try select.first { (count: select.integer(0), example: select.text(1)) }
      guard let found, found.count > 0 else { return nil }
      return "\(counted(found.count, "file")) \(condition.what), such as \(found.example); \(again)"
    }
  }

  static func searchCatalog(_ store: ResultStore, _ db: Database) throws -> [String] {
    if let (count, example) = try store.songs.wrongRows(db) {
      return [
        "song catalog: \(counted(count, "row")) of song differing from the findings, such as \(example); \(repair)"
      ]
    }
    return try SongTables(db).wrongRows().map { table, count in
      "song catalog: \(counted(count, "row")) of \(table) differing from the rows of song; \(repair)"
    }
  }

  /// Checks the totals of the last run only, because later runs may have changed the files of earlier ones.
  static func lastRun(_ db: Database) throws -> [String] {
    let select = try Query(
      db,
      """
      WITH verdict AS (
        SELECT f.analyzed_run AS run, iif(e.stage = 'verify', 'ok', f.status) AS status
        FROM file f LEFT JOIN failure e ON e.file = f.id)
      SELECT r.id, r.analyzed, (SELECT count(*) FROM verdict WHERE run = r.id AND status = 'ok'),
        r.partial, (SELECT count(*) FROM verdict WHERE run = r.id AND status = 'partial'),
        r.failed, (SELECT count(*) FROM file WHERE analyzed_run = r.id AND status = 'failed'),
        r.newly_failed, (SELECT count(*) FROM failure e JOIN file f ON f.id = e.file
          WHERE e.first_failed_run = r.id AND f.status = 'failed'),
        r.vanished, (SELECT count(*) FROM file WHERE vanished_run = r.id)
      FROM run r WHERE r.id = (SELECT max(id) FROM run) AND r.state IN ('finished', 'interrupted')
      """)
    return try select.first {
      var complaints: [String] = []
      func compare(_ what: String, _ column: Int32, _ isRight: (Int64, Int64) -> Bool) {
        let (total, rows) = (select.integer(column), select.integer(column + 1))
        guard !isRight(total, rows) else { return }
        complaints.append(
          "run \(select.integer(0)) says that \(counted(total, "file")) \(total == 1 ? "was" : "were") \(what), but "
            + "the rows say \(rows); the next run recounts them"
        )
      }
      compare("analyzed", 1, ==)
      compare("found damaged", 3, ==)
      // The total includes known failures that were skipped.
      compare("failed", 5, >=)
      compare("newly failed", 7, ==)
      // Files that vanished may have been forgotten since then.
      compare("vanished", 9, >=)
      return complaints
    } ?? []
  }
}
