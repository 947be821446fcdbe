extension String {
  /// The text as a sentence: with a period, unless it already ends with a punctuation mark.
  public var sentence: String {
    guard let last, !".?!".contains(last) else { return self }
    return self + "."
  }
}

/// Finds the name that was probably meant by a misspelled one.
public enum Suggestion {
  /// Returns the candidate most similar to `name`, or `nil` if none is similar enough.
  ///
  /// A candidate is similar enough if at most a third of the longer name has to be edited. Differences in case, and `-`
  /// instead of `_`, do not count. Among equally similar candidates, the first one in alphabetical order is returned.
  public static func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
    let wanted = folded(name)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates.sorted() {
      let folded = folded(candidate)
      let distance = editDistance(wanted, folded)
      guard 3 * distance <= max(wanted.count, folded.count) else { continue }
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Returns the end of a sentence about an unknown name: the name that was probably meant, or all valid names.
  public static func hint(for name: String, in candidates: some Collection<String>) -> String {
    if let nearest = nearest(to: name, in: candidates) { return "did you mean '\(nearest)'?" }
    guard !candidates.isEmpty else { return "there are no valid names here" }
    return "valid here: \(candidates.sorted().joined(separator: ", "))"
  }

  /// Returns the number of insertions, deletions, substitutions and swaps of neighbors that turn one text into the
  /// other (optimal string alignment; Damerau 1964, Levenshtein 1966).
  static func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (i, a) in first.enumerated() {
      var row = [i + 1]
      row.reserveCapacity(second.count + 1)
      for (j, b) in second.enumerated() {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
        if i > 0, j > 0, a == second[j - 1], first[i - 1] == b {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[second.count]
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  }
}
