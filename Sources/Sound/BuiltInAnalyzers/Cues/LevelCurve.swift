internal import DSP

/// The power of a track over time, in slots of 20 ms (longer in tracks of more than an hour): that of the whole signal,
/// and that of its bass.
struct LevelCurve {
  struct Slot: Mergeable {
    /// Sum of squares of all samples.
    var energy: Float
    /// Sum of squares of the bass.
    var bass: Float

    mutating func merge(_ next: Slot) {
      energy += next.energy
      bass += next.bass
    }
  }

  /// Maximum number of slots, which is enough for an hour.
  private static let limit = 180_000
  /// Number of parts per slot. Averaging the samples of a part, 2.5 ms, is a cheap low-pass filter: 3 dB down at 180
  /// Hz, with a zero at 400 Hz.
  private static let partsPerSlot = 8

  private let channelCount: Int
  /// Number of frames per slot before slots are merged.
  private let length: Int
  /// Planar samples.
  private var samples: [Float]
  private var count = 0
  private var series = BoundedSeries<Slot>(limit: Self.limit)

  init(sampleRate: Int, channelCount: Int) {
    self.channelCount = channelCount
    length = max(1, sampleRate / 50)
    samples = [Float](repeating: 0, count: length * channelCount)
  }

  /// Number of frames per slot.
  var slotLength: Int { length * series.merged }
  var slots: [Slot] { series.elements }

  /// - Parameter values: Planar samples.
  mutating func append(_ values: Span<Float>) {
    let frames = values.count / channelCount
    values.withUnsafeBufferPointer { values in
      guard let source = values.baseAddress else { return }
      var start = 0
      while start < frames {
        if count == 0, frames - start >= length {
          series.append(unsafe slot(source + start, stride: frames, count: length))
          start += length
          continue
        }
        let part = min(length - count, frames - start)
        samples.withUnsafeMutableBufferPointer { samples in
          for channel in 0..<channelCount {
            for index in 0..<part {
              unsafe samples[channel * length + count + index] = source[channel * frames + start + index]
            }
          }
        }
        start += part
        count += part
        if count == length { endSlot() }
      }
    }
  }

  /// Completes the curve. The last slot may be shorter.
  mutating func finish() {
    if count > 0 { endSlot() }
  }

  private mutating func endSlot() {
    samples.withUnsafeBufferPointer { samples in
      if let start = samples.baseAddress { series.append(unsafe slot(start, stride: length, count: count)) }
    }
    count = 0
  }

  /// - Parameters:
  ///   - stride: Number of samples from one channel to the next.
  ///   - count: Number of frames.
  private func slot(_ start: UnsafePointer<Float>, stride: Int, count: Int) -> Slot {
    typealias Lanes = SIMD8<Float>
    let partLength = (length / Self.partsPerSlot + 7) / 8 * 8
    var slot = Slot(energy: 0, bass: 0)
    for channel in 0..<channelCount {
      var index = channel * stride
      let end = index + count
      while index < end {
        let partStart = index
        let partEnd = min(index + max(1, partLength), end)
        var (sums, squares) = (Lanes.zero, Lanes.zero)
        while index + 8 <= partEnd {
          let x = unsafe UnsafeRawPointer(start + index).loadUnaligned(as: Lanes.self)
          sums += x
          squares += x * x
          index += 8
        }
        var (sum, square) = (sums.sum(), squares.sum())
        while index < partEnd {
          let x = unsafe start[index]
          sum += x
          square += x * x
          index += 1
        }
        slot.energy += square
        slot.bass += sum * sum / Float(partEnd - partStart)
      }
    }
    // Slots with samples that are not finite count as silence.
    return slot.energy.isFinite && slot.bass.isFinite ? slot : Slot(energy: 0, bass: 0)
  }
}
