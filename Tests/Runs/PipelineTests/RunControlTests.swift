import AnalysisTesting
import Testing

@testable import Pipeline

@Suite(.bounded) struct RunControlTests {
  @Test func runsGoOnUntilTheyAreStopped() {
    let control = RunControl()
    #expect(!control.isStopping && !control.mustAbandon)
    control.requestStop()
    // Files in progress have five more seconds.
    #expect(control.isStopping && !control.mustAbandon)
  }

  /// A limit in the past stands for one that has passed.
  @Test func timeBudgetsStopRuns() {
    #expect(!RunControl(limit: .seconds(3_600)).isStopping)
    let over = RunControl(limit: .zero)
    #expect(over.isStopping && !over.mustAbandon)
    for (milliseconds, isOver) in [(-4_000, false), (-5_001, true)] {
      #expect(RunControl(limit: .milliseconds(milliseconds)).isStopping)
      #expect(RunControl(limit: .milliseconds(milliseconds)).mustAbandon == isOver)
    }
  }

  /// The time of grace begins with the first reason to stop.
  @Test func theFirstReasonCounts() async throws {
    let budget = RunControl(limit: .seconds(-6))
    budget.requestStop()
    #expect(budget.mustAbandon)
    let request = RunControl(limit: .seconds(3_600))
    request.requestStop()
    #expect(request.isStopping && !request.mustAbandon)
    let impatient = RunControl(grace: .seconds(-1))
    #expect(!impatient.mustAbandon)
    impatient.requestStop()
    #expect(impatient.mustAbandon)
    // Another request does not begin it again.
    let twice = RunControl(grace: .milliseconds(20))
    twice.requestStop()
    try await Task.sleep(for: .milliseconds(30))
    twice.requestStop()
    #expect(twice.mustAbandon)
  }
}
