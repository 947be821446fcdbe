import Analysis
import AnalysisEngine
import AnalysisTesting
import AudioDecoding
import DSP
import SystemPackage
import Testing
import Text

private let stereo = Signal.channels([.chords(seconds: 1.3), .noise(seconds: 1.3)])

/// Pushes a signal in blocks of the given lengths, in turn, and returns the outcomes.
private func analyze(
  _ signal: Signal, _ plugins: [AnalyzerPlugin], blocks lengths: [Int] = [AudioBlock.capacity],
  resampler: ResamplerKind = .soxr
) -> [AnalyzerOutcome] {
  let graph = graph(signal, plugins, resampler: resampler)
  push(signal, into: graph, blocks: lengths)
  return graph.finish()
}

private func graph(_ signal: Signal, _ plugins: [AnalyzerPlugin], resampler: ResamplerKind = .soxr) -> FeedGraph {
  let format = AudioFormat(
    container: "wav", codec: "pcm_float", sampleRate: signal.sampleRate, channelCount: signal.channelCount,
    isLossless: true)
  return FeedGraph(
    plugins: plugins, file: AudioFile(path: "/probe.wav", format: format), format: format,
    encoding: SampleEncoding(sampleType: .float), resampler: resampler)
}

private func push(_ signal: Signal, into graph: FeedGraph, blocks lengths: [Int] = [AudioBlock.capacity]) {
  var block = AudioBlock(channelCount: signal.channelCount)
  var start = 0
  var turn = 0
  while start < signal.frameCount {
    block.frameCount = min(lengths[turn % lengths.count], signal.frameCount - start)
    for channel in 0..<signal.channelCount {
      let range = block.range(ofChannel: channel)
      block.samples.replaceSubrange(range, with: signal.channels[channel][start..<start + block.frameCount])
    }
    graph.push(block)
    start += block.frameCount
    turn += 1
  }
}

private func samples(
  _ rate: SampleLayout.Rate, _ channels: SampleLayout.Channels = .mono,
  _ conversion: SampleLayout.Conversion = .standard
) -> Feed {
  .samples(SampleLayout(rate: rate, channels: channels, conversion: conversion))
}

private func spectrum(_ rate: Int, _ windowLength: Int, _ hop: Int) -> Feed {
  .spectrum(SpectrumLayout(sampleRate: rate, windowLength: windowLength, hop: hop))
}

private let feeds: [Feed] = [
  samples(.native), samples(.native, .native), samples(.hertz(44_100)), samples(.hertz(22_050)),
  samples(.hertz(48_000)), samples(.hertz(22_050), .native), samples(.hertz(11_025), .mono, .acoustID),
  spectrum(22_050, 1_024, 220), spectrum(44_100, 2_048, 3_000), spectrum(8_000, 2_048, 256),
]

/// Concatenated values of each channel, independent of how a planar feed was cut.
private func planar(_ finding: Probe.Finding, channelCount: Int) -> [[Float]] {
  var channels = [[Float]](repeating: [], count: channelCount)
  var start = 0
  for count in finding.counts {
    let frames = count / channelCount
    for channel in 0..<channelCount {
      channels[channel] += finding.values[start + channel * frames..<start + (channel + 1) * frames]
    }
    start += count
  }
  return channels
}

@Suite(.bounded) struct `Feeds of a file` {
  @Test(arguments: ResamplerKind.allCases)
  func `do not depend on how the audio is cut into blocks`(resampler: ResamplerKind) throws {
    let plugins = feeds.enumerated().map { Probe.plugin("probe_\($0)", $1) }
    let whole = analyze(stereo, plugins, resampler: resampler)
    for lengths in [[1_000], [16_384, 1, 7], [333, 16_000, 2, 2, 4_096]] {
      let cut = analyze(stereo, plugins, blocks: lengths, resampler: resampler)
      for (index, feed) in feeds.enumerated() {
        let (first, second) = (try #require(whole[index].probed), try #require(cut[index].probed))
        let isPlanar = if case .samples(let layout) = feed { layout.channels == .native } else { false }
        #expect(
          planar(first, channelCount: isPlanar ? 2 : 1) == planar(second, channelCount: isPlanar ? 2 : 1),
          "\(feed) in blocks of \(lengths)")
      }
    }
  }

  @Test func `number their values without gaps`() throws {
    let plugins = feeds.enumerated().map { Probe.plugin("probe_\($0)", $1) }
    for (outcome, feed) in zip(analyze(stereo, plugins, blocks: [5_000, 16_384]), feeds) {
      let finding = try #require(outcome.probed)
      var next: Int64 = 0
      for (start, count) in zip(finding.starts, finding.counts) {
        #expect(start == next, "\(feed)")
        switch feed {
        case .spectrum(let layout):
          #expect(count == layout.binCount)
          next += 1
        case .samples(let layout): next += Int64(layout.channels == .native ? count / 2 : count)
        case .file: Issue.record("no values")
        }
      }
    }
  }

