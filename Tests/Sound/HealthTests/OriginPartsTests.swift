import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

private func excerpt(_ seed: UInt64 = 1, count: Int = 4_096, at start: Int64 = 0) -> ExcerptCollection.Excerpt {
  let sides = [seed, seed + 100].map { seed -> [Float] in
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in 3_000 * random.nextSample() }
  }
  return ExcerptCollection.Excerpt(start: start, channels: sides)
}

@Suite(.bounded) struct OriginDecisionTests {
  /// A spectrum without an abrupt end.
  private static let open: SpectralWall = {
    var wall = SpectralWall([excerpt()], sampleRate: 44_100)!
    (wall.frequency, wall.depth, wall.steepness, wall.steadiness) = (21_400.4, 3, 4, 0.1)
    (wall.levelAbove, wall.end) = (-71.26, 22_000)
    return wall
  }()

  private func trace(_ codec: FrameGrid.Codec, margin: Double, decibels: Double = 1) -> FrameSearch.Trace {
    FrameSearch.Trace(
      codec: codec, sampleRate: 48_000, period: 1_024, offset: 77, deviations: margin + 2, elsewhere: 2,
      decibels: decibels)
  }

  private func decide(
    _ traces: [FrameSearch.Trace], sampleRate: Int = 44_100, _ change: (inout SpectralWall) -> Void = { _ in }
  ) -> OriginFinding {
    var wall = Self.open
    change(&wall)
    var finding = OriginFinding()
    OriginDecision(traces: traces, wall: wall, sampleRate: sampleRate, excerptCount: 4).write(to: &finding)
    return finding
  }

  private func close(_ wall: inout SpectralWall, at frequency: Double, end: Double) {
    (wall.frequency, wall.end) = (frequency, end)
    (wall.steepness, wall.depth, wall.steadiness) = (15, 15, 0.8)
  }

  // MARK: - Traces

  @Test(
    arguments: [(.vorbis, 8, 5), (.mp2, 5.5, 4), (.opus, 5, 3), (.mp3, 4, 3), (.aac, 4, 3)]
      as [(FrameGrid.Codec, Double, Double)])
  func margins(codec: FrameGrid.Codec, certain: Double, possible: Double) {
    func verdict(_ margin: Double) -> String {
      let found = decide([trace(codec, margin: margin)])
      return "\(found.verdict ?? "") \(found.confidence ?? 0)"
    }
    #expect(verdict(2 * certain) == "lossy 0.99" && verdict(2 * certain - 0.01) == "lossy 0.95")
    #expect(verdict(certain) == "lossy 0.95" && verdict(certain - 0.01) == "unsure 0.5")
    #expect(verdict(possible) == "unsure 0.5" && verdict(possible - 0.01) == "lossless 0.95")
    #expect(abs(OriginDecision.minMargin(codec, Self.open) - 0.15 * certain) < 1e-9)
  }

  @Test func aCertainTraceIsDescribed() {
    let found = decide([trace(.aac, margin: 6.123, decibels: 2.046)])
    #expect(found.codec == "aac" && found.codedSampleRate == 48_000)
    #expect(found.frameLength == 1_024 && found.frameOffset == 77)
    #expect(found.frameTrace == 8.12 && found.quantizationDepth == 2.05)
    #expect(found.kilobitsPerSecond == 256)
    #expect(found.levelAbove == -71.3 && found.wall == nil && found.upsampledFrom == nil)
    let possible = decide([trace(.aac, margin: 3.5)])
    #expect(possible.codec == nil && possible.frameOffset == nil && possible.kilobitsPerSecond == nil)
    #expect(possible.frameTrace == 5.5)
  }

  /// The grids of other codecs show weaker traces.
  @Test func theDeepestOfCertainTracesCounts() {
    let found = decide([
      trace(.mp3, margin: 20, decibels: 1), trace(.aac, margin: 5, decibels: 3), trace(.opus, margin: 4.9, decibels: 9),
    ])
    #expect(found.codec == "aac")
    // None is certain: 4.9 of 5 is more than 3.5 of 4, and than 5.2 of 5.5.
    let unsure = decide([
      trace(.mp3, margin: 3.5, decibels: 9), trace(.opus, margin: 4.9, decibels: 1), trace(.mp2, margin: 5.2),
    ])
    #expect(unsure.verdict == "unsure" && unsure.frameTrace == 6.9)
    #expect(decide([]).verdict == nil && decide([]).frameTrace == nil && decide([]).levelAbove == -71.3)
  }

