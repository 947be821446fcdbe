/// The frames of a track, merged in pairs whenever there are too many: memory is bounded, whatever the length.
struct WaveformCourse {
  /// An hour in frames of 20 ms.
  static let limit = 180_000

  private(set) var frames: [WaveformFrame] = []
  /// Frames of the signal in each of `frames`; in the last one maybe fewer.
  private(set) var merged = 1
  private var lastCount = 0

  mutating func append(_ frame: WaveformFrame) {
    if lastCount > 0, lastCount < merged {
      frames[frames.count - 1].merge(frame)
      lastCount += 1
      return
    }
    if frames.count == Self.limit {
      frames = grouped(by: 2)
      merged *= 2
    }
    frames.append(frame)
    lastCount = 1
  }

  /// So many frames in one.
  func grouped(by count: Int) -> [WaveformFrame] {
    stride(from: 0, to: frames.count, by: count).map { start in
      var sum = frames[start]
      for frame in frames[(start + 1)..<min(start + count, frames.count)] { sum.merge(frame) }
      return sum
    }
  }
}
