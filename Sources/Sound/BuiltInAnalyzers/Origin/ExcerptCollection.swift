internal import Foundation

/// Collects short two-channel excerpts from the whole file, at most `limit` of them, regardless of the file's duration.
///
/// The file is divided into equal slots, and the first excerpt of each slot that is not too quiet is kept. If there are
/// too many excerpts, the slot length is doubled. The result depends only on the samples, not on the size of the blocks
/// in which they arrive.
struct ExcerptCollection {
  struct Excerpt {
    /// Index of the first frame.
    var start: Int64
    /// The left and right channels, which are the same for mono. The unit is a 16-bit step.
    var channels: [[Float]]
  }

  static let limit = 16
  /// Minimum mean magnitude of second differences, in 16-bit steps. Dither noise reaches half of it.
  private static let minActivity: Float = 4

  private(set) var excerpts: [Excerpt] = []
  /// Number of frames pushed so far.
  private(set) var frameCount: Int64 = 0
  let length: Int
  private let alignment: Int64
  private var slotLength: Int64
  private var current: Excerpt
  private var filled = 0

  /// - Parameter alignment: Excerpts start at multiples of this number of frames.
  init(length: Int, alignment: Int, sampleRate: Int) {
    self.length = length
    self.alignment = Int64(alignment)
    slotLength = Int64(max(length, sampleRate / 2))
    let silence = [Float](repeating: 0, count: length)
    current = Excerpt(start: 0, channels: [silence, silence])
  }

  mutating func push(_ values: Span<Float>, channelCount: Int, at index: Int64) {
    let count = values.count / channelCount
    var position = 0
    while position < count {
      let next = current.start + Int64(filled)
      let skipped = Int(min(Int64(count - position), max(0, next - (index + Int64(position)))))
      position += skipped
      let taken = min(count - position, length - filled)
      if taken > 0 {
        for channel in 0..<2 {
          let start = min(channel, channelCount - 1) * count + position
          let target = filled
          let source = values.extracting(start..<start + taken)
          var part = current.channels[channel].mutableSpan
          for frame in 0..<taken {
            let value = source[frame] * 32768
            part[target + frame] = abs(value) < 1e9 ? value : 0
          }
        }
        filled += taken
        position += taken
      }
      if filled == length { close() }
    }
    frameCount += Int64(count)
  }

  private mutating func close() {
    var start = current.start + Int64(length)
    if activity >= Self.minActivity {
      excerpts.append(current)
      if excerpts.count > Self.limit { widen() }
      // One that was late in its slot may end within the next.
      start = max(start, (current.start / slotLength + 1) * slotLength)
    }
    current.start = (start + alignment - 1) / alignment * alignment
    filled = 0
  }

  private mutating func widen() {
    slotLength *= 2
    var kept: [Excerpt] = []
    for excerpt in excerpts where kept.last.map({ $0.start / slotLength != excerpt.start / slotLength }) ?? true {
      kept.append(excerpt)
    }
    excerpts = kept
  }

  private var activity: Float {
    current.channels.map { samples in
      var sum: Float = 0
      let samples = samples.span
      for index in 2..<samples.count { sum += abs(samples[index] - 2 * samples[index - 1] + samples[index - 2]) }
      return sum / Float(samples.count - 2)
    }.max() ?? 0
  }
}
