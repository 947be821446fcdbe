import AnalysisTesting
import Dispatch
import Testing

@testable import Serving

@Suite(.bounded) struct LaneTests {
  /// More work than there are threads waits, up to the length of the queue.
  @Test func aLaneHasPlacesAndAQueue() async throws {
    let lane = try Lane(threadCount: 1, maxQueueLength: 2)
    #expect(lane.count == 0 && Lane.defaultMaxWait == .seconds(30))
    let gate = DispatchSemaphore(value: 0)
    let (refusals, refuse) = AsyncStream.makeStream(of: RequestError.self)
    let tasks = (0..<4).map { _ in
      Task {
        do {
          return try await lane.run {
            gate.wait()
            return true
          }
        } catch let error as RequestError {
          refuse.yield(error)
          return false
        }
      }
    }
    let refusal = await refusals.first { _ in true }
    #expect(refusal == .overload)
    while lane.count != 3 { await Task.yield() }
    for _ in 0..<3 { gate.signal() }
    var count = 0
    for task in tasks where try await task.value { count += 1 }
    #expect(count == 3 && lane.count == 0)
    #expect(try await lane.run { 4 } == 4)
    lane.close()
  }

  /// The error of the lane's owner.
  @Test func aLaneSaysWhyItTookTooLong() async throws {
    let overdue = RequestError(.serviceUnavailable, "Locked.", retryAfter: 9)
    let lane = try Lane(threadCount: 1, maxQueueLength: 2, maxWait: .milliseconds(1), overdue: overdue)
    let gate = DispatchSemaphore(value: 0)
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await lane.run {
        start.yield()
        gate.wait()
      }
    }
    for await _ in starts { break }
    let error = await #expect(throws: RequestError.self) { try await lane.run {} }
    #expect(error == overdue && lane.count == 1)
    gate.signal()
    try await first.value
    #expect(lane.count == 0)
    lane.close()
  }

  @Test func errorsOfTheWorkArePassedOn() async throws {
    let lane = try Lane(threadCount: 1, maxQueueLength: 0)
    await #expect(throws: CancellationError.self) { try await lane.run { throw CancellationError() } }
    // The place is free again.
    #expect(try await lane.run { 1 } == 1 && lane.count == 0)
    lane.close()
  }
}
