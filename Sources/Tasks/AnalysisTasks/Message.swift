package import Analysis
internal import Platform
package import SystemPackage
package import Text

/// A message from a task, for people and for programs.
package struct Message: Sendable {
  /// Syslog severities (RFC 5424), which journald also uses.
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    package var name: String { "\(self)" }
  }

  package var level: Level
  /// A stable name for this kind of message, for filtering.
  package var event: String
  /// Human-readable text, which is a single line unless `isBlock` is `true`.
  package var text: String
  /// Machine-readable details.
  package var fields: [String: JSONValue]
  /// `true` if the text is a block of lines rather than one line that follows the name of the program.
  package var isBlock: Bool

  package init(
    level: Level, event: String, text: String, fields: [String: JSONValue] = [:], isBlock: Bool = false
  ) {
    self.level = level
    self.event = event
    self.text = text
    self.fields = fields
    self.isBlock = isBlock
  }

  /// Creates a message about a problem with a file.
  package init(event: String, about path: FilePath, _ problem: Problem) {
    let path = DisplayPath.text(of: path)
    self.init(
      level: .warning, event: event, text: "\(path): \(problem.message)",
      fields: [
        "path": .string(path), "code": .string(problem.code), "stage": .string(problem.stage.rawValue),
      ])
  }
}
