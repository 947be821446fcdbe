internal import Mathematics

/// A histogram of levels, in bounded memory.
struct LevelDistribution {
  /// Range of levels, in dB relative to full scale.
  private static let range = -200.0..<200.0
  private static let binsPerDecibel = 10.0
  /// Depth of the evaluated range, in dB: levels that are further below the loudest one are ignored.
  private static let depth = 60.0

  private var counts = [Int](repeating: 0, count: Int((range.upperBound - range.lowerBound) * binsPerDecibel))

  /// - Parameter meanSquare: The mean square, relative to a full scale of 1.
  mutating func add(meanSquare: Double) {
    guard meanSquare > 0 else { return }
    let bin = (10 * log10(meanSquare) - Self.range.lowerBound) * Self.binsPerDecibel
    counts[Int(min(max(bin, 0), Double(counts.count - 1)))] += 1
  }

  /// Upper edge of the loudest nonempty bin, in dB; `nil` if all bins are empty.
  var loudest: Double? { counts.lastIndex { $0 > 0 }.map { Self.decibels(Double($0 + 1)) } }

  /// Number of levels within `depth` of the loudest one.
  var soundCount: Int { sound.reduce(0) { $0 + counts[$1] } }

  /// Returns a percentile of the levels within `depth` of the loudest, in dB.
  func percentile(_ share: Double) -> Double {
    var rest = share * Double(soundCount)
    for bin in sound where counts[bin] > 0 {
      if rest <= Double(counts[bin]) { return Self.decibels(Double(bin) + rest / Double(counts[bin])) }
      rest -= Double(counts[bin])
    }
    return loudest ?? Self.range.lowerBound
  }

  private var sound: Range<Int> {
    guard let last = counts.lastIndex(where: { $0 > 0 }) else { return 0..<0 }
    return max(0, last - Int(Self.depth * Self.binsPerDecibel))..<last + 1
  }

  private static func decibels(_ bin: Double) -> Double { range.lowerBound + bin / binsPerDecibel }
}
