internal import Foundation

/// Clicks at exact positions, mixed into audio block by block.
public struct ClickTrack: Sendable {
  public struct Click: Hashable, Sendable {
    /// Position of the first sample, in frames from the start of the audio.
    public var frame: Int64
    public var isAccent: Bool

    public init(frame: Int64, isAccent: Bool) {
      self.frame = frame
      self.isAccent = isAccent
    }
  }

  /// The clicks in ascending order, at most one per frame.
  public let clicks: [Click]
  /// Sample rate in Hz.
  public let sampleRate: Int
  private let accent: [Float]
  private let beat: [Float]

  /// - Parameters:
  ///   - sampleRate: Sample rate in Hz.
  ///   - level: Peak of an accent, in dBFS; other clicks are 3 dB quieter.
  public init(_ clicks: [Click], sound: ClickSound, sampleRate: Int, level: Double) {
    var ordered: [Click] = []
    for click in clicks.sorted(by: { $0.frame < $1.frame }) where click.frame >= 0 {
      if ordered.last?.frame == click.frame {
        if click.isAccent { ordered[ordered.count - 1].isAccent = true }
      } else {
        ordered.append(click)
      }
    }
    self.clicks = ordered
    self.sampleRate = sampleRate
    let waveform = ClickWaveform(sound, sampleRate: sampleRate)
    let amplitude = Float(pow(10, level / 20))
    accent = waveform.accent.map { $0 * amplitude }
    beat = waveform.beat.map { $0 * amplitude }
  }

  /// Returns a click for each beat from 0 to 10⁹ s, with accents on downbeats.
  ///
  /// - Parameters:
  ///   - beats: Times in seconds from the start of the audio.
  ///   - downbeats: Times in seconds from the start of the audio. A beat within 5 ms of a downbeat is an accent.
  public static func clicks(onBeats beats: [Double], downbeats: [Double], sampleRate: Int) -> [Click] {
    let accents = downbeats.sorted()
    var next = 0
    return beats.filter { $0.isFinite && $0 >= 0 && $0 < 1e9 }.sorted().map { beat in
      while next < accents.count, accents[next] < beat - accentTolerance { next += 1 }
      return Click(
        frame: Int64((beat * Double(sampleRate)).rounded()),
        isAccent: next < accents.count && accents[next] <= beat + accentTolerance)
    }
  }

  /// Tolerance for matching beats and downbeats, in seconds.
  private static let accentTolerance = 0.005

  /// Adds the clicks that are audible in a range of the audio to planar samples. A click ends where the next one
  /// begins, so the added signal never exceeds `level`.
  ///
  /// - Parameters:
  ///   - samples: Planar samples: sample `f` of channel `c` is `samples[c * stride + f]`.
  ///   - channelCount: Number of channels that get clicks, starting with the first.
  ///   - frameCount: Number of frames in the range.
  ///   - start: First frame of the range, counted from the start of the audio.
  public func mix(
    into samples: inout [Float], stride: Int, channelCount: Int, frameCount: Int, from start: Int64
  ) {
    let end = start + Int64(frameCount)
    var index = firstIndex(soundingAt: start)
    while index < clicks.count, clicks[index].frame < end {
      let click = clicks[index]
      let sound = click.isAccent ? accent : beat
      index += 1
      let last = min(click.frame + Int64(sound.count), end, index < clicks.count ? clicks[index].frame : .max)
      let first = max(click.frame, start)
      guard first < last else { continue }
      for channel in 0..<channelCount {
        let offset = channel * stride + Int(first - start)
        let from = Int(first - click.frame)
        for frame in 0..<Int(last - first) { samples[offset + frame] += sound[from + frame] }
      }
    }
  }

  /// Returns the index of the first click that may still be audible at a frame.
  private func firstIndex(soundingAt frame: Int64) -> Int {
    let earliest = frame - Int64(max(accent.count, beat.count))
    var range = 0..<clicks.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if clicks[middle].frame <= earliest {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}
