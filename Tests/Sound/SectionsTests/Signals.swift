import Analysis
import AnalysisTesting
import DSP
import Glibc
import SystemPackage

@testable import BuiltInAnalyzers

let sampleRate = 8000
/// Length of a beat at 120 beats per minute, in seconds.
let beatSeconds = 0.5

/// Eight bars of four beats, with one chord per bar, given as MIDI pitches, and the amplitudes of the harmonics.
struct Part {
  var chords: [[Double]]
  var harmonics: [Double]

  static let beats = 32
  static let seconds = Double(beats) * beatSeconds

  static let first = Part(
    chords: [[48, 60, 64, 67], [45, 57, 60, 64], [41, 57, 60, 65], [43, 55, 59, 62]], harmonics: [1, 0.5, 0.3])
  static let second = Part(
    chords: [[50, 62, 66, 69], [46, 58, 62, 65], [52, 59, 64, 68], [49, 61, 64, 68]],
    harmonics: [1, 0.1, 0.6, 0.5, 0.4])
  static let third = Part(
    chords: [[51, 63, 67, 70], [44, 60, 63, 68], [54, 58, 61, 66], [47, 59, 63, 66]],
    harmonics: [0.3, 1, 0.1, 0.1, 0.1, 0.8])

  func chord(atBeat beat: Int) -> [Double] { chords[beat / 4 % chords.count] }
}

/// Sequence of parts with a click on each beat and a little noise, never twice the same.
func song(_ parts: [Part], seed: UInt64 = 1) -> Signal {
  var random = SplitMix64(seed: seed)
  return Signal(sampleRate: sampleRate, seconds: Double(parts.count) * Part.seconds) { time in
    let part = parts[min(Int(time / Part.seconds), parts.count - 1)]
    let beat = Int(time / beatSeconds) % Part.beats
    let age = fmod(time, beatSeconds)
    var sum = 0.004 * Double(random.nextSample()) + (age < 0.01 ? 0.2 * Double(random.nextSample()) : 0)
    // The bass of a chord moves with the beat, so no two beats of a bar are the same.
    for (voice, pitch) in part.chord(atBeat: beat).enumerated() where voice > 0 || beat % 2 == 0 {
      let frequency = 440 * exp2((pitch - 69) / 12)
      for (index, loudness) in part.harmonics.enumerated() {
        sum += 0.05 * loudness * sin(2 * .pi * frequency * Double(index + 1) * time) * exp(-2 * age)
      }
    }
    return sum
  }
}

/// A tempo finding with a beat every half second.
func beats(until seconds: Double) -> TempoFinding {
  var tempo = TempoFinding()
  tempo.bpm = 60 / beatSeconds
  tempo.beats = (0..<Int(seconds / beatSeconds)).map { Double($0) * beatSeconds }
  return tempo
}

/// Finding for a mono signal at 8,000 Hz that arrives in blocks.
func analyze(_ signal: Signal, after tempo: TempoFinding? = nil, block: Int = 16_384) throws -> SectionsFinding {
  var session = try SectionsAnalyzer(.init()).makeSession(for: AudioFile(path: "signal"))
  var stft = STFT(windowLength: SoundProfile.layout.windowLength, hop: SoundProfile.layout.hop)
  let samples = signal.mono
  for start in stride(from: 0, to: samples.count, by: block) {
    let part = Array(samples[start..<min(start + block, samples.count)])
    try stft.push(part.span) { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  }
  try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  return try session.finish(after: EarlierFindings(tempo.map { [$0] } ?? []))
}