  /// A spectrum that ends like that of Opus.
  @Test(
    arguments: [
      (19_850.0, 10.0, true), (19_849, 10, false), (20_250, 10, true), (20_251, 10, false), (20_000, 9.9, false),
    ])
  func opusNeedsLessIfTheSpectrumEndsAtTwentyKilohertz(frequency: Double, steepness: Double, isLike: Bool) {
    let found = decide([trace(.opus, margin: 3)]) { ($0.frequency, $0.steepness) = (frequency, steepness) }
    #expect(found.verdict == (isLike ? "lossy" : "unsure"))
    var wall = Self.open
    (wall.frequency, wall.steepness) = (frequency, steepness)
    #expect(OriginDecision.minMargin(.opus, wall) == (isLike ? 0 : 0.15 * 5))
    #expect(OriginDecision.minMargin(.aac, wall) == 0.15 * 4)
    let aac = decide([trace(.aac, margin: 3)]) { ($0.frequency, $0.steepness) = (frequency, steepness) }
    #expect(aac.verdict == "unsure")
  }

  // MARK: - Ends of the spectrum

  @Test func anAbruptEndIsTold() {
    func found(_ change: (inout SpectralWall) -> Void) -> OriginFinding {
      decide([trace(.aac, margin: 0)]) {
        ($0.steepness, $0.depth, $0.steadiness) = (15, 15, 0.5)
        change(&$0)
      }
    }
    let wall = found { $0.depth = 15.26 }
    #expect(wall.wall == 21_400 && wall.wallDepth == 15.3 && wall.wallSteadiness == 0.5)
    #expect(wall.verdict == "unsure" && wall.confidence == 0.5)
    for open in [found { $0.steepness = 14.9 }, found { $0.depth = 14.9 }, found { $0.steadiness = 0.49 }] {
      #expect(open.wall == nil && open.wallDepth == nil && open.wallSteadiness == nil)
      #expect(open.verdict == "lossless" && open.confidence == 0.95)
    }
  }

  /// Low-pass filters of resamplers end between 44% and 50% of the rate.
  @Test(
    arguments: [
      (44_100, 14_080.0, 16_640.0, 32_000), (44_100, 14_079, 16_640, nil), (44_100, 16_000, 16_640, 32_000),
      (44_100, 16_001, 16_640, nil), (44_100, 15_000, 16_641, nil), (44_100, 9_702, 11_466, 22_050),
      (44_100, 10_560, 11_466, 22_050), (44_100, 11_026, 11_466, 24_000), (96_000, 21_000, 21_500, 44_100),
      (96_000, 21_120, 22_800, 44_100), (96_000, 23_000, 24_000, 48_000), (48_000, 21_000, 21_500, nil),
      (49_000, 21_000, 21_500, nil), (49_002, 21_000, 21_500, 44_100), (44_100, 3_520, 4_160, 8_000),
      (44_100, 5_000, 5_700, 11_025), (44_100, 7_100, 8_300, 16_000),
    ] as [(Int, Double, Double, Int?)])
  func formerRates(sampleRate: Int, frequency: Double, end: Double, rate: Int?) {
    let found = decide([trace(.aac, margin: 0)], sampleRate: sampleRate) { close(&$0, at: frequency, end: end) }
    #expect(found.upsampledFrom == rate && found.wall == frequency)
    #expect(found.verdict == (rate == nil ? "unsure" : "lossless") && found.confidence == (rate == nil ? 0.5 : 0.8))
  }

  @Test func onlySteadyEndsAreThoseOfAFormerRate() {
    let found = decide([trace(.aac, margin: 0)]) {
      close(&$0, at: 15_000, end: 16_000)
      $0.steadiness = 0.79
    }
    #expect(found.upsampledFrom == nil && found.verdict == "unsure")
    // A possible trace leaves it open.
    let possible = decide([trace(.aac, margin: 3)]) { close(&$0, at: 15_000, end: 16_000) }
    #expect(possible.upsampledFrom == 32_000 && possible.verdict == "unsure")
    let lossy = decide([trace(.aac, margin: 4)]) { close(&$0, at: 15_000, end: 16_000) }
    #expect(lossy.upsampledFrom == nil && lossy.verdict == "lossy" && lossy.wall == 15_000)
  }

