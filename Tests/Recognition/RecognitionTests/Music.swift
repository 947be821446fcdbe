import Glibc

/// Music-like signals at 8 kHz made from a seed: a sequence of chords and a melody with decaying partials, and noise
/// bursts for a beat. Two seeds give two pieces that share nothing but the style.
struct Music {
  static let sampleRate = 8000
  private static let noteSeconds = 0.7

  /// A generator with the same numbers on every machine (SplitMix64; Steele, Lea & Flood, OOPSLA 2014).
  struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// - Parameters:
  ///   - speed: Playback speed: pitch and tempo together.
  ///   - start: Seconds of the piece to skip.
  static func piece(seed: UInt64, seconds: Double, speed: Double = 1, from start: Double = 0) -> [Float] {
    var random = Random(state: seed &* 7919)
    let count = Int(seconds * Double(sampleRate))
    var samples = [Float](repeating: 0, count: count)
    let end = start + seconds * speed
    var time = 0.0
    while time < end {
      let length = Double.random(in: 0.12...0.6, using: &random)
      let voices = Int.random(in: 1...4, using: &random)
      for _ in 0..<voices {
        let pitch = 110 * exp2(Double(Int.random(in: 0...44, using: &random)) / 12)
        let decay = Double.random(in: 4...12, using: &random)
        let level = Float.random(in: 0.05...0.2, using: &random)
        if time + noteSeconds > start {
          add(pitch: pitch * speed, decay: decay * speed, level: level, at: (time - start) / speed, to: &samples)
        }
      }
      time += length
    }
    return samples
  }

  private static func add(pitch: Double, decay: Double, level: Float, at seconds: Double, to samples: inout [Float]) {
    let rate = Double(sampleRate)
    for partial in 1...3 where pitch * Double(partial) < 3800 {
      // A rotating phasor instead of a sine for each sample.
      let step = 2 * Double.pi * pitch * Double(partial) / rate
      let (stepCosine, stepSine) = (cos(step), sin(step))
      let fall = exp(-decay / rate)
      var real = 1.0
      var imaginary = 0.0
      var amplitude = Double(level) / Double(partial)
      let first = Int(seconds * rate)
      for index in first..<first + Int(noteSeconds * rate) {
        if index >= samples.count { break }
        if index >= 0 { samples[index] += Float(imaginary * amplitude) }
        (real, imaginary) = (real * stepCosine - imaginary * stepSine, real * stepSine + imaginary * stepCosine)
        amplitude *= fall
      }
    }
  }

  /// White noise at a signal-to-noise ratio in dB.
  static func noisy(_ samples: [Float], decibels: Double, seed: UInt64) -> [Float] {
    var random = Random(state: seed)
    let power = samples.reduce(0.0) { $0 + Double($1 * $1) } / Double(max(1, samples.count))
    // Uniform noise of range ±a has the power a²/3.
    let range = Float((3 * power).squareRoot() * pow(10, -decibels / 20))
    return samples.map { $0 + Float.random(in: -range...range, using: &random) }
  }
}
