internal import Foundation

/// The sound of a click. Each sound has two pitches: accents are higher.
public enum ClickSound: String, Hashable, Sendable, CaseIterable {
  /// A wood block: three partials that decay fast.
  case wood
  /// A short sine.
  case beep
  /// The shortest sound that still has a recognizable pitch.
  case click
}

/// The samples of a click sound at one sample rate.
///
/// Each click is a sum of damped cosines that reaches full strength within half a millisecond and ends at zero. No
/// partial comes near half the sample rate, so there is no aliasing. A click starts at its first sample, which is not
/// zero. The peak of an accent is 1.
struct ClickWaveform: Hashable, Sendable {
  let accent: [Float]
  let beat: [Float]

  /// Attenuation of beats relative to accents, in dB.
  static let beatAttenuation = 3.0

  init(_ sound: ClickSound, sampleRate: Int) {
    accent = Tone(sound, isAccent: true).samples(sampleRate: Double(sampleRate))
    let scale = Float(pow(10, -Self.beatAttenuation / 20))
    beat = Tone(sound, isAccent: false).samples(sampleRate: Double(sampleRate)).map { $0 * scale }
  }

  var longest: Int { max(accent.count, beat.count) }
}

/// Synthesis parameters of a click sound.
private struct Tone {
  struct Partial {
    /// Frequency as a multiple of the tone's frequency.
    var ratio: Double
    var amplitude: Double
    /// Time until the partial has decayed to 1/e, in seconds.
    var decay: Double
  }

  /// Frequency in Hz.
  var frequency: Double
  var partials: [Partial]
  /// Duration in seconds.
  var length: Double

  init(_ sound: ClickSound, isAccent: Bool) {
    switch sound {
    case .wood:
      frequency = isAccent ? 1_320 : 880
      // The partials of a loosely held wooden bar have ratios like these.
      partials = [
        Partial(ratio: 1, amplitude: 1, decay: 0.011), Partial(ratio: 2.76, amplitude: 0.5, decay: 0.006),
        Partial(ratio: 5.4, amplitude: 0.25, decay: 0.003),
      ]
      length = 0.06
    case .beep:
      frequency = isAccent ? 1_760 : 1_174.7
      partials = [Partial(ratio: 1, amplitude: 1, decay: 0.03)]
      length = 0.05
    case .click:
      frequency = isAccent ? 3_520 : 2_349.3
      partials = [Partial(ratio: 1, amplitude: 1, decay: 0.0015)]
      length = 0.01
    }
  }

  /// Time from the first sample to full strength, in seconds.
  private static let attack = 0.0005
  /// Amplitude of the first sample.
  private static let onset = 0.02
  /// Maximum frequency, as a fraction of the sample rate.
  private static let maxFrequency = 0.25
  /// Duration of the fade to zero at the end, as a fraction of the tone's duration.
  private static let fade = 0.3

  /// - Parameter sampleRate: Sample rate in Hz.
  func samples(sampleRate: Double) -> [Float] {
    let count = max(4, Int((length * sampleRate).rounded()))
    let base = min(frequency, Self.maxFrequency * sampleRate)
    let audible = partials.filter { $0.ratio * base <= Self.maxFrequency * sampleRate }
    let values = (0..<count).map { index in
      let time = Double(index) / sampleRate
      let sum = audible.reduce(0) { sum, partial in
        sum + partial.amplitude * exp(-time / partial.decay) * cos(2 * .pi * base * partial.ratio * time)
      }
      return sum * rise(time) * fall(Double(index) / Double(count - 1))
    }
    let peak = values.map(abs).max() ?? 1
    return values.map { Float($0 / peak) }
  }

  private func rise(_ time: Double) -> Double {
    time >= Self.attack ? 1 : Self.onset + (1 - Self.onset) * pow(sin(.pi / 2 * time / Self.attack), 2)
  }

  /// - Parameter place: Position in the tone, from 0 at the first sample to 1 at the last.
  private func fall(_ place: Double) -> Double {
    let start = 1 - Self.fade
    return place < start ? 1 : place >= 1 ? 0 : pow(cos(.pi / 2 * (place - start) / Self.fade), 2)
  }
}
