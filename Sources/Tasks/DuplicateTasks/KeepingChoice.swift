internal import Analysis
internal import Library
internal import Platform
internal import Records

/// Chooses which file of a group to keep.
struct KeepingChoice {
  /// A file with the data the rules need.
  struct Candidate {
    var record: FileRecord
    /// Duration of the recording in this file, in seconds, at the speed of the first candidate.
    var length: Double
    /// Number of tracks of the file's album in its folder.
    var albumSize: Int
    /// `true` if a person has chosen to keep this file.
    var isWanted: Bool
  }

  private let rules: [KeepingRule]
  private let candidates: [Candidate]

  /// - Parameter rules: The rules in order of precedence. The first rule that distinguishes two files decides.
  init(of candidates: [Candidate], by rules: [KeepingRule]) {
    self.rules = rules
    self.candidates = candidates
  }

  /// The index of the file to keep. A person's choice takes precedence over the rules. If no rule decides, the file
  /// whose path sorts first is kept.
  var best: Int {
    var left = Array(candidates.indices)
    if left.contains(where: { candidates[$0].isWanted }) { left.removeAll { !candidates[$0].isWanted } }
    for rule in rules where left.count > 1 {
      let values = left.map { value($0, by: rule) }
      let most = values.max() ?? 0
      left = zip(left, values).filter { most - $0.1 <= rule.tolerance }.map(\.0)
    }
    return left.min { path($0).lexicographicallyPrecedes(path($1)) } ?? 0
  }

  /// Returns the reason to keep one file rather than another: a person's choice, or the first rule that distinguishes
  /// them.
  func reason(for kept: Int, over other: Int) -> String {
    if candidates[kept].isWanted, !candidates[other].isWanted { return "you chose it" }
    for rule in rules where value(kept, by: rule) - value(other, by: rule) > rule.tolerance { return rule.reason }
    return "first of equals"
  }

  private func value(_ index: Int, by rule: KeepingRule) -> Double {
    let candidate = candidates[index]
    return rule.value(of: candidate.record, length: candidate.length, albumSize: candidate.albumSize)
  }

  private func path(_ index: Int) -> [UInt8] { candidates[index].record.path.withBytes { Array($0) } }
}
