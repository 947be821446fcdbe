import Analysis
import AnalysisTesting
import Records
import Testing

/// Lines of `show` about findings.
@Suite(.bounded) struct FindingLineTests {
  private func tempo(_ change: (inout TempoFinding) -> Void) -> String? {
    var record = Samples.full
    if var tempo = record.tempo {
      change(&tempo)
      record.tempo = tempo
    }
    return record.lines(of: TempoFinding.self).first?.text
  }

  @Test func tempoIsToldWithItsBars() {
    #expect(tempo { _ in } == "126.00 BPM, confidence 0.93, alternatives: 63.00, stable, 3 beats, 4/4")
    #expect(tempo { $0.downbeats = nil }?.hasSuffix("3 beats, 4/4 (where bars begin is not clear)") == true)
    #expect(tempo { $0.metre = nil }?.hasSuffix("3 beats") == true)
  }
}
