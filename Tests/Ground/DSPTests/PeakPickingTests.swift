import AnalysisTesting
import DSP
import Testing

@Suite(.bounded) struct PeakPickingTests {
  @Test func findsTheTopOfAParabola() {
    let curve: [Float] = (0..<20).map { x in
      let distance = Float(x) - 7.3
      return 5 - 0.3 * distance * distance
    }
    let found = peaks(of: curve.span)
    #expect(found.count == 1)
    #expect(abs(found[0].position - 7.3) < 1e-4)
    #expect(abs(found[0].value - 5) < 1e-4)
  }

  @Test func highestFirstAndLimited() {
    let curve: [Float] = [0, 1, 0, 3, 0, 2, 0]
    #expect(peaks(of: curve.span).map(\.position) == [3, 5, 1])
    #expect(peaks(of: curve.span, limit: 2).map(\.position) == [3, 5])
  }

  @Test func endsCountOnlyOnACircle() {
    let curve: [Float] = [5, 1, 0, 1, 4]
    #expect(peaks(of: curve.span).isEmpty)
    #expect(peaks(of: curve.span, isCircular: true).count == 1)
  }

  @Test func aPlateauIsOnePeak() {
    #expect(peaks(of: ([0, 2, 2, 2, 0] as [Float]).span).count == 1)
    #expect(peaks(of: ([1, 1, 1, 1] as [Float]).span, isCircular: true).isEmpty)
  }
}
