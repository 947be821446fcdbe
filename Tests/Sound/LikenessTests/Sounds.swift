import Analysis
import AnalysisTesting
import DSP
import Glibc
import SystemPackage

@testable import Likeness

let sampleRate = 22_050

/// Chord over a beat: harmonic notes that decay, and noise on every beat.
func music(_ pitches: [Double] = [48, 60, 64, 67], bpm: Double = 120, seconds: Double = 30, start: Double = 0) -> Signal
{
  var random = SplitMix64(seed: 5)
  return Signal(sampleRate: sampleRate, seconds: seconds) { time in
    let age = fmod(time + start, 60 / bpm)
    var sum = 0.05 * Double(random.nextSample()) * exp(-40 * age)
    for pitch in pitches {
      let frequency = 440 * exp2((pitch - 69) / 12)
      for harmonic in 1...4 {
        sum += 0.06 / Double(harmonic) * sin(2 * .pi * frequency * Double(harmonic) * (time + start)) * exp(-3 * age)
      }
    }
    return sum
  }
}

/// Finding for a mono signal at 22,050 Hz.
func analyze(_ signal: Signal) throws -> LikenessFinding {
  var session = LikenessAnalyzer(.init()).makeSession(for: AudioFile(path: "signal"))
  var stft = STFT(windowLength: SoundFrame.layout.windowLength, hop: SoundFrame.layout.hop)
  let samples = signal.mono
  try stft.push(samples.span) { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  return try session.finish()
}

/// Cosine of two descriptors.
func cosine(_ first: LikenessFinding, _ second: LikenessFinding) -> Double {
  func numbers(_ finding: LikenessFinding) -> [Double] { finding.descriptor.map { Double(Int8(bitPattern: $0)) } }
  func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
  let (a, b) = (numbers(first), numbers(second))
  return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
}
