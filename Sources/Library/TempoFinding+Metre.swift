public import Analysis

extension TempoFinding {
  /// The beats of a `metre`: 4 of `4/4`.
  public static func beatsPerBar(_ metre: String) -> Int? { metre.split(separator: "/").first.flatMap { Int($0) } }
}
