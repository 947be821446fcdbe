import AnalysisTesting
import CKernels
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// The weakest faults that count, and the strongest that do not.
@Suite(.bounded) struct ChannelScanTests {
  private static let rate = 44_100
  private static let margin = 64 * 64
  private static let length = SampleCells.length

  // MARK: - Clicks

  /// Scans a tone with clicks of a single sample, with the measures of these cells.
  /// - Parameter clicks: The cells that have a click.
  private func scan(_ cells: [SampleCells.Cell], clicks: [Int]) -> ChannelScan {
    let rim = ChannelScan.rim
    let count = (cells.count - 2 * rim) * Self.length
    var window = (0..<2 * Self.margin + count).map { Float(0.3 * sin(0.06 * Double($0))) }
    for cell in clicks { window[Self.margin + cell * Self.length + 30] += 0.3 }
    var scan = ChannelScan(sampleRate: Self.rate, margin: Self.margin)
    scan.scan(window.span, cells.span, count: count, start: 0)
    return scan
  }

  /// - Parameters:
  ///   - residual: The residual of cell 24, which has a click; that of all others is 0.01.
  ///   - loudness: The level behind the cell relative to that before it.
  private func clickCount(residual: Float, others: Float = 0.01, loudness: Float = 1) -> Int {
    var cells = [SampleCells.Cell](
      repeating: SampleCells.Cell(), count: 48 + 2 * ChannelScan.rim)
    let place = ChannelScan.rim + 24
    for index in cells.indices {
      cells[index].residual = index == place ? residual : others
      cells[index].steps = index > place ? loudness : 1
    }
    return scan(cells, clicks: [24]).clickCount
  }

  @Test func clicksStandOut() {
    #expect(clickCount(residual: 0.0131) == 1 && clickCount(residual: 0.0129) == 0)
    #expect(clickCount(residual: 0.0041, others: 0) == 1 && clickCount(residual: 0.0039, others: 0) == 0)
  }

