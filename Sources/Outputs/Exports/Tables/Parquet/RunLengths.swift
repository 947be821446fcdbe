/// Encodes whole numbers as runs of equal values: Parquet's levels and dictionary indices. (Apache Parquet,
/// `Encodings.md`: the RLE half of the RLE/bit-packing hybrid.)
struct RunLengths {
  private var encoded: [UInt8] = []
  private var value = 0
  private var count = 0
  /// Number of bytes per value.
  private let width: Int

  /// - Parameter maxValue: The largest value that may occur.
  init(maxValue: Int) {
    width = maxValue < 1 << 8 ? 1 : maxValue < 1 << 16 ? 2 : 4
  }

  mutating func append(_ next: Int) {
    if next == value, count > 0 {
      count += 1
      return
    }
    flush()
    value = next
    count = 1
  }

  private mutating func flush() {
    guard count > 0 else { return }
    encoded.appendVarint(UInt64(count) << 1)
    for byte in 0..<width { encoded.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    count = 0
  }

  /// Returns the encoding of all values appended so far, and removes them.
  mutating func take() -> [UInt8] {
    flush()
    defer { encoded.removeAll(keepingCapacity: true) }
    return encoded
  }
}
