internal import CKernels
internal import Foundation

/// Finds faults in the samples of a file, window by window, with constant memory.
///
///     samples ─┬─ SampleCells ─┬─ ChannelScan   clipped peaks, gaps, clicks: each channel
///              │               ├─ ChannelSums   offset, dead, identical and inverted channels
///              │               ├─ MainsHum
///              │               └─ Hiss
///              ├─ RepeatedBlocks                blocks that occur twice in a row
///              └─ FileEdges                     cut starts and ends
struct HealthScan {
  let sampleRate: Int
  let channelCount: Int
  private static let part = 65_536
  private let margin: Int
  /// `margin` samples, a part, and `margin` more samples, by channel.
  private var windows: [[Float]]
  private var filled: Int
  /// Index of the first sample of the part.
  private var start: Int64 = 0
  private var scans: [ChannelScan]
  private var repeats = RepeatedBlocks()
  private(set) var sums: ChannelSums
  /// Cells of the samples of a part, with `ChannelScan.rim` cells on either side, by channel.
  private var cells: [[SampleCells.Cell]]
  private var quarters: [Float]
  private var hum: MainsHum
  private var hiss: Hiss
  private(set) var edges: FileEdges
  private(set) var frameCount: Int64 = 0

  init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    margin = max(2 * RepeatedBlocks.reach, sampleRate / 20 / 64 * 64)
    windows = Array(repeating: [Float](repeating: 0, count: Self.part + 2 * margin), count: channelCount)
    filled = margin
    scans = Array(repeating: ChannelScan(sampleRate: sampleRate, margin: margin), count: channelCount)
    sums = ChannelSums(channelCount: channelCount)
    let cellCount = Self.part / SampleCells.length
    cells = Array(
      repeating: Array(repeating: SampleCells.Cell(), count: cellCount + 2 * ChannelScan.rim), count: channelCount)
    quarters = Array(repeating: 0, count: cellCount * SampleCells.quarterCount)
    hum = MainsHum(sampleRate: sampleRate)
    hiss = Hiss(sampleRate: sampleRate)
    edges = FileEdges(sampleRate: sampleRate)
  }

  /// - Parameter values: Planar samples.
  mutating func push(_ values: Span<Float>) {
    let count = values.count / channelCount
    var position = 0
    while position < count {
      let taken = min(count - position, Self.part + 2 * margin - filled)
      for channel in 0..<channelCount {
        let source = values.extracting(channel * count + position..<channel * count + position + taken)
        SampleCells.copy(source, into: &windows[channel], at: filled)
      }
      filled += taken
      position += taken
      if filled == Self.part + 2 * margin { scan(count: Self.part) }
    }
    frameCount += Int64(count)
  }

  /// Processes the remaining samples, padded with zeros, and returns all faults.
  mutating func finish() -> [Fault] {
    while start < frameCount {
      let left = Int(frameCount - start)
      for channel in windows.indices {
        let rest = filled..<windows[channel].count
        windows[channel].withUnsafeMutableBufferPointer { unsafe $0[rest].update(repeating: 0) }
      }
      scan(count: min(left, Self.part))
    }
    return faults()
  }

  private mutating func scan(count: Int) {
    do {
      let all = 0..<count + 2 * margin
      let part = margin..<margin + count
      let cellCount = (count + SampleCells.length - 1) / SampleCells.length
      let middle = ChannelScan.rim..<ChannelScan.rim + cellCount
      for channel in windows.indices {
        measure(channel, cellCount: cellCount)
        let (window, measures) = (windows[channel], cells[channel])
        scans[channel].scan(window.span.extracting(all), measures.span, count: count, start: start)
        sums.add(measures.span.extracting(middle), channel: channel)
      }
      let other = min(1, channelCount - 1)
      let (left, right) = (windows[0], windows[other])
      let totals = SampleCells.compare(left.span, right.span, from: margin, count: cellCount, quarters: &quarters)
      if channelCount > 1 { sums.compare(mean: totals.mean, side: totals.side) }
      let means = quarters
      hum.push(means.span.extracting(0..<cellCount * SampleCells.quarterCount))
      let (one, another) = (cells[0], cells[other])
      hiss.push(one.span.extracting(middle), another.span.extracting(middle))
      repeats.scan(left.span.extracting(all), right.span.extracting(all), margin: margin, start: start)
      edges.push(left.span.extracting(part), right.span.extracting(part))
    }
    for channel in windows.indices {
      SampleCells.move(&windows[channel], from: count, to: filled)
    }
    filled -= count
    start += Int64(count)
  }

  /// Measures the cells of a channel; the last cells of the previous part become the first.
  private mutating func measure(_ channel: Int, cellCount: Int) {
    let (rim, length) = (ChannelScan.rim, SampleCells.length)
    let window = windows[channel]
    if start == 0 {
      SampleCells.measure(
        window.span, from: margin - rim * length, count: cellCount + 2 * rim, into: &cells[channel], at: 0)
    } else {
      let former = cells[channel].count - 2 * rim
      for cell in 0..<2 * rim { cells[channel][cell] = cells[channel][former + cell] }
      SampleCells.measure(
        window.span, from: margin + rim * length, count: cellCount, into: &cells[channel], at: 2 * rim)
    }
  }

  // MARK: Faults

  private var seconds: Double { Double(frameCount) / Double(sampleRate) }

  private func faults() -> [Fault] {
    var faults = clipping() + gaps() + repeated()
    faults += clicks(outside: faults)
    faults += sums.faults(frameCount: frameCount)
    if let fault = hum.fault(frameCount: frameCount) { faults.append(fault) }
    if let fault = hiss.fault(frameCount: frameCount) { faults.append(fault) }
    faults += edges.faults(frameCount: frameCount, level: sums.rms)
    return faults.sorted { ($0.start, $0.kind.rawValue) < ($1.start, $1.kind.rawValue) }
  }

  /// Merges clipped runs in close succession.
  private func clipping() -> [Fault] {
    var faults: [Fault] = []
    let levels = scans.flatMap { [$0.positive, $0.negative] }.filter(\.isClipped).map(\.level)
    let distance = Int64(Double(sampleRate) * Fault.maxClippingDistance)
    for (channel, scan) in scans.enumerated() {
      let runs = [scan.positive, scan.negative].filter { peaks in
        peaks.isClipped || levels.contains { peaks.isClipped(at: $0) }
      }.flatMap(\.runs).sorted { $0.lowerBound < $1.lowerBound }
      for run in runs {
        if let last = faults.last, last.channel == channel, run.lowerBound - last.end < distance {
          faults[faults.count - 1].end = run.upperBound
          faults[faults.count - 1].strength += Double(run.count)
        } else {
          faults.append(
            Fault(
              kind: .clipping, start: run.lowerBound, end: run.upperBound, channel: channel,
              strength: Double(run.count), confidence: runs.count >= 10 ? 0.99 : 0.8))
        }
      }
    }
    return faults
  }

  /// Returns the gaps that are faults. Many gaps in a rhythm are rests. So are uncertain gaps, if there are many rests
  /// and these gaps are in a rhythm, or if at least as many rests begin or end softly. If quantization explains most
  /// gaps, it may explain all.
  private func gaps() -> [Fault] {
    var faults: [Fault] = []
    for (channel, scan) in scans.enumerated() {
      if scan.coarseCount > scan.gapCount + scan.doubtfulCount { continue }
      let most = max(4, seconds / 6)
      func areRests(_ gaps: [ChannelScan.Gap], count: Int) -> Bool {
        Double(count) > most && Rhythm.isFollowed(by: gaps.map(\.range.lowerBound), sampleRate: sampleRate)
      }
      let certain = scan.gaps.filter(\.isCertain)
      if areRests(certain, count: certain.count) { continue }
      let doubtful = scan.gaps.filter { !$0.isCertain }
      let softCount = scan.restCount - scan.gapCount - scan.doubtfulCount
      let hasRests =
        areRests(doubtful, count: scan.restCount - scan.gapCount)
        || Double(softCount) > most && softCount >= doubtful.count
      for gap in scan.gaps where gap.isCertain || !hasRests {
        let length = Double(gap.range.count) / Double(sampleRate)
        if let index = faults.firstIndex(where: { $0.start < gap.range.upperBound && gap.range.lowerBound < $0.end }) {
          faults[index].channel = nil
          continue
        }
        faults.append(
          Fault(
            kind: length < 0.25 ? .dropout : .silence, start: gap.range.lowerBound, end: gap.range.upperBound,
            channel: channel, strength: 1000 * length, confidence: !gap.isCertain ? 0.6 : gap.jump > 6 ? 0.95 : 0.7))
      }
    }
    return faults
  }

  /// Minimum strength of a click that cannot be an instrument's. The pulses of a square wave are no larger than its
  /// other steps; clicks that were added to music are twice as large as anything around them.
  private static let minFaultStrength = 2.0

  /// Returns the clicks that are faults. Many clicks in a rhythm are music. So are all clicks of a channel in which at
  /// least as many clicks begin or end a note, and clicks that do not stand out, if there are many.
  /// - Parameter others: Other faults; gaps and repeated blocks also click where they begin and end.
  private func clicks(outside others: [Fault]) -> [Fault] {
    let edges = others.filter { $0.kind != .clipping }.flatMap { [$0.start, $0.end] }
    // Prediction needs samples on either side, so the ends of the file are excluded.
    let inside = Int64(ClickTest.reach)..<max(Int64(ClickTest.reach), frameCount - Int64(ClickTest.reach))
    var faults: [Fault] = []
    for (channel, scan) in scans.enumerated() {
      let most = max(4, seconds / 10)
      let noteCount = scan.clickCount - scan.mendedCount
      if Double(noteCount) > most, noteCount >= scan.mendedCount { continue }
      let places = scan.clicks.map(\.place)
      if Double(places.count) > most, Rhythm.isFollowed(by: places, sampleRate: sampleRate) { continue }
      let strong = scan.clicks.filter { $0.strength >= Self.minFaultStrength }
      let isOfPulses = Double(scan.clicks.count - strong.count) > most
      for click in isOfPulses ? strong : scan.clicks {
        if !inside.contains(click.place) || edges.contains(where: { abs($0 - click.place) < 64 }) { continue }
        if let index = faults.firstIndex(where: { abs($0.start - click.place) < 64 }) {
          faults[index].channel = nil
          continue
        }
        faults.append(
          Fault(
            kind: .click, start: click.place, end: click.place + 1, channel: channel, strength: click.strength,
            confidence: click.score > 2 * ClickTest.minScore ? 0.95 : 0.8))
      }
    }
    return faults
  }

  private func repeated() -> [Fault] {
    let places = repeats.blocks.map(\.range.lowerBound)
    if Double(places.count) > max(4, seconds / 4), Rhythm.isFollowed(by: places, sampleRate: sampleRate) { return [] }
    return repeats.blocks.map { block in
      Fault(
        kind: .repeated, start: block.range.lowerBound, end: block.range.upperBound, channel: nil,
        strength: 1000 * Double(block.range.count) / Double(sampleRate), confidence: 0.98)
    }
  }
}
