import AnalysisTesting
import Foundation
import Tempo
import Testing

@testable import AudioEncoding

@Suite(.bounded) struct ClickTrackTests {
  /// Silence with the clicks, assembled from blocks.
  private func samples(_ track: ClickTrack, frames: Int, blocks: Int = 16_384, from start: Int = 0) -> [Float] {
    var result: [Float] = []
    for position in Swift.stride(from: start, to: start + frames, by: blocks) {
      let count = min(blocks, start + frames - position)
      var block = [Float](repeating: 0, count: count)
      track.mix(into: &block, stride: count, channelCount: 1, frameCount: count, from: Int64(position))
      result += block
    }
    return result
  }

  @Test(arguments: ClickSound.allCases, [8_000, 44_100, 48_000, 192_000])
  func soundsBeginAtOnceAndEndAtZero(sound: ClickSound, rate: Int) {
    let waveform = ClickWaveform(sound, sampleRate: rate)
    for samples in [waveform.accent, waveform.beat] {
      #expect(abs(samples[0]) > 0.005 && samples[samples.count - 1] == 0)
      #expect(samples.count <= rate * 6 / 100 && samples.allSatisfy { abs($0) <= 1 })
      // A component near half the sample rate would be an alias or a hard edge.
      let alternating = samples.enumerated().reduce(0) { $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 1 : -1) }
      #expect(abs(alternating) < (rate < 10_000 ? 0.15 : 0.04))
    }
    #expect(waveform.accent != waveform.beat && waveform == ClickWaveform(sound, sampleRate: rate))
    #expect(abs((waveform.accent.map(abs).max() ?? 0) - 1) < 1e-6)
  }

  @Test func everyClickIsAtItsFrame() {
    let clicks = [
      ClickTrack.Click(frame: 0, isAccent: true), .init(frame: 9_999, isAccent: false),
      .init(frame: 30_000, isAccent: true),
    ]
    let track = ClickTrack(clicks.reversed(), sound: .wood, sampleRate: 44_100, level: -6)
    let whole = samples(track, frames: 40_000)
    #expect(track.clicks == clicks)
    for click in clicks {
      let frame = Int(click.frame)
      #expect(
        whole[frame] != 0 && (frame == 0 || whole[(max(frame - 1_000, 0))..<frame].suffix(100).allSatisfy { $0 == 0 }))
      let peak = whole[frame..<frame + 3_000].map(abs).max() ?? 0
      #expect(abs(20 * log10(peak) - (click.isAccent ? -6 : -9)) < 0.01)
    }
    // However it is split.
    for blocks in [1, 100, 2_345] { #expect(samples(track, frames: 40_000, blocks: blocks) == whole) }
    #expect(samples(track, frames: 20_000, from: 10_500) == Array(whole[10_500..<30_500]))
  }

  @Test func clicksThatMeetDoNotAddUp() {
    let clicks = (0..<200).map { ClickTrack.Click(frame: $0 * 300, isAccent: $0.isMultiple(of: 2)) }
    let track = ClickTrack(clicks + clicks, sound: .beep, sampleRate: 48_000, level: -1)
    #expect(track.clicks.count == 200)
    #expect(samples(track, frames: 60_000).allSatisfy { abs($0) <= 0.8913 })
  }

  @Test func downbeatsAreAccents() {
    let clicks = ClickTrack.clicks(
      onBeats: [0.5, 0.25, 1.0000113, -1, .nan, .infinity], downbeats: [0.253, 7, 1.007], sampleRate: 44_100)
    #expect(
      clicks == [
        .init(frame: 11_025, isAccent: true), .init(frame: 22_050, isAccent: false),
        .init(frame: 44_100, isAccent: false),
      ])
  }

  @Test func otherSoundIsKept() {
    let track = ClickTrack([.init(frame: 5, isAccent: true)], sound: .click, sampleRate: 44_100, level: -20)
    var block = [Float](repeating: 0.25, count: 30)
    track.mix(into: &block, stride: 10, channelCount: 2, frameCount: 10, from: 0)
    #expect(block.prefix(5).allSatisfy { $0 == 0.25 } && block[5] != 0.25 && block[15] == block[5])
    #expect(block.suffix(10).allSatisfy { $0 == 0.25 })
  }

  // MARK: - Exact positions

  /// An hour of beats: the frame nearest to each, computed independently in integers.
  @Test(arguments: [
    ("120", 120, 1), ("123.45", 12_345, 100), ("370/3", 370, 3), ("99.999", 99_999, 1000), ("174.614", 174_614, 1000),
    ("0370.0/3.00", 370, 3),
  ])
  func anHourWithoutDrift(text: String, numerator: Int, denominator: Int) throws {
    let tempo = try #require(ExactTempo(text))
    for rate in [44_100, 48_000, 192_000] {
      var last = -1
      for beat in 0..<60 * numerator / denominator {
        let frame = Int(tempo.frame(ofBeat: Int64(beat), sampleRate: rate))
        // |frame − beat · 60 · rate · denominator / numerator| ≤ 1/2
        let error = 2 * (frame * numerator - beat * 60 * rate * denominator)
        #expect(error > -numerator && error <= numerator && frame > last)
        last = frame
      }
      #expect(tempo.frame(ofBeat: Int64(60 * numerator), sampleRate: rate) == Int64(3_600 * rate * denominator))
    }
  }

  @Test func tempiThatAreNone() {
    for text in [
      "", "0", "abc", "-120", "1e2", "120/0", "1/2/3", "120.", ".5", "9.99", "1000.1", "inf", "120 ", "١٢٠",
      "1234567890",
    ] {
      #expect(ExactTempo(text) == nil, "\(text)")
    }
    #expect(ExactTempo("10") != nil && ExactTempo("1000") != nil && ExactTempo("2000/3")?.beatsPerMinute == 2000.0 / 3)
  }

  // MARK: - Analysis of clicks

  @Test(arguments: [("120", ClickSound.wood), ("123.45", .beep), ("87.3", .click), ("159.6", .wood)])
  func theTempoAnalyzerHearsTheTempo(text: String, sound: ClickSound) throws {
    let rate = 22_050
    let tempo = try #require(ExactTempo(text))
    let count = Int64(30 * tempo.beatsPerMinute / 60)
    let clicks = (0..<count).map {
      ClickTrack.Click(frame: tempo.frame(ofBeat: $0, sampleRate: rate), isAccent: $0.isMultiple(of: 4))
    }
    let track = ClickTrack(clicks, sound: sound, sampleRate: rate, level: -6)
    let finding = TempoFinding(of: samples(track, frames: 30 * rate), sampleRate: rate)
    #expect(abs((finding.bpm ?? 0) - tempo.beatsPerMinute) < 0.05)
    let inner = finding.beats.filter { $0 > 1 && $0 < 29 }
    #expect(inner.count > Int(27 * tempo.beatsPerMinute / 60))
    for beat in inner {
      let position = beat * tempo.beatsPerMinute / 60
      #expect(abs(position - position.rounded()) * 60 / tempo.beatsPerMinute < 0.01)
    }
  }
}
