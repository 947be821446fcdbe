import AnalysisTesting
import DSP
import Testing

@Suite(.bounded) struct FilterBankTests {
  @Test func weightsOfABandAddUpToOne() {
    let bank = FilterBank(frequencies: [20, 40, 43, 100, 300, 1000, 2500], binWidth: 21.5, binCount: 513)
    var bands = [Float](repeating: 0, count: bank.count)
    var span = bands.mutableSpan
    bank.apply(to: [Float](repeating: 7, count: 513).span, into: &span)
    #expect(bands.count == 5)
    for band in bands { #expect(abs(band - 7) < 1e-4) }
  }

  @Test func aBinFallsIntoItsBands() {
    let bank = FilterBank(frequencies: [100, 200, 300, 400], binWidth: 10, binCount: 101)
    var spectrum = [Float](repeating: 0, count: 101)
    spectrum[25] = 1
    var bands = [Float](repeating: 0, count: 2)
    var span = bands.mutableSpan
    bank.apply(to: spectrum.span, into: &span)
    #expect(abs(bands[0] - 0.05) < 1e-6)
    #expect(abs(bands[1] - 0.05) < 1e-6)
    #expect(bank.centers == [200, 300])
  }

  @Test func bandsBeyondTheSpectrumStayInside() {
    let bank = FilterBank(frequencies: [900, 1000, 1100, 1200], binWidth: 10, binCount: 101)
    var bands = [Float](repeating: 0, count: 2)
    var span = bands.mutableSpan
    bank.apply(to: [Float](repeating: 1, count: 101).span, into: &span)
    #expect(bands.allSatisfy { abs($0 - 1) < 1e-6 })
  }
}
