import AnalysisTesting
import GRDB
import LibraryStore
import LibraryTesting
import SystemPackage
import Testing

@testable import ResultStore

/// Waiting time of writes while another program has the database locked.
@Suite(.bounded) struct WriteDeadlineTests {
  @Test func writesGiveUpAtTheirDeadline() throws {
    let library = try ScannedLibrary()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let program = try DatabaseQueue(path: library.database.string, configuration: configuration)
    try program.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    for wait in [Duration.milliseconds(-1), .zero, .milliseconds(50)] {
      let began = ContinuousClock.now
      #expect(throws: StoreError.busy(path: library.database)) {
        try ResultStore.withWriteDeadline(began + wait) { try library.store.createPlaylist(named: "Mix") }
      }
      // Much less than without a deadline.
      #expect(.now - began < .seconds(ResultStore.patience / 2))
    }
    #expect(try library.store.playlistCount() == 0)
    try program.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    // If the database is free, the write succeeds even after the deadline.
    _ = try ResultStore.withWriteDeadline(.now) { try library.store.createPlaylist(named: "Mix") }
    #expect(try library.store.playlistCount() == 1)
  }

  @Test func otherWritesHaveThePatienceOfTheStore() throws {
    let library = try ScannedLibrary()
    func patience() throws -> Int? {
      try library.store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
    }
    let before = try patience()
    _ = try ResultStore.withWriteDeadline(.now + .seconds(1)) { try library.store.createPlaylist(named: "Mix") }
    #expect(try before == Int(ResultStore.patience * 1000) && patience() == before)
  }
}
