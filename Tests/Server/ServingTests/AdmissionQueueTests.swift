import AnalysisTesting
import Testing

@testable import Serving

@Suite(.bounded) struct AdmissionQueueTests {
  private func queue(longest: Int = 9, wait: Duration = .seconds(600)) -> AdmissionQueue {
    AdmissionQueue(places: 1, maxQueueLength: longest, maxWait: wait)
  }

  private func waitUntil(_ count: Int, in queue: AdmissionQueue) async {
    while queue.waitingCount != count { await Task.yield() }
  }

  @Test func allGetTheirTurnInOrder() async throws {
    let queue = queue()
    try await queue.enter()
    let (order, entered) = AsyncStream.makeStream(of: Int.self)
    var tasks: [Task<Void, any Error>] = []
    for number in 1...5 {
      tasks.append(
        Task {
          try await queue.enter()
          entered.yield(number)
          queue.leave()
        })
      await waitUntil(number, in: queue)
    }
    queue.leave()
    for task in tasks { try await task.value }
    entered.finish()
    var numbers: [Int] = []
    for await number in order { numbers.append(number) }
    #expect(numbers == [1, 2, 3, 4, 5])
    // Its place is free again.
    try await queue.enter()
  }

  @Test func moreThanMayWaitAreRefused() async throws {
    let queue = queue(longest: 1)
    try await queue.enter()
    let waiting = Task { try await queue.enter() }
    await waitUntil(1, in: queue)
    await #expect(throws: AdmissionQueue.Refusal.full) { try await queue.enter() }
    queue.leave()
    try await waiting.value
  }

  @Test func waitingEnds() async throws {
    let queue = queue(wait: .milliseconds(1))
    try await queue.enter()
    await #expect(throws: AdmissionQueue.Refusal.timeLimit) { try await queue.enter() }
    #expect(queue.waitingCount == 0)
    // The place of one that has gone is free.
    queue.leave()
    try await queue.enter()
  }

  @Test func whoIsCanceledWaitsNoLonger() async throws {
    let queue = queue()
    try await queue.enter()
    let task = Task { try await queue.enter() }
    await waitUntil(1, in: queue)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    queue.leave()
    try await queue.enter()
  }
}
