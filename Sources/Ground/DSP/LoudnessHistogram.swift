internal import Glibc

/// A histogram of block loudness in steps of 0.02 LU, for the gated loudness of one track, or of several tracks
/// together.
public struct LoudnessHistogram: Hashable, Sendable {
  /// Maximum loudness, in LUFS, of blocks that do not count.
  public static let absoluteGate = -70.0
  private static let step = 0.02
  /// Number of bins. They cover -70 to +50 LUFS. Louder blocks, which cannot occur in limited samples, count in the
  /// last bin.
  private static let binCount = 6_000
  /// Loudness in LUFS of a K-weighted power of 1. With this offset, 997 Hz at full scale in one channel is -3.01 LUFS.
  private static let offset = -0.691

  private var counts = [UInt32](repeating: 0, count: binCount)

  public init() {}

  /// Returns the loudness in LUFS of a K-weighted power; minus infinity for 0.
  public static func loudness(ofPower power: Double) -> Double { offset + 10 * log10(power) }

  /// Returns the K-weighted power of a loudness in LUFS.
  public static func power(ofLoudness loudness: Double) -> Double { pow(10, (loudness - offset) / 10) }

  private static func loudness(ofBin bin: Int) -> Double { absoluteGate + (Double(bin) + 0.5) * step }

  /// Returns the first bin whose middle is at least `loudness`.
  private static func bin(from loudness: Double) -> Int {
    Int(min(max(((loudness - absoluteGate) / step - 0.5).rounded(.up), 0), Double(binCount)))
  }

  /// Counts a block.
  /// - Parameter loudness: The loudness in LUFS. It is ignored if it is NaN, or not above the absolute gate.
  public mutating func add(_ loudness: Double) {
    guard loudness > Self.absoluteGate else { return }
    let bin = min((loudness - Self.absoluteGate) / Self.step, Double(Self.binCount - 1))
    counts[Int(bin)] &+= 1
  }

  /// Adds the blocks of another track.
  public mutating func add(_ other: LoudnessHistogram) {
    for bin in counts.indices { counts[bin] &+= other.counts[bin] }
  }

  /// Integrated loudness in LUFS, to 0.01 LU. It excludes blocks more than 10 LU below the mean of the blocks above the
  /// absolute gate (ITU-R BS.1770-5). `nil` if no blocks remain.
  public var integrated: Double? {
    meanLoudness(fromBin: 0).flatMap { meanLoudness(fromBin: Self.bin(from: $0 - 10)) }
  }

  /// Loudness range in LU, for a histogram of 3 s blocks: from the 10th to the 95th percentile of the blocks, without
  /// those more than 20 LU below the mean (EBU Tech 3342). `nil` if no blocks remain.
  public var range: Double? {
    guard let mean = meanLoudness(fromBin: 0) else { return nil }
    let first = Self.bin(from: mean - 20)
    let total = counts[first...].reduce(0) { $0 + Int($1) }
    guard let low = percentile(0.10, of: total, fromBin: first), let high = percentile(0.95, of: total, fromBin: first)
    else { return nil }
    return high - low
  }

  private func meanLoudness(fromBin first: Int) -> Double? {
    var sum = 0.0
    var total = 0.0
    for bin in first..<Self.binCount where counts[bin] > 0 {
      sum += Double(counts[bin]) * Self.power(ofLoudness: Self.loudness(ofBin: bin))
      total += Double(counts[bin])
    }
    return total > 0 ? Self.loudness(ofPower: sum / total) : nil
  }

  private func percentile(_ share: Double, of total: Int, fromBin first: Int) -> Double? {
    guard total > 0 else { return nil }
    let rank = Int((Double(total - 1) * share).rounded())
    var seen = 0
    for bin in first..<Self.binCount {
      seen += Int(counts[bin])
      if seen > rank { return Self.loudness(ofBin: bin) }
    }
    return nil
  }
}

// MARK: - Bytes

extension LoudnessHistogram {
  /// Each nonempty bin as two LEB128 numbers: its distance from the bin after the previous nonempty one, and its count.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var next = 0
    for (bin, count) in counts.enumerated() where count > 0 {
      Self.append(UInt32(bin - next), to: &bytes)
      Self.append(count, to: &bytes)
      next = bin + 1
    }
    return bytes
  }

  /// - Returns: `nil` if the bytes are not a histogram.
  public init?(bytes: [UInt8]) {
    var rest = bytes[...]
    var next = 0
    while !rest.isEmpty {
      guard let gap = Self.takeNumber(from: &rest), let count = Self.takeNumber(from: &rest) else { return nil }
      let bin = next + Int(gap)
      guard bin < Self.binCount else { return nil }
      counts[bin] = count
      next = bin + 1
    }
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func takeNumber(from bytes: inout ArraySlice<UInt8>) -> UInt32? {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return UInt32(exactly: number) }
    }
    return nil
  }
}
