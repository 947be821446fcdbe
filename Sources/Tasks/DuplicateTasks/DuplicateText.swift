internal import Analysis
internal import Duplicates
internal import Foundation
internal import Library
internal import Platform
internal import Records
internal import ResultStore
internal import Text

package enum DuplicateText {
  package static func lines(for duplicates: LibraryDuplicates) -> [String] {
    var lines: [String] = []
    for (number, group) in duplicates.groups.enumerated() {
      let spare = group.spareBytes > 0 ? "  \(size(group.spareBytes)) to spare" : ""
      lines.append("\(number + 1). \(printable(group.name))\(spare)")
      for file in group.files {
        lines.append("  \(word(file.advice))  \(printable(DisplayPath.text(of: file.record.path)))")
        lines.append("          \(printable(note(on: file)))")
      }
    }
    for longer in duplicates.longerFiles {
      lines.append("Parts of \(printable(DisplayPath.text(of: longer.record.path)))")
      for part in longer.parts {
        lines.append(
          "  \(describe(seconds: part.start))–\(describe(seconds: part.end))  "
            + printable(DisplayPath.text(of: part.record.path)))
      }
    }
    for version in duplicates.otherVersions {
      lines.append("Different mixes of one performance (not duplicates)")
      for file in [version.first, version.second] { lines.append("  \(printable(DisplayPath.text(of: file.path)))") }
    }
    return lines + [summary(of: duplicates)]
  }

  static func summary(of duplicates: LibraryDuplicates) -> String {
    if duplicates.groups.isEmpty, duplicates.longerFiles.isEmpty, duplicates.otherVersions.isEmpty {
      return "No duplicates."
    }
    let longer =
      duplicates.longerFiles.isEmpty ? "" : "; \(counted(duplicates.longerFiles.count, "longer file")) with tracks"
    let versions =
      duplicates.otherVersions.isEmpty ? "" : "; \(counted(duplicates.otherVersions.count, "pair")) of other mixes"
    return "\(spare(of: duplicates))\(longer)\(versions)"
  }

  /// Returns text with the number of groups, and the number and size of the files that can go (`spare`).
  static func spare(of duplicates: LibraryDuplicates) -> String {
    let groups = counted(duplicates.groups.count, "group")
    let spare =
      duplicates.spareCount == 0
      ? "nothing to spare" : "\(counted(duplicates.spareCount, "file")) to spare, \(size(duplicates.spareBytes))"
    return "\(groups): \(spare)"
  }

  static func title(of advice: DuplicateGroup.Advice) -> String {
    switch advice {
    case .keep: "Keep"
    case .spare: "Spare"
    case .review: "Listen first"
    }
  }

  private static func word(_ advice: DuplicateGroup.Advice) -> String {
    switch advice {
    case .keep: "keep  "
    case .spare: "spare "
    case .review: "review"
    }
  }

  /// Returns the format of a file, its difference from the file to keep, and the reasons for keeping that file.
  package static func note(on file: DuplicateGroup.File) -> String {
    var parts = [format(of: file.record)]
    if let difference = difference(of: file) { parts.append(difference) }
    let reasons = file.reasons.joined(separator: ", ")
    if !reasons.isEmpty { parts.append(file.advice == .keep ? "kept: \(reasons)" : "the kept one: \(reasons)") }
    return parts.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  private static func format(of record: FileRecord) -> String {
    guard let format = record.format else { return "" }
    var words = [format.codec]
    if let rate = format.bitRate, !format.isLossless { words.append("\(Int((Double(rate) / 1000).rounded())) kbit/s") }
    words.append("\(format.sampleRate) Hz")
    if let duration = format.duration { words.append(describe(seconds: duration)) }
    if let size = record.sizeBytes { words.append(self.size(size)) }
    return words.joined(separator: " ")
  }

  /// Returns the difference from the file to keep; `nil` for that file itself, and if the alignment has no stretches.
  package static func difference(of file: DuplicateGroup.File) -> String? {
    guard file.advice != .keep else { return nil }
    guard let relation = file.relation.flatMap({ Relation(rawValue: $0) }) else {
      return "similar to others of the group"
    }
    guard let pair = file.pair, let start = pair.stretches.first, let end = pair.stretches.last else {
      return relation == .audio ? "the same audio" : nil
    }
    var words: [String] = []
    switch relation {
    case .audio: return "the same audio"
    case .encoding: words.append("another encoding")
    case .cut: words.append("another cut")
    case .edit: words.append("another edit")
    case .speed: words.append("another speed")
    case .part: words.append("a part")
    case .version: words.append("another mix")
    }
    if relation != .encoding {
      words += ends(missingAtStart: start[2] - start[0], at: "at the start")
      words += gaps(pair.stretches)
      if let own = file.record.format?.duration, let kept = file.keptDuration {
        words += ends(missingAtStart: (kept - end[3]) - (own - end[1]), at: "at the end")
      }
    }
    if abs(pair.speed - 1) >= 0.002 {
      // The file to keep is the second one.
      words.append(String(format: "%.1f%% %@", abs(1 / pair.speed - 1) * 100, pair.speed < 1 ? "faster" : "slower"))
    }
    return words.joined(separator: ", ")
  }

  private static func ends(missingAtStart seconds: Double, at place: String) -> [String] {
    guard abs(seconds) >= 0.5 else { return [] }
    return [String(format: "%.1f s %@ %@", abs(seconds), seconds > 0 ? "missing" : "more", place)]
  }

  private static func gaps(_ stretches: [[Double]]) -> [String] {
    zip(stretches, stretches.dropFirst()).compactMap { before, after in
      let missing = (after[2] - before[3]) - (after[0] - before[1])
      guard abs(missing) >= 0.5 else { return nil }
      return String(
        format: "%.1f s %@ at %@", abs(missing), missing > 0 ? "missing" : "more", describe(seconds: before[1]))
    }
  }

  package static func size(_ bytes: Int64) -> String {
    bytes < 1_000_000
      ? "\(max(1, (bytes + 500) / 1000)) kB"
      : bytes < 1_000_000_000
        ? String(format: "%.1f MB", Double(bytes) / 1e6) : String(format: "%.1f GB", Double(bytes) / 1e9)
  }
}
