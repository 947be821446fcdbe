import Analysis
import AnalysisTesting
import GRDB
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing

/// Values never written by this program, in a database that SQLite considers intact.
@Suite(.bounded) struct DamagedRowTests {
  @Test(arguments: [Int64.max, .min, -1])
  func countsOfARunCanBeAddedUp(value: Int64) throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    let other = try DatabaseQueue(path: library.database.string)
    try other.write { db in
      try db.execute(
        sql: "UPDATE run SET analyzed = ?, cached = ?, failed = ?, skipped = ?, vanished = ?, pending = ?",
        arguments: [value, value, value, value, value, value])
    }
    let run = try #require(try library.store.latestRun())
    #expect(run.totals.seen >= 0)
    #expect(run.totals.seen == 5 * run.totals.cached)
  }
}