  /// Bit rates for coefficients that are 0.1, 0.2, 0.5, 1, 2, 4, 8, 16, 32 and 64 dB lower.
  @Test(
    arguments: [
      (.mp3, [320, 320, 256, 256, 192, 192, 160, 128, 96, 96]),
      (.mp2, [320, 320, 320, 320, 256, 256, 192, 192, 160, 160]),
      (.aac, [320, 320, 320, 256, 256, 192, 160, 128, 128, 96]),
      (.vorbis, [320, 320, 256, 256, 256, 192, 192, 160, 160, 128]),
      (.opus, [320, 320, 256, 192, 160, 128, 96, 64, 64, 64]),
    ] as [(FrameGrid.Codec, [Int])])
  func bitRates(codec: FrameGrid.Codec, rates: [Int]) {
    let depths = [0.1, 0.2, 0.5, 1, 2, 4, 8, 16, 32, 64]
    #expect(depths.map { BitRateEstimate.kilobits(trace(codec, margin: 9, decibels: $0)) } == rates)
    #expect(BitRateEstimate.kilobits(trace(codec, margin: 9, decibels: 0.01)) == 320)
    #expect(BitRateEstimate.kilobits(trace(codec, margin: 9, decibels: 0)) == nil)
  }
}

@Suite(.bounded) struct ExcerptCollectionTests {
  /// Pushes a signal of 400 Hz whose neighbors differ by twice an amplitude, in 16-bit steps, between two frames.
  private func starts(
    _ amplitude: Float = 100, frames: Int, loud: Range<Int>? = nil, alignment: Int = 8, rate: Int = 400,
    cut: Int = 1_000,
    length: Int = 100, channels: Int = 2, loudChannel: Int? = nil
  ) -> [Int64] {
    let collection = self.collection(
      amplitude, frames: frames, loud: loud, alignment: alignment, rate: rate, cut: cut, length: length,
      channels: channels, loudChannel: loudChannel)
    return collection.excerpts.map(\.start)
  }

  private func collection(
    _ amplitude: Float = 100, frames: Int, loud: Range<Int>? = nil, alignment: Int = 8, rate: Int = 400,
    cut: Int = 1_000,
    length: Int = 100, channels: Int = 2, loudChannel: Int? = nil
  ) -> ExcerptCollection {
    var collection = ExcerptCollection(length: length, alignment: alignment, sampleRate: rate)
    for start in stride(from: 0, to: frames, by: cut) {
      let part = start..<min(start + cut, frames)
      let planar = (0..<channels).flatMap { channel in
        part.map { frame -> Float in
          let isLoud = (loud?.contains(frame) ?? true) && (loudChannel ?? channel) == channel
          return isLoud ? (frame % 2 == 0 ? amplitude : -amplitude) / 32_768 : 0
        }
      }
      collection.push(planar.span, channelCount: channels, at: Int64(start))
    }
    return collection
  }

  /// One of each slot of half a second.
  @Test(arguments: [1, 7, 99, 100, 1_000]) func slots(cut: Int) {
    #expect(starts(frames: 700, cut: cut) == [0, 200, 400, 600])
    #expect(starts(frames: 699, cut: cut) == [0, 200, 400])
    #expect(starts(frames: 99, cut: cut) == [])
    // They begin at multiples of the alignment.
    #expect(starts(frames: 1_000, alignment: 64, cut: cut) == [0, 256, 448, 640, 832])
    // A slot is at least as long as an excerpt. The second one, aligned, ends within the third slot.
    #expect(starts(frames: 1_000, cut: cut, length: 250) == [0, 256, 512])
    #expect(collection(frames: 700, cut: cut).frameCount == 700)
  }

