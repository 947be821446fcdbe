/// The ratio of two tempi in small whole numbers, such as 3/2, 1/2 or 2.
public struct BeatRatio: Hashable, Sendable, CustomStringConvertible {
  public let numerator: Int
  public let denominator: Int

  public init(_ numerator: Int, _ denominator: Int = 1) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The ratio 1, and the ratios by which people and programs commonly misjudge a tempo.
  public static let all = [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (3, 2), (2, 3), (4, 3), (3, 4)].map {
    BeatRatio($0.0, $0.1)
  }

  /// - Parameter text: `2`, `1/2`, `3/2`, …: any of `all` except 1.
  public init?(_ text: String) {
    guard let ratio = Self.all.dropFirst().first(where: { $0.description == text }) else { return nil }
    self = ratio
  }

  public var value: Double { Double(numerator) / Double(denominator) }
  public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
