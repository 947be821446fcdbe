/// The ids of the files that a scan has seen, as one bit per row.
struct SeenFiles {
  private var words: [UInt64] = []

  func contains(_ id: Int64) -> Bool {
    let word = Int(id >> 6)
    return word < words.count && words[word] >> UInt64(id & 63) & 1 == 1
  }

  /// - Returns: `false` if the id was already present.
  @discardableResult
  mutating func insert(_ id: Int64) -> Bool {
    let word = Int(id >> 6)
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: max(word + 1, words.count * 2) - words.count))
    }
    let bit: UInt64 = 1 << UInt64(id & 63)
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }
}