  /// Quiet excerpts are replaced by the next in their slot.
  @Test func quietPartsAreSkipped() {
    #expect(starts(1, frames: 300) == [0, 200])
    #expect(starts(0.99, frames: 300) == [])
    #expect(starts(frames: 1_000, loud: 100..<1_000) == [104, 208, 400, 600, 800])
    #expect(starts(frames: 1_000, loud: 0..<100) == [0])
    for channel in 0..<2 { #expect(starts(frames: 300, loudChannel: channel) == [0, 200]) }
    // More channels than two do not count.
    #expect(starts(frames: 300, channels: 3, loudChannel: 2) == [])
  }

  /// Beyond sixteen, slots are twice as long.
  @Test func longFilesHaveLongerSlots() {
    let sixteen = (0..<16).map { Int64(200 * $0) }
    #expect(starts(frames: 3_199) == sixteen)
    let nine = (0..<9).map { Int64(400 * $0) }
    #expect(starts(frames: 3_300) == nine)
    #expect(starts(frames: 3_700) == nine + [3_600])
    #expect(starts(frames: 6_500) == (0..<9).map { Int64(800 * $0) })
  }

  /// An excerpt that begins late in its slot ends within the next one.
  @Test func excerptsHoldTheSamplesOfTheirPlace() {
    for (first, expected) in [(0, [0, 200, 400]), (100, [104, 208, 400])] as [(Int, [Int64])] {
      var collection = ExcerptCollection(length: 100, alignment: 8, sampleRate: 400)
      let samples = (0..<550).map { frame -> Float in
        frame < first ? 0 : Float(frame % 2 == 0 ? 100 + frame : -100 - frame) / 32_768
      }
      collection.push(samples.span, channelCount: 1, at: 0)
      let excerpts = collection.excerpts.filter { $0.start >= first }
      #expect(excerpts.map(\.start) == expected)
      for excerpt in excerpts {
        #expect(excerpt.channels[0].map(abs) == (0..<100).map { Float(100 + $0) + Float(excerpt.start) })
      }
    }
  }

  @Test func samplesAreCopied() {
    var collection = ExcerptCollection(length: 4, alignment: 1, sampleRate: 8)
    let planar: [Float] = [0.5, -0.5, .nan, 0.25, 0.5, 1, -1, 40_000, -40_000, 1]
    collection.push(planar.span, channelCount: 2, at: 0)
    #expect(collection.excerpts.map(\.channels) == [[[16_384, -16_384, 0, 8_192], [32_768, -32_768, 0, 0]]])
    var mono = ExcerptCollection(length: 4, alignment: 1, sampleRate: 8)
    mono.push(planar.span, channelCount: 1, at: 0)
    #expect(mono.excerpts.first.map { $0.channels[0] == $0.channels[1] } == true)
    #expect(mono.excerpts.map(\.start) == [0, 4])
  }
}

@Suite(.bounded) struct UsedBitsTests {
  private func used(_ values: [Float], of bits: Int) -> Int {
    var used = UsedBits(bits: bits)
    used.push(values.span)
    return used.used
  }

  @Test func bitsAreCountedFromTheTop() {
    for bits in 1...24 {
      let value = exp2(-Float(bits - 1))
      #expect(used([0.5, -value], of: 24) == max(8, bits))
      #expect(used([value, 0.5], of: 16) == min(16, max(8, bits)))
    }
    #expect(used([0, 0.75, -1], of: 16) == 8)
    #expect(used([1.0 / 256, 1.0 / 512], of: 16) == 10 && used([1.0 / 512, 1.0 / 256], of: 16) == 10)
    #expect(used([1.0 / 256], of: 8) == 8)
  }

  @Test func silenceUsesNone() {
    var silent = UsedBits(bits: 16)
    silent.push([0, 0, -0.0].span)
    #expect(!silent.hasSound)
    silent.push([0, 0.5].span)
    #expect(silent.hasSound && silent.used == 8)
    var few = UsedBits(bits: 8)
    few.push([0].span)
    #expect(few.hasSound)
  }
}

/// Traces and spectra of made excerpts, as they were recorded.
@Suite(.bounded) struct RecordedOriginTests {
  /// Noise below a frequency.
  private static func lowPassed(_ seed: UInt64, below share: Double, count: Int = 4_096) -> [Float] {
    let taps = 101
    let kernel = (0..<taps).map { tap -> Float in
      let x = Double(tap - taps / 2)
      let ideal = x == 0 ? share : sin(.pi * share * x) / (.pi * x)
      return Float(ideal * (0.5 + 0.5 * cos(2 * .pi * x / Double(taps))))
    }
    var random = SplitMix64(seed: seed)
    let noise = (0..<count + taps).map { _ in 8_000 * random.nextSample() }
    return (0..<count).map { start in
      var sum: Float = 0
      for tap in 0..<taps { sum += kernel[tap] * noise[start + tap] }
      return sum
    }
  }

