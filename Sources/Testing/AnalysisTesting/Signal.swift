internal import Foundation

/// A signal for tests, which is the same in every run. Its channels are planar and of equal length, with full scale at
/// ±1.
public struct Signal: Sendable, Hashable {
  /// The sample rate in Hz.
  public var sampleRate: Int
  public var channels: [[Float]]

  public init(sampleRate: Int, channels: [[Float]]) {
    self.sampleRate = sampleRate
    self.channels = channels
  }

  public var channelCount: Int { channels.count }
  public var frameCount: Int { channels.first?.count ?? 0 }
  /// The duration in seconds.
  public var duration: Double { Double(frameCount) / Double(sampleRate) }

  /// The mean of all channels.
  public var mono: [Float] {
    guard channelCount > 1 else { return channels.first ?? [] }
    return (0..<frameCount).map { frame in
      channels.reduce(0) { $0 + $1[frame] } / Float(channelCount)
    }
  }

  /// Creates a mono signal, computed sample by sample from the time in seconds.
  public init(sampleRate: Int = 44_100, seconds: Double, _ sample: (Double) -> Double) {
    let count = Int((seconds * Double(sampleRate)).rounded())
    self.init(sampleRate: sampleRate, channels: [(0..<count).map { Float(sample(Double($0) / Double(sampleRate))) }])
  }
}

// MARK: - Generators

extension Signal {
  public static func silence(sampleRate: Int = 44_100, seconds: Double) -> Signal {
    Signal(sampleRate: sampleRate, seconds: seconds) { _ in 0 }
  }

  public static func sine(
    _ frequency: Double, amplitude: Double = 0.5, sampleRate: Int = 44_100, seconds: Double
  ) -> Signal {
    Signal(sampleRate: sampleRate, seconds: seconds) { amplitude * sin(2 * .pi * frequency * $0) }
  }

  /// A sine whose frequency rises exponentially from one frequency to the other.
  public static func chirp(
    from start: Double, to end: Double, amplitude: Double = 0.5, sampleRate: Int = 44_100, seconds: Double
  ) -> Signal {
    let growth = log(end / start) / seconds
    return Signal(sampleRate: sampleRate, seconds: seconds) { time in
      amplitude * sin(2 * .pi * start * (exp(growth * time) - 1) / growth)
    }
  }

  /// The signal of `Benchmarks/golden.py`: low and high hits, each twice a second, hits in the middle register, and a
  /// slow and a fast sweep.
  public static func golden(sampleRate: Int, seconds: Double) -> Signal {
    Signal(sampleRate: sampleRate, seconds: seconds) { time in
      let turn = 2 * Double.pi * time
      let low = 0.5 * exp(-25 * fmod(time, 0.5)) * sin(80 * turn)
      let high = 0.3 * exp(-60 * fmod(time + 0.25, 0.5)) * sin(3000 * turn)
      let middle = 0.1 * exp(-8 * fmod(time, 0.375)) * sin(1234 * turn)
      return low + high + middle + 0.1 * sin((300 + 40 * time) * turn) + 0.05 * sin(1000 * time * turn)
    }
  }

  /// White noise, uniformly distributed over ±amplitude.
  public static func noise(
    seed: UInt64 = 1, amplitude: Float = 0.5, sampleRate: Int = 44_100, seconds: Double
  ) -> Signal {
    var random = SplitMix64(seed: seed)
    return Signal(sampleRate: sampleRate, seconds: seconds) { _ in Double(amplitude * random.nextSample()) }
  }

  /// Clicks of 5 ms (decaying noise) at `start + n · 60 / bpm` seconds.
  public static func clickTrack(
    bpm: Double, start: Double = 0, amplitude: Float = 0.8, sampleRate: Int = 44_100, seconds: Double
  ) -> Signal {
    var signal = silence(sampleRate: sampleRate, seconds: seconds)
    let click = noise(seed: 7, amplitude: amplitude, sampleRate: sampleRate, seconds: 0.005).channels[0]
    var beat = 0
    while true {
      let first = Int(((start + Double(beat) * 60 / bpm) * Double(sampleRate)).rounded())
      guard first < signal.frameCount else { return signal }
      for (offset, sample) in click.enumerated() where first + offset < signal.frameCount {
        signal.channels[0][first + offset] += sample * (1 - Float(offset) / Float(click.count))
      }
      beat += 1
    }
  }

  /// A music-like signal: a chord progression of four harmonic notes per chord, two chords per second, over quiet
  /// noise.
  public static func chords(seed: UInt64 = 3, sampleRate: Int = 44_100, seconds: Double) -> Signal {
    var random = SplitMix64(seed: seed)
    let chordLength = 0.5
    let chords = (0...Int(seconds / chordLength)).map { _ in
      (0..<4).map { _ in 110 * exp2(Double(Int.random(in: 0..<36, using: &random)) / 12) }
    }
    return Signal(sampleRate: sampleRate, seconds: seconds) { time in
      let chord = Int(time / chordLength)
      let age = time - Double(chord) * chordLength
      var sum = 0.01 * Double(random.nextSample())
      for frequency in chords[chord] {
        for harmonic in 1...3 {
          sum += 0.08 / Double(harmonic) * sin(2 * .pi * frequency * Double(harmonic) * time) * exp(-3 * age)
        }
      }
      return sum
    }
  }
}

// MARK: - Combining signals

extension Signal {
  /// The sum of two signals, with the duration of the longer one. Rates and channel counts must agree.
  public static func + (first: Signal, second: Signal) -> Signal {
    precondition(first.sampleRate == second.sampleRate && first.channelCount == second.channelCount)
    var sum = first.frameCount >= second.frameCount ? first : second
    let other = first.frameCount >= second.frameCount ? second : first
    for channel in 0..<sum.channelCount {
      for frame in 0..<other.frameCount { sum.channels[channel][frame] += other.channels[channel][frame] }
    }
    return sum
  }

  /// A multichannel signal made of several mono signals with the same rate and duration.
  public static func channels(_ signals: [Signal]) -> Signal {
    precondition(Set(signals.map(\.sampleRate)).count == 1 && Set(signals.map(\.frameCount)).count == 1)
    return Signal(sampleRate: signals[0].sampleRate, channels: signals.flatMap(\.channels))
  }

  public func scaled(by factor: Float) -> Signal {
    Signal(sampleRate: sampleRate, channels: channels.map { $0.map { $0 * factor } })
  }

  public func prefix(_ frameCount: Int) -> Signal {
    Signal(sampleRate: sampleRate, channels: channels.map { Array($0.prefix(frameCount)) })
  }
}
