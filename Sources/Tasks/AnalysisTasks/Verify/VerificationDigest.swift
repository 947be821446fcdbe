package import Pipeline
internal import Platform
internal import Records
internal import ResultStore
internal import Text

/// A summary of a verification for the terminal, the mail of a nightly job, and programs. Its length is bounded.
package struct VerificationDigest: Sendable {
  private let outcome: LibraryVerification.Outcome

  private static let shown = 10

  package init(_ outcome: LibraryVerification.Outcome) { self.outcome = outcome }

  package var hasNews: Bool { outcome.totals.news > 0 || !outcome.losses.isEmpty }

  /// Returns lines about the files that changed silently, became unreadable or are known as such, with advice; empty if
  /// there are none.
  package func lines(_ style: TextStyle = TextStyle()) -> [String] {
    let totals = outcome.totals
    var lines = list(.changedSilently, totals.changedSilently, style) { count in
      "\(counted(count, "file")) changed silently: different bytes, but the same size and times:"
    }
    lines += list(.unreadable, totals.unreadable, style) { count in
      "\(counted(count, "file")) could be read before and cannot be read now:"
    }
    let known = totals.knownChanged + totals.knownUnreadable
    if known > 0 {
      lines.append("\(counted(known, "file")) known as changed or unreadable from earlier verifications.")
    }
    if totals.changedSilently > 0 {
      lines += [
        "Restore these files from backups, and check the disk and the memory. To accept a change: analyze verify "
          + "--accept FILE",
        "More about one file: analyze show --history FILE",
      ]
    }
    return lines
  }

  private func list(
    _ kind: LibraryVerification.Trouble.Kind, _ count: Int, _ style: TextStyle, title: (Int) -> String
  ) -> [String] {
    guard count > 0 else { return [] }
    let news = outcome.troubles.filter { $0.kind == kind && $0.isNews }
    var lines = [title(count)]
    for trouble in news.prefix(Self.shown) {
      lines.append("  " + style.colored(printable(DisplayPath.text(of: trouble.path)), .yellow))
      lines.append("    " + printable(trouble.message))
    }
    if count > Self.shown { lines.append("  … and \(count - Self.shown) more") }
    return lines + [""]
  }

  /// Returns a text such as `Verified 200 files in 3 s, 1200 MB/s: 198 unchanged, …`.
  package func summary(_ elapsed: Duration) -> String {
    let totals = outcome.totals
    let seconds = max(elapsed / .seconds(1), 0.001)
    let parts = [
      (totals.verified, "unchanged"), (totals.taken, "read for the first time"), (totals.restored, "as before again"),
      (totals.changedSilently, "changed silently"), (totals.knownChanged, "known as changed"),
      (totals.unreadable + totals.knownUnreadable, "unreadable"), (totals.missing, "missing"),
      (totals.leftToScan, "left to the next run"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let speed = "\(Int((Double(totals.bytes) / 1e6 / seconds).rounded())) MB/s"
    return "Verified \(counted(totals.all, "file")) in \(describe(elapsed)), \(speed)"
      + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")) + (outcome.wasStopped ? "; stopped early" : "")
  }

  /// The counts and their names, for messages, metrics and reports.
  package var counts: [(name: String, count: Int)] {
    let totals = outcome.totals
    return [
      ("verified", totals.verified), ("taken", totals.taken), ("restored", totals.restored),
      ("changed_silently", totals.changedSilently), ("known_changed", totals.knownChanged),
      ("unreadable", totals.unreadable), ("known_unreadable", totals.knownUnreadable), ("missing", totals.missing),
      ("left_to_scan", totals.leftToScan),
    ]
  }

  /// Returns a message for each file with a new problem, followed by a summary.
  package func messages(_ elapsed: Duration, _ status: ExitStatus?) -> [Message] {
    var messages = outcome.troubles.filter(\.isNews).map { trouble in
      var fields: [String: JSONValue] = ["path": .string(DisplayPath.text(of: trouble.path))]
      if let hit = trouble.hit { fields["hit"] = .string(hit.rawValue) }
      return Message(
        level: .warning, event: "file_\(trouble.kind.rawValue)",
        text: "\(printable(DisplayPath.text(of: trouble.path))): \(trouble.message)", fields: fields)
    }
    var fields = Dictionary(uniqueKeysWithValues: counts.map { ($0.name, JSONValue.integer(Int64($0.count))) })
    fields["bytes"] = .integer(outcome.totals.bytes)
    fields["duration_s"] = .number((elapsed / .milliseconds(1)).rounded() / 1000)
    if let status { fields["exit_status"] = .integer(Int64(status.rawValue)) }
    messages.append(
      Message(
        level: hasNews ? .warning : .info, event: "verification_ended", text: summary(elapsed), fields: fields))
    return messages
  }
}
