package import Analysis
internal import Foundation
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// A summary of failures for the mail of a nightly job: new failures and new damage by reason, with a few example files
/// and advice. Its length is bounded, no matter how many failures there are.
package struct FailureDigest: Sendable {
  package enum Audience: Sendable {
    case people, programs
  }

  /// The failures that are new in this run, grouped by reason.
  package let failures: [FailureGroup]
  package let damage: [FailureGroup]
  /// Number of failures that an earlier run has already reported.
  package let knownFailures: Int
  /// Number of damaged files that an earlier run has already reported.
  package let knownDamaged: Int
  package let losses: [WorkerLoss: Int]
  /// Number of files left for the next run.
  package let pending: Int
  let database: FilePath
  let reports: [FilePath]

  private static let groupsShown = 10
  private static let examplesShown = 3
  /// Maximum number of files per reason in `messages`.
  private static let examplesForPrograms = 1_000

  /// - Parameter run: The id of the run; `nil` if no run was recorded.
  package init(
    of run: Int64?, in store: ResultStore, for audience: Audience = .people, knownFailures: Int, knownDamaged: Int,
    losses: [WorkerLoss: Int] = [:], pending: Int = 0, reports: [FilePath] = []
  ) throws {
    let examples = audience == .programs ? Self.examplesForPrograms : Self.examplesShown
    failures = try run.map { try store.newFailureGroups(in: $0, examples: examples) } ?? []
    damage = try run.map { try store.newDamageGroups(in: $0, examples: examples) } ?? []
    self.knownFailures = knownFailures
    self.knownDamaged = knownDamaged
    self.losses = losses
    self.pending = pending
    database = store.path
    self.reports = reports
  }

  private var hasNewFiles: Bool { !failures.isEmpty || !damage.isEmpty }
  /// `true` if there is anything to report that earlier runs have not reported.
  package var hasNews: Bool { hasNewFiles || !losses.isEmpty }
  private var isEmpty: Bool { !hasNews && knownFailures == 0 && knownDamaged == 0 }

  /// The whole digest as lines of text; empty if no file failed or is damaged, and no worker was lost.
  package func lines(_ style: TextStyle = TextStyle()) -> [String] {
    guard !isEmpty else { return [] }
    var lines = list(failures, style) { count in
      "\(counted(count, "file")) failed that \(count == 1 ? "was" : "were") not known as failing:"
    }
    lines += list(damage, style) { count in
      count == 1
        ? "1 file is damaged that was not known as damaged:"
        : "\(count) files are damaged that were not known as damaged:"
    }
    lines += remarks
    if hasNewFiles { lines += Self.advice(for: Set((failures + damage).map(\.code))) + whereToLook }
    return lines
  }

  private func list(_ groups: [FailureGroup], _ style: TextStyle, title: (Int) -> String) -> [String] {
    guard !groups.isEmpty else { return [] }
    var lines = [title(Self.count(groups))]
    let width = String(groups.map(\.count).max() ?? 0).count
    for group in groups.prefix(Self.groupsShown) { lines += describe(group, width: width, style) }
    let rest = groups.dropFirst(Self.groupsShown)
    if !rest.isEmpty { lines.append("  … and \(counted(Self.count(rest), "file")) for other reasons") }
    return lines + [""]
  }

  private static func count(_ groups: some Sequence<FailureGroup>) -> Int { groups.reduce(0) { $0 + $1.count } }

  /// Machine-readable messages about newly failed or damaged files. If a reason has too many files, its last message
  /// gives the number of files without a message.
  package var messages: [Message] {
    messages(about: failures, event: "failed") + messages(about: damage, event: "damaged")
  }

  private func messages(about groups: [FailureGroup], event: String) -> [Message] {
    var messages: [Message] = []
    for group in groups {
      for example in group.examples {
        messages.append(Message(event: "file_\(event)", about: example.path, example.problem))
      }
      let rest = group.count - group.examples.count
      if rest > 0 {
        messages.append(
          Message(
            level: .warning, event: "files_\(event)", text: "\(counted(rest, "more file")) \(event) [\(group.code)]",
            fields: ["code": .string(group.code), "count": .integer(Int64(rest))]))
      }
    }
    return messages
  }

  private func describe(_ group: FailureGroup, width: Int, _ style: TextStyle) -> [String] {
    let count = String(repeating: " ", count: max(0, width - String(group.count).count)) + String(group.count)
    let messages = Set(group.examples.map(\.problem.message))
    let shared = messages.count == 1 ? messages.first.map { shortened($0) + " " } ?? "" : ""
    var lines = ["", "  \(count) × \(shared)[\(group.code)]"]
    let indent = String(repeating: " ", count: width + 5)
    for example in group.examples.prefix(Self.examplesShown) {
      lines.append(indent + style.colored(printable(DisplayPath.text(of: example.path)), .yellow))
      if shared.isEmpty { lines.append(indent + "  " + shortened(example.problem.message)) }
    }
    let rest = group.count - min(group.examples.count, Self.examplesShown)
    if rest > 0 { lines.append(indent + "… and \(rest) more") }
    return lines
  }

  private var remarks: [String] {
    var lines: [String] = []
    let besides = hasNewFiles ? "besides " : ""
    if knownFailures > 0 {
      lines.append("\(counted(knownFailures, "file")) \(besides)known as failing from earlier runs.")
    }
    if knownDamaged > 0 {
      lines.append("\(counted(knownDamaged, "file")) \(besides)known as damaged from earlier runs.")
    }
    let lost = losses.values.reduce(0, +)
    if lost > 0 {
      let causes = losses.map { (count: $0.value, text: $0.key.text) }.sorted {
        ($1.count, $0.text) < ($0.count, $1.text)
      }
      .prefix(3).map { "\($0.count) × \($0.text)" }.joined(separator: "; ")
      lines.append("\(lost) worker \(lost == 1 ? "process was" : "processes were") lost: \(causes).")
    }
    if pending > 0 { lines.append("\(counted(pending, "file")) left for the next run.") }
    return lines
  }

  private static func advice(for codes: Set<String>) -> [String] {
    let causes = Set(codes.map { ProblemWords(code: $0).cause })
    var lines: [String] = []
    if causes.contains(.file) {
      lines.append("Replace damaged files, or leave them out with a line in a .nocturneignore.")
    }
    if causes.contains(.access) {
      lines.append("For files that cannot be read, check the permissions and the disk.")
    }
    if causes.contains(.worker) {
      lines.append(
        "Files that crash or hang a decoder do not affect others; they may need --timeout or --memory-limit.")
    }
    return lines
  }

  private var whereToLook: [String] {
    let all =
      reports.isEmpty
      ? "sqlite3 '\(printable(database.string))' 'SELECT path, code, message FROM failing'"
      : reports.map { printable($0.string) }.joined(separator: ", ")
    return ["More about one file: analyze show --why FILE", "All of them: \(all)"]
  }

  /// Shortens a message, which may contain the output of another program.
  private func shortened(_ message: String) -> String {
    let text = printable(message)
    return text.count > 240 ? text.prefix(239) + "…" : text
  }
}

extension WorkerLoss {
  fileprivate var text: String {
    let cause =
      switch cause {
      case .signal(let number): "signal \(number), \(ChildProcess.Ending.signalName(number))"
      case .exit(let status): "exit status \(status)"
      case .timeLimit: "timed out"
      case .noAnswer: "no usable answer"
      }
    return "\(cause), at stage \(stage.rawValue)"
  }
}