  @Test func `have the length their rate implies`() throws {
    let signal = Signal.noise(sampleRate: 48_000, seconds: 1.01)
    let outcomes = analyze(
      signal,
      [
        Probe.plugin("a", samples(.hertz(22_050))), Probe.plugin("b", samples(.native)),
        Probe.plugin("c", spectrum(16_000, 512, 160)),
      ])
    #expect(outcomes[0].probed?.values.count == 22_271)  // 48,480 · 22,050 / 48,000 = 22,270.5
    #expect(outcomes[1].probed?.values == signal.channels[0])
    #expect(outcomes[2].probed?.starts.count == 101)
  }

  @Test func `mix channels as their mean`() throws {
    let finding = try #require(analyze(stereo, [Probe.plugin("a", samples(.native))])[0].probed)
    for (value, expected) in zip(finding.values, stereo.mono) { #expect(abs(value - expected) < 1e-6) }
    #expect(finding.values.count == stereo.frameCount)
  }

  @Test func `keep channels apart`() throws {
    let outcomes = analyze(
      stereo, [Probe.plugin("a", samples(.native, .native)), Probe.plugin("b", samples(.hertz(16_000), .native))])
    #expect(planar(try #require(outcomes[0].probed), channelCount: 2) == stereo.channels)
    let resampled = planar(try #require(outcomes[1].probed), channelCount: 2)
    for channel in 0..<2 {
      let alone = analyze(
        Signal(sampleRate: 44_100, channels: [stereo.channels[channel]]), [Probe.plugin("b", samples(.hertz(16_000)))])
      #expect(resampled[channel] == alone[0].probed?.values)
    }
  }

  @Test func `transform the resampled mono signal`() throws {
    let outcomes = analyze(
      stereo, [Probe.plugin("a", samples(.hertz(22_050))), Probe.plugin("b", spectrum(22_050, 1_024, 220))])
    let resampled = try #require(outcomes[0].probed).values
    var columns: [Float] = []
    var stft = STFT(windowLength: 1_024, hop: 220)
    let collect = { (column: Span<Float>, _: Int64) in for bin in column.indices { columns.append(column[bin]) } }
    stft.push(resampled.span, each: collect)
    stft.finish(each: collect)
    #expect(outcomes[1].probed?.values == columns)
  }

  @Test func `are the same for every session`() throws {
    let feed = spectrum(22_050, 1_024, 220)
    let outcomes = analyze(
      stereo, [Probe.plugin("a", feed), Probe.plugin("b", samples(.native)), Probe.plugin("c", feed)])
    #expect(outcomes.map(\.analyzer.id) == ["a", "b", "c"])
    let first = try #require(outcomes[0].probed)
    #expect(first == outcomes[2].probed)
  }

  @Test(arguments: [0, 1, 10])
  func `of a very short file are closed in order`(frames: Int) throws {
    let plugins = feeds.enumerated().map { Probe.plugin("probe_\($0)", $1) }
    let outcomes = analyze(stereo.prefix(frames), plugins)
    #expect(outcomes.count == feeds.count)
    for outcome in outcomes { #expect(outcome.probed != nil) }
  }
}

@Suite(.bounded) struct `Sessions of a file` {
  @Test func `fail alone`() throws {
    let mono = samples(.native)
    let outcomes = analyze(
      stereo,
      [
        Probe.plugin("whole", mono), Probe.plugin("middle", mono, Probe(failsAfter: 20_000)),
        Probe.plugin("end", mono, Probe(failsAtEnd: .failed("no end"))),
        Probe.plugin("none", mono, Probe(failsAtEnd: .notApplicable("too quiet"))),
        AnalyzerPlugin(id: "start", version: 1, feed: mono, configuration: [:], shapingFinding: [:], resampler: "soxr")
        {
          (_) throws(AnalysisError) in throw .failed("no start")
        },
        Probe.plugin("after", spectrum(22_050, 1_024, 220)),
      ])
    #expect(outcomes.map(\.analyzer.id) == ["whole", "middle", "end", "none", "start", "after"])
    #expect(outcomes.map(\.failure) == [nil, "had too much", "no end", nil, "no start", nil])
    guard case .notApplicable("too quiet") = outcomes[3].result else {
      Issue.record("\(outcomes[3])")
      return
    }
    #expect(outcomes[0].probed?.values.count == stereo.frameCount)
    #expect(outcomes[5].probed?.starts.isEmpty == false)
  }

  @Test func `are told what those found that they read, wherever these stand in the pipeline`() throws {
    let mono = samples(.native)
    let outcomes = analyze(
      stereo,
      [
        Reader.plugin("second", mono, reads: ["first", "absent"]), Reader.plugin("first", mono, reads: ["probe"]),
        Probe.plugin("probe", mono), Reader.plugin("alone", mono, reads: []),
        Reader.plugin("after_failure", mono, reads: ["failing"]),
        Probe.plugin("failing", mono, Probe(failsAtEnd: .failed("no end"))),
      ])
    #expect(outcomes.map(\.analyzer.id) == ["second", "first", "probe", "alone", "after_failure", "failing"])
    #expect(outcomes.map { $0.read?.valuesOfProbe } == [nil, stereo.frameCount, nil, nil, nil, nil])
    #expect(outcomes.map { $0.read?.depth } == [2, 1, nil, 1, 1, nil])
  }

  @Test func `are others if they read others`() {
    let mono = samples(.native)
    func identity(_ plugins: [AnalyzerPlugin]) -> AnalyzerIdentity? {
      plugins.asOnePipeline().first { $0.id == "cues" }?.identity
    }
    let cues = Reader.plugin("cues", mono, reads: ["sections"])
    let sections = Reader.plugin("sections", mono, reads: ["tempo"])
    let alone = identity([cues])
    let beside = identity([cues, sections])
    #expect(alone == cues.identity)
    #expect(beside != alone)
    #expect(identity([sections, Probe.plugin("other", mono), cues]) == beside)
    #expect(identity([cues, sections, Probe.plugin("tempo", mono)]) != beside)
    #expect(
      identity([cues, sections, Probe.plugin("tempo", mono, version: 2)])
        != identity([cues, sections, Probe.plugin("tempo", mono)]))
  }

  @Test func `are covered by what was found beside more`() throws {
    let mono = samples(.native)
    let cues = Reader.plugin("cues", mono, reads: ["tempo", "sections"])
    let (tempo, sections) = (Probe.plugin("tempo", mono), Probe.plugin("sections", mono))
    func reader(of plugins: [AnalyzerPlugin], in kinds: [AnalyzerPlugin]) throws -> AnalyzerPlugin {
      try #require(plugins.asOnePipeline(defaults: kinds).first { $0.id == "cues" })
    }
    let all = [tempo, sections, cues]
    let pipelines = [all, [cues, tempo], [sections, cues], [cues]]
    let made = try pipelines.map { try reader(of: $0, in: all).identity }
    // One row per pipeline: whether it accepts the cues of each pipeline.
    let covered = try pipelines.map { pipeline in
      try made.map { try reader(of: pipeline, in: all).isCovered(by: [$0]) }
    }
    #expect(
      covered == [
        [true, false, false, false], [true, true, false, false], [true, false, true, false], [true, true, true, true],
      ])
    let other = [Probe.plugin("tempo", mono, version: 2), cues]
    #expect(try !reader(of: other, in: all).isCovered(by: Set(made)))
  }

  @Test func `get no more samples when they have enough`() throws {
    let plugins = [
      Probe.plugin("a", samples(.native), Probe(hasEnoughAfter: 1_000)),
      Probe.plugin("b", spectrum(44_100, 512, 512), Probe(hasEnoughAfter: 300)),
      Probe.plugin("c", samples(.hertz(11_025), .mono, .acoustID), Probe(hasEnoughAfter: 2_000)),
    ]
    let graph = graph(stereo, plugins)
    #expect(graph.wantsMore)
    push(stereo, into: graph, blocks: [512])
    #expect(!graph.wantsMore)
    let outcomes = graph.finish()
    #expect(outcomes[0].probed?.values.count == 1_024)
    #expect(outcomes[1].probed?.starts == [0, 1])
    #expect(try #require(outcomes[2].probed?.values.count) < 3_000)
  }

  @Test func `fail for rates that cannot be resampled to`() {
    let outcomes = analyze(
      stereo,
      [
        Probe.plugin("a", samples(.hertz(3))), Probe.plugin("b", spectrum(0, 512, 512)),
        Probe.plugin("c", samples(.hertz(100_000_000), .native)), Probe.plugin("d", samples(.native)),
        Probe.plugin("e", samples(.native, .mono, .acoustID)),
      ])
    for outcome in outcomes[0..<3] { #expect(outcome.failure?.contains("cannot be resampled") == true) }
    #expect(outcomes[3].probed != nil)
    #expect(outcomes[4].failure?.contains("only produces mono at 11025 Hz") == true)
  }

  @Test func `of the file itself wait for the end`() throws {
    let graph = graph(stereo, [Probe.plugin("a", .file)])
    #expect(!graph.wantsMore)
    push(stereo, into: graph)
    #expect(graph.finish()[0].probed?.values == [])
  }
}