  @Test func endsOfSpectra() throws {
    var results = RecordedResults("Sound/spectral-wall.txt")
    for share in [0.3, 0.7, 0.9, 1] {
      let sides = [Self.lowPassed(1, below: share), Self.lowPassed(2, below: share)]
      for rate in [8_000, 22_050, 44_100, 48_000, 51_000, 96_000, 192_000] {
        let steady = ExcerptCollection.Excerpt(start: 0, channels: sides.map { $0.map { $0.rounded() } })
        let fine = ExcerptCollection.Excerpt(start: 0, channels: [sides[0], sides[0]])
        let white = excerpt(3)
        for (name, excerpts) in [("steady", [steady, steady]), ("mono", [fine]), ("mixed", [steady, steady, white])] {
          guard let wall = SpectralWall(excerpts, sampleRate: rate) else {
            results.add("\(rate) Hz, \(share), \(name)", "none")
            continue
          }
          results.add(
            "\(rate) Hz, \(share), \(name)",
            numbers: [
              wall.frequency, wall.depth, wall.steepness, wall.steadiness, wall.levelAbove, wall.end,
            ])
        }
      }
    }
    #expect(SpectralWall([], sampleRate: 44_100) == nil)
    #expect(SpectralWall([excerpt(count: 2_047)], sampleRate: 44_100) == nil)
    #expect(SpectralWall([excerpt(count: 2_048)], sampleRate: 44_100) != nil)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  private func add(_ name: String, _ contrast: FrameGrid.Contrast, to results: inout RecordedResults) {
    for (kind, values) in [("deviations", contrast.deviations), ("decibels", contrast.decibels)] {
      let every = max(1, values.count / 12)
      let largest = values.indices.max { values[$0] < values[$1] } ?? 0
      results.add("\(name), \(kind), count and largest", [values.count, largest])
      results.add("\(name), \(kind)", numbers: stride(from: 0, to: values.count, by: every).map { values[$0] })
    }
  }

