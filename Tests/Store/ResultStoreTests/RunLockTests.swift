import Analysis
import AnalysisTesting
import Foundation
import ResultStore
import Synchronization
import SystemPackage
import Testing

@Suite(.bounded) struct RunLockTests {
  private func temporaryDatabase() -> FilePath {
    FilePath(NSTemporaryDirectory() + "/nocturne-lock-\(UUID().uuidString).sqlite")
  }

  private func remove(_ database: FilePath) {
    try? FileManager.default.removeItem(atPath: database.string + ".lock")
  }

  @Test func secondProcessIsTurnedAwayAndToldByWhom() async throws {
    let database = temporaryDatabase()
    defer { remove(database) }
    let lock = try RunLock.acquire(forDatabase: database)
    let path = database.string
    let owner = getpid()
    await #expect(processExitsWith: .success) { [path = path as String, owner = owner as Int32] in
      do {
        _ = try RunLock.acquire(forDatabase: FilePath(path), waitingAtMost: .milliseconds(60))
      } catch StoreError.lockedByRun(_, let found?) where found.processID == owner {
        exit(EXIT_SUCCESS)
      }
      exit(EXIT_FAILURE)
    }
    lock.release()
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = try RunLock.acquire(forDatabase: FilePath(path))
      exit(EXIT_SUCCESS)
    }
  }

  @Test func killedProcessLeavesNoLock() async throws {
    let database = temporaryDatabase()
    defer { remove(database) }
    let path = database.string
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let lock = try RunLock.acquire(forDatabase: FilePath(path))
      kill(getpid(), SIGKILL)
      lock.release()
    }
    try RunLock.acquire(forDatabase: database).release()
  }

  @Test func waiterGetsTheLockWhenItIsFree() throws {
    let database = temporaryDatabase()
    defer { remove(database) }
    let lock = try RunLock.acquire(forDatabase: database)
    let owner = Mutex<RunLock.Owner?>(nil)
    let failure = Mutex<StoreError?>(nil)
    let waiting = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    // A thread, since tasks of other tests may block all task threads for longer than any limit.
    Thread.detachNewThread {
      defer { ended.signal() }
      do throws(StoreError) {
        try RunLock.acquire(forDatabase: database, waitingAtMost: .seconds(600)) { found in
          owner.withLock { $0 = found }
          waiting.signal()
        }.release()
      } catch {
        failure.withLock { $0 = error }
      }
    }
    waiting.wait()
    lock.release()
    ended.wait()
    #expect(owner.withLock { $0?.processID } == getpid())
    #expect(failure.withLock { $0 } == nil)
  }

  @Test func lockFileThatCannotBeMadeIsAnError() {
    #expect(throws: StoreError.self) { try RunLock.acquire(forDatabase: "/nowhere/at/all.sqlite") }
  }
}
