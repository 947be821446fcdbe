internal import CKernels

/// Detects blocks that occur exactly twice in a row, as produced by players and by rips with jitter: x[n] = x[n − d]
/// for d samples, and no more.
///
/// Positions are compared only where a hash of four samples recurs within `reach`.
struct RepeatedBlocks {
  struct Block {
    /// Range of the second copy.
    var range: Range<Int64>
  }

  static let reach = 8192
  static let minLength = 96
  private static let limit = 500
  private static let slots = 8192

  private(set) var blocks: [Block] = []
  private(set) var count = 0
  private var places = [Int64](repeating: -1_000_000, count: slots)
  private var hashes = [UInt32](repeating: 0, count: slots)
  private var anchors: [Int32] = []
  private var anchorHashes: [UInt32] = []
  /// End of the last examined match.
  private var checked: Int64 = 0

  /// - Parameters:
  ///   - window, others: Samples of the first and the second channel, with `margin` samples (at least `2 * reach`) on
  ///     either side of the samples to examine.
  mutating func scan(_ window: Span<Float>, _ others: Span<Float>, margin: Int, start: Int64) {
    let offset = start - Int64(margin)
    let count = (window.count - 2 * margin + 7) / 8 * 8
    if anchors.count < count {
      anchors = [Int32](repeating: 0, count: count)
      anchorHashes = [UInt32](repeating: 0, count: count)
    }
    let found = window.withUnsafeBufferPointer { window in
      guard let base = window.baseAddress else { return 0 }
      return unsafe csamplecells_find_anchors(base + margin, count, &anchors, &anchorHashes)
    }
    for anchor in 0..<found {
      let (index, hash) = (margin + Int(anchors[anchor]), anchorHashes[anchor])
      let slot = Int(hash >> 14) & (Self.slots - 1)
      let position = offset + Int64(index)
      let distance = Int(position - places[slot])
      let isSame = hashes[slot] == hash
      places[slot] = position
      hashes[slot] = hash
      if isSame, distance >= Self.minLength, distance <= Self.reach, position >= checked {
        check(window, others, index: index, distance: distance, offset: offset)
      }
    }
  }

  private mutating func check(_ window: Span<Float>, _ others: Span<Float>, index: Int, distance: Int, offset: Int64) {
    var first = index
    while first - 1 - distance >= 0, index - first <= distance, window[first - 1] == window[first - 1 - distance] {
      first -= 1
    }
    var end = index + 1
    while end < window.count, end - index <= 2 * distance, window[end] == window[end - distance] { end += 1 }
    let length = end - first
    guard length >= 24 else { return }
    checked = offset + Int64(end)
    guard length >= distance, length <= distance + 6 else { return }
    var (changes, largest): (Float, Float) = (0, 0)
    for place in first..<end {
      changes += abs(window[place] - window[place - 1])
      largest = max(largest, abs(window[place]))
      if others[place] != others[place - distance], place - first < distance - 4 { return }
    }
    guard changes > Float(length) * 2e-4, largest > 0.005 else { return }
    count += 1
    if blocks.count < Self.limit { blocks.append(Block(range: offset + Int64(end - distance)..<offset + Int64(end))) }
  }
}
