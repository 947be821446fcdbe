import Analysis
import AnalysisTesting
import DSP
import Glibc
import SystemPackage

@testable import BuiltInAnalyzers

let sampleRate = 8000

/// Repeating sequence of chords of harmonic notes, given as MIDI pitches.
func chords(_ pitches: [[Double]], seconds: Double, each: Double = 1, cents: Double = 0) -> Signal {
  Signal(sampleRate: sampleRate, seconds: seconds) { time in
    let chord = pitches[Int(time / each) % pitches.count]
    let age = fmod(time, each)
    var sum = 0.0
    for pitch in chord {
      let frequency = 440 * exp2((pitch - 69 + cents / 100) / 12)
      for harmonic in 1...4 {
        sum += 0.06 / Double(harmonic) * sin(2 * .pi * frequency * Double(harmonic) * time) * exp(-2 * age)
      }
    }
    return sum
  }
}

/// Cadence I, IV, V, I with the root in the bass, some semitones above C; i, iv, V, i in minor.
func cadence(_ tonic: Int, _ mode: MusicalKey.Mode, seconds: Double, cents: Double = 0) -> Signal {
  let third = mode == .major ? 4.0 : 3.0
  let chordsInC: [[Double]] = [
    [48, 60, 60 + third, 67], [53, 60, 65, 65 + third], [43, 59, 62, 67], [48, 55, 60, 60 + third],
  ]
  return chords(chordsInC.map { $0.map { $0 + Double(tonic) } }, seconds: seconds, cents: cents)
}

/// Finding for a mono signal at 8,000 Hz that arrives in blocks.
func analyze(_ signal: Signal, block: Int = 16_384) throws -> KeyFinding {
  var session = try KeyAnalyzer(.init()).makeSession(for: AudioFile(path: "signal"))
  var stft = STFT(windowLength: PitchSpectrum.layout.windowLength, hop: PitchSpectrum.layout.hop)
  let samples = signal.mono
  for start in stride(from: 0, to: samples.count, by: block) {
    let part = Array(samples[start..<min(start + block, samples.count)])
    try stft.push(part.span) { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  }
  try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  return try session.finish()
}