  /// A codec that rounds to coarse steps, and noise.
  @Test func contrastsOfCodecs() throws {
    var results = RecordedResults("Sound/frame-grids.txt")
    let count = FrameGrid.minLength
    let noise = excerpt(7, count: count + 2_048).channels
    let coded = noise.map { samples in
      LappedCodec().coded(samples.map { $0 / 32_768 }, from: 37) { $0 < 300 ? 0.1 : 2 }.map { $0 * 32_768 }
    }
    for (name, channels) in [("noise", noise), ("coded", coded)] {
      let part = channels.map { Array($0[900..<900 + count]) }
      for (codec, rate, end) in [
        (.vorbis, 44_100, 22_050), (.aac, 44_100, 16_000), (.opus, 48_000, 20_700), (.aac, 96_000, 48_000),
        (.vorbis, 8_000, 4_000),
      ] as [(FrameGrid.Codec, Int, Double)] {
        var grid = LappedGrid(codec, sampleRate: rate, end: end)
        #expect(grid.grid.period == (codec == .vorbis ? 64 : codec == .opus ? 960 : 1_024))
        add("\(name), \(codec) at \(rate)", grid.contrast(part, part: nil), to: &results)
        add("\(name), \(codec) at \(rate), part 6", grid.contrast(part, part: 6), to: &results)
      }
      var mpeg = MPEGGrid(sampleRate: 44_100, end: 16_000)
      let (three, two) = mpeg.contrasts(part, part: nil)
      add("\(name), layer III", three, to: &results)
      add("\(name), layer II", two, to: &results)
      let (oneThree, oneTwo) = mpeg.contrasts(part, part: 4)
      add("\(name), layer III, part 4", oneThree, to: &results)
      add("\(name), layer II, part 4", oneTwo, to: &results)
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func tracesOfCodecs() throws {
    var results = RecordedResults("Sound/frame-search.txt")
    let noise = excerpt(9, count: 16_384).channels
    let coded = noise.map { samples in
      LappedCodec().coded(samples.map { $0 / 32_768 }, from: 37) { $0 < 300 ? 0.1 : 1.5 }.map { $0 * 32_768 }
    }
    for (name, channels) in [("noise", noise), ("coded", coded)] {
      var search = FrameSearch(sampleRate: 48_000, end: 20_000, hasOpus: true)
      func part(_ start: Int) -> [[Float]] { channels.map { Array($0[start..<start + FrameGrid.minLength]) } }
      #expect(search.isOpen)
      for (number, start) in [1_100, 5_000, 9_001].enumerated() {
        search.add(part(start), start: Int64(start), part: number)
      }
      for trace in search.traces {
        results.add("\(name), \(trace.codec), part", trace)
        results.add("\(name), \(trace.codec), margin", trace.margin)
      }
      search.narrow { $0 == .vorbis || $0 == .mp2 ? -1e9 : 1e9 }
      #expect(search.isOpen)
      for start in [1_100, 9_001] { search.add(part(start), start: Int64(start), part: nil) }
      for trace in search.traces { results.add("\(name), \(trace.codec), whole", trace) }
      search.narrow { _ in 1e9 }
      #expect(!search.isOpen)
    }
    #expect(
      FrameSearch(sampleRate: 44_100, end: 20_000, hasOpus: false).traces.map(\.codec) == [.mp3, .mp2, .aac, .vorbis])
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  @Test func originsOfFiles() throws {
    var results = RecordedResults("Sound/origin.txt")
    for share in [0.5, 0.93] {
      let sides = [1, 2].map { Self.lowPassed($0, below: share, count: 12_000) }
      for rate in [8_000, 32_000, 44_100, 48_000, 96_000] {
        let signal = Signal(sampleRate: rate, channels: sides.map { $0.map { $0 / 32_768 } })
        results.add("\(rate) Hz, \(share)", try origin(of: rounded(signal, bits: 16)))
      }
    }
    for step in [2, 6, 14] as [Float] {
      let channels = noise(0.6).channels.map { samples in
        LappedCodec().coded(samples, from: 37) { $0 < 300 ? 0.5 : step }
      }
      results.add("steps of \(step)", try origin(of: rounded(Signal(sampleRate: 44_100, channels: channels), bits: 16)))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Rates at which nothing can be said, and samples that are no integers.
  @Test func formatsThatAreAccepted() throws {
    func makes(_ rate: Int, codec: String = "flac", channels: Int = 2, bits: Int? = 16, isLossless: Bool = true) -> Bool
    {
      let format = AudioFormat(
        container: "wav", codec: codec, sampleRate: rate, channelCount: channels, bitDepth: bits, isLossless: isLossless
      )
      return (try? OriginAnalyzer(NoConfiguration()).makeSession(for: AudioFile(path: "/signal", format: format)))
        != nil
    }
    #expect(makes(8_000) && !makes(7_999) && makes(768_000) && !makes(768_001))
    #expect(!makes(44_100, channels: 0) && !makes(0) && !makes(44_100, isLossless: false))
    #expect((try? OriginAnalyzer(NoConfiguration()).makeSession(for: AudioFile(path: "/signal"))) == nil)
    let quiet = try origin(of: .channels([.silence(seconds: 0.1), .silence(seconds: 0.1)]))
    #expect(quiet.usedBits == nil && quiet.isPadded == nil && quiet.excerptCount == 0)
    // An excerpt is 3,361 samples long.
    #expect(quiet.reason == "quiet")
    let sound = noise(1)
    #expect(try origin(of: sound.prefix(3_361)).reason == nil && origin(of: sound.prefix(3_360)).reason == "too_short")
    for (bits, isKnown) in [(8, false), (9, true), (24, true), (25, false)] {
      #expect(try (origin(of: sound.prefix(4_000), bits: bits).usedBits != nil) == isKnown)
    }
  }
}
