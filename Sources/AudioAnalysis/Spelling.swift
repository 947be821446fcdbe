/// Finds what somebody meant to write.
public enum Spelling {
  /// The candidate that takes the fewest insertions, deletions, substitutions and swaps of neighbouring characters
  /// ("optimal string alignment"), the first in order among equals; `nil` if even that one shares too little with the
  /// word to be worth suggesting.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(from: word, to: candidate)
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(2, max(word.count, best.candidate.count) / 2) else { return nil }
    return best.candidate
  }

  /// Number of edits (insertion, deletion, substitution, swap of neighbours) that turn one word into the other.
  public static func distance(from first: String, to second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        var edits = min(last[j] + (first[i] == second[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          edits = min(edits, beforeLast[j - 1] + 1)
        }
        row.append(edits)
      }
      beforeLast = last
      last = row
    }
    return last[second.count]
  }
}
