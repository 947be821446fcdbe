package import Analysis
internal import Platform
package import SystemPackage
package import Text

/// Something that a task has to say, for people and for programs.
package struct Message: Sendable {
  /// Severities of syslog (RFC 5424), which the journal shares.
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    package var name: String { "\(self)" }
  }

  package var level: Level
  /// Its subject in a word that is never renamed: for filters.
  package var event: String
  /// For people. Unless it is a block, it is one line.
  package var text: String
  /// Further details for programs.
  package var fields: [String: JSONValue]
  /// Whether it is lines of its own, and not one after the name of the program.
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

  /// The problem of a file.
  package init(event: String, about path: FilePath, _ problem: Problem) {
    let path = DisplayPath.text(of: path)
    self.init(
      level: .warning, event: event, text: "\(path): \(problem.message)",
      fields: [
        "path": .string(path), "code": .string(problem.code), "stage": .string(problem.stage.rawValue),
      ])
  }
}