  /// A note may begin or end where the level changes, so a click must stand out more.
  @Test func clicksWhereTheLevelChanges() {
    for loudness: Float in [11.9, 1 / 11.9] { #expect(clickCount(residual: 0.02, loudness: loudness) == 1) }
    for loudness: Float in [12.1, 1 / 12.1] {
      #expect(clickCount(residual: 0.0599, loudness: loudness) == 0)
      #expect(clickCount(residual: 0.0601, loudness: loudness) == 1)
    }
  }

  /// Other residuals count up to 16 cells away.
  @Test(arguments: [(16, 0), (-16, 0), (17, 1), (-17, 1), (1, 1), (-1, 1)])
  func neighbors(distance: Int, count: Int) {
    var cells = [SampleCells.Cell](repeating: SampleCells.Cell(), count: 48 + 2 * ChannelScan.rim)
    for index in cells.indices { cells[index].steps = 1 }
    cells[ChannelScan.rim + 24].residual = 0.02
    cells[ChannelScan.rim + 24 + distance].residual = 0.019
    #expect(scan(cells, clicks: [24]).clickCount == count)
  }

  /// At most eight candidates are tested in one part; the one that stands out least is left out.
  @Test(arguments: [(8, 8, 7), (9, 8, 8), (10, 8, 8)])
  func candidatesAreLimited(count: Int, found: Int, foundWithoutWeakest: Int) {
    let places = (0..<count).map { 20 * $0 + 10 }
    var cells = [SampleCells.Cell](repeating: SampleCells.Cell(), count: 20 * count + 2 * ChannelScan.rim)
    for index in cells.indices {
      cells[index].steps = 1
      cells[index].residual = 0.001
    }
    for place in places { cells[ChannelScan.rim + place].residual = 0.02 }
    cells[ChannelScan.rim + places[3]].residual = 0.01
    #expect(scan(cells, clicks: places).clickCount == found)
    #expect(scan(cells, clicks: places.filter { $0 != places[3] }).clickCount == foundWithoutWeakest)
  }

  // MARK: - Gaps

  /// A tone of 1 kHz with a gap. Levels are amplitudes.
  private struct Gap {
    var before = 0.3
    var after = 0.3
    /// The last sample before the gap and the first one after it, relative to the mean step of the tone.
    var entry = 11.0
    var exit = 11.0
    var length = 200
    /// Length of a run of zeros 5 ms before the gap.
    var rest = 0
    /// Quantization step.
    var quantum = 0.0

    /// Steps of the tone are 4 · 1000 / 44100 of its amplitude on average.
    private static let step = 4_000.0 / Double(ChannelScanTests.rate)

    var scan: ChannelScan {
      let (start, count) = (20 * ChannelScanTests.length + 3, 40 * ChannelScanTests.length)
      let margin = ChannelScanTests.margin
      var window = (0..<2 * margin + count).map { index -> Float in
        let place = index - margin - start
        let isBefore = place < length
        if isBefore, place >= 0 { return 0 }
        if isBefore, place >= -220, place < rest - 220 { return 0 }
        let (level, edge) = isBefore ? (before, entry) : (after, exit)
        // The mean step at the gap is that of both sides.
        let ratio = edge * Self.step * (before + after) / 2 / level
        let distance = Double(isBefore ? place + 1 : place - length)
        let value = level * sin(2 * .pi * 1_000 / Double(ChannelScanTests.rate) * distance + asin(min(1, ratio)))
        return Float(quantum > 0 ? (value / quantum).rounded() * quantum : value)
      }
      // No sample of the tone is zero by chance.
      if quantum == 0 {
        for index in window.indices where window[index] == 0 {
          let place = index - margin - start
          if !(0..<length).contains(place), !(-220..<rest - 220).contains(place) { window[index] = 1e-6 }
        }
      }
      let rim = ChannelScan.rim
      var cells = [SampleCells.Cell](repeating: SampleCells.Cell(), count: 40 + 2 * rim)
      SampleCells.measure(
        window.span, from: margin - rim * ChannelScanTests.length, count: cells.count, into: &cells, at: 0)
      var scan = ChannelScan(sampleRate: ChannelScanTests.rate, margin: margin)
      scan.scan(window.span, cells.span, count: count, start: 0)
      return scan
    }
  }

  private enum Kind { case certain, doubtful, coarse, rest, none }

  private func kind(_ change: (inout Gap) -> Void) -> Kind {
    var gap = Gap()
    change(&gap)
    let scan = gap.scan
    switch (scan.gapCount, scan.doubtfulCount, scan.coarseCount, scan.restCount) {
    case (1, 0, 0, 1): return .certain
    case (0, 1, 0, 1): return .doubtful
    case (0, 0, 1, 1): return .coarse
    case (0, 0, 0, 1): return .rest
    default: return .none
    }
  }

  @Test func gapsHaveAMinimumLength() {
    #expect(kind { $0.length = 11 } == .certain && kind { $0.length = 10 } == .none)
    #expect(kind { $0.length = 1_000 } == .certain)
  }

  /// The tone must be louder than −50 dB on both sides.
  @Test func gapsAreBetweenSounds() {
    #expect(kind { ($0.before, $0.after) = (0.0044, 0.0044) } == .certain)
    #expect(kind { ($0.before, $0.after) = (0.0041, 0.0044) } == .none)
    #expect(kind { ($0.before, $0.after) = (0.0044, 0.0041) } == .none)
  }

  @Test func levelsOnBothSidesAreSimilar() {
    for (quiet, expected) in [
      (0.3 / 3.9, Kind.certain), (0.3 / 4.1, .doubtful), (0.3 / 9.8, .doubtful), (0.3 / 10.2, .rest),
    ] {
      #expect(kind { $0.after = quiet } == expected && kind { $0.before = quiet } == expected, "\(quiet)")
    }
  }

  /// Two clear jumps, or one very clear one with a smaller one.
  @Test(
    arguments: [
      (2.4, 0.78, true), (2.0, 0.78, false), (2.4, 0.62, false), (4.3, 0.4, true), (3.7, 0.4, false),
      (4.3, 0.3, false),
    ])
  func certainGapsHaveJumps(larger: Double, smaller: Double, isCertain: Bool) {
    let expected: Kind = isCertain ? .certain : .doubtful
    #expect(kind { ($0.entry, $0.exit) = (larger, smaller) } == expected)
    #expect(kind { ($0.entry, $0.exit) = (smaller, larger) } == expected)
  }

  /// In coarse or sparse signals, zeros are no gap.
  @Test func zerosThatTheSignalExplains() {
    #expect(kind { ($0.rest, $0.length) = (10, 60) } == .certain)
    #expect(kind { ($0.rest, $0.length) = (10, 59) } == .coarse)
    #expect(kind { $0.quantum = 0.1 } == .certain)
    #expect(kind { $0.quantum = 0.15 } == .coarse)
  }
}
