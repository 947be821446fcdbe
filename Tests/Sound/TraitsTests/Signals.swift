import Analysis
import AnalysisTesting
import DSP
import Glibc

@testable import BuiltInAnalyzers

let sampleRate = CriticalBands.layout.sampleRate

/// Kicks and hi-hats at given times over a quiet chord.
///
/// - Parameters:
///   - chord: Amplitude of the chord.
///   - hits: Amplitude of drums.
func drums(at times: [Double], seconds: Double, chord: Double = 0.05, hits: Double = 0.5) -> Signal {
  var random = SplitMix64(seed: 5)
  var samples = (0..<Int(seconds * Double(sampleRate))).map { index in
    let time = Double(index) / Double(sampleRate)
    return [220, 277.2, 329.6].reduce(0) { $0 + Float(chord * sin(2 * .pi * $1 * time)) }
  }
  for time in times {
    let first = Int(time * Double(sampleRate))
    for offset in 0..<sampleRate / 4 where samples.indices.contains(first + offset) {
      let age = Double(offset) / Double(sampleRate)
      let kick = sin(2 * .pi * 70 * age) * exp(-20 * age)
      let hat = 0.3 * Double(random.nextSample()) * exp(-80 * age)
      samples[first + offset] += Float(hits * (kick + hat))
    }
  }
  return Signal(sampleRate: sampleRate, channels: [samples])
}

/// Periodic times with a uniformly distributed deviation of ± `jitter` seconds.
func beats(every period: Double, seconds: Double, jitter: Double = 0) -> [Double] {
  var random = SplitMix64(seed: 11)
  return stride(from: 0.1, to: seconds, by: period).map { $0 + jitter * Double(random.nextSample()) }
}

/// Speech-like syllables: bursts of a voice with harmonics, about four a second, of uneven length, with pauses.
func babble(seconds: Double) -> Signal {
  var random = SplitMix64(seed: 3)
  var samples = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
  var time = 0.0
  while time < seconds {
    let length = 0.18 + 0.08 * Double(random.nextSample())
    let pitch = 120 + 20 * Double(random.nextSample())
    let first = Int(time * Double(sampleRate))
    for offset in 0..<Int(length * Double(sampleRate)) where first + offset < samples.count {
      let age = Double(offset) / Double(sampleRate)
      let swell = sin(.pi * age / length)
      let voice = (1...12).reduce(0.0) { $0 + sin(2 * .pi * pitch * Double($1) * age) / Double($1) }
      samples[first + offset] = Float(0.2 * swell * swell * voice)
    }
    time += length + (random.nextSample() > 0.7 ? 0.25 : 0.03)
  }
  return Signal(sampleRate: sampleRate, channels: [samples])
}

/// Finding for a mono signal at 22,050 Hz that arrives in blocks.
func analyze(_ signal: Signal, block: Int = 16_384) throws -> TraitsFinding {
  var session = TraitsAnalyzer.Session()
  var stft = STFT(windowLength: CriticalBands.layout.windowLength, hop: CriticalBands.layout.hop)
  let samples = signal.mono
  for start in stride(from: 0, to: samples.count, by: block) {
    let part = Array(samples[start..<min(start + block, samples.count)])
    try stft.push(part.span) { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  }
  try stft.finish { (column, index) throws(AnalysisError) in try session.consume(column, at: index) }
  return try session.finish()
}
