import AnalysisTesting
import Foundation
import Glibc
import Platform
import Synchronization
import Testing

@testable import Pipeline

@Suite(.bounded) struct PriorityTests {
  /// In root's processes, threads that libdispatch starts after the priority was lowered have niceness 0, and threads
  /// they start would inherit it.
  @Test func analysisThreadsAreNiceWhateverThreadStartsThem() async {
    await #expect(processExitsWith: .success) {
      Priority.lower(toNiceness: 7)
      let made = Mutex<ThreadExecutor?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        // Only root may do this.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 0)
        made.withLock { $0 = try? ThreadExecutor.forAnalysis(jobs: 1) }
        done.signal()
      }
      done.wait()
      let executor = try #require(made.withLock { $0 })
      let niceness = await Task(executorPreference: executor) {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
      }.value
      executor.close()
      exit(niceness >= 7 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
