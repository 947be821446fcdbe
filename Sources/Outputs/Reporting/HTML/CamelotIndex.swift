internal import Analysis

/// Numbers the keys: 1A is 0, 1B is 1, … 12B is 23.
enum CamelotIndex {
  static func index(camelot: String) -> Int? { byCamelot[camelot] }

  /// - Parameter key: A key such as `A minor`.
  static func index(key: String) -> Int? { byKey[key] }

  private static let keys = (0..<12).flatMap { pitchClass in
    [MusicalKey.Mode.major, .minor].map { MusicalKey(pitchClass: pitchClass, mode: $0) }
  }
  private static let byCamelot = Dictionary(
    uniqueKeysWithValues: (0..<24).map { ("\($0 / 2 + 1)\($0 % 2 == 0 ? "A" : "B")", $0) })
  private static let byKey = Dictionary(
    uniqueKeysWithValues: keys.compactMap { key in byCamelot[key.camelot].map { (key.description, $0) } })
}
