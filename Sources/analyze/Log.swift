import Analysis
import Foundation
import Pipeline
import Synchronization
import System
import SystemPackage
import Text

/// Messages about what a command does, on standard error: for people as they are, for what collects logs as JSON or with
/// the level that the journal of systemd reads. Progress bars and tables for terminals do not come this way.
enum Log {
  /// Severities of syslog (RFC 5424), which the journal shares.
  enum Level: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    var name: String { "\(self)" }
  }

  struct Message {
    var level: Level
    /// What it is about, in a word that is never renamed: for filters.
    var event: String
    /// For people. Unless it is a block, it is one line.
    var text: String
    /// What programs may want to know besides. Only JSON shows it.
    var fields: [String: JSONValue] = [:]
    /// Whether it is lines of its own, and not one after the name of the program.
    var isBlock = false
  }

  /// Until the settings are read, the environment alone decides.
  private static let current = Mutex<LogFormat>(
    resolved(
      ProcessInfo.processInfo.environment[Settings.logFormat.environmentName].flatMap { LogFormat(rawValue: $0) }
        ?? .auto))

  static var format: LogFormat { current.withLock { $0 } }

  /// Takes what the settings say.
  static func use(_ format: LogFormat) {
    current.withLock { $0 = resolved(format) }
  }

  /// Never waits: see `StandardError`.
  ///
  /// - Parameter isProgress: The message is left out if there is something waiting to be written already.
  static func write(_ message: Message, isProgress: Bool = false) {
    StandardError.write(rendered(message, as: format, at: .now), isProgress: isProgress)
  }

  static func write(
    _ level: Level, _ event: String, _ text: String, fields: [String: JSONValue] = [:], isProgress: Bool = false
  ) {
    write(Message(level: level, event: event, text: text, fields: fields), isProgress: isProgress)
  }

  /// A message as it is written, line break included.
  static func rendered(_ message: Message, as format: LogFormat, at time: Timestamp) -> String {
    let lines =
      message.isBlock
      ? message.text.split(separator: "\n", omittingEmptySubsequences: false).map { printable($0) }
      : [printable(message.text)]
    switch format {
    case .auto, .text:
      let prefix = message.isBlock ? "" : "analyze: "
      return lines.map { prefix + $0 + "\n" }.joined()
    case .journald:
      // See sd-daemon(3): the journal takes each line for a message of its own.
      return lines.filter { !$0.isEmpty }.map { "<\(message.level.rawValue)>\($0)\n" }.joined()
    case .json:
      var object = message.fields
      object["time"] = .string(time.description)
      object["level"] = .string(message.level.name)
      object["event"] = .string(message.event)
      object["message"] = .string(message.text)
      return JSONValue.object(object).text + "\n"
    }
  }

  private static func resolved(_ format: LogFormat) -> LogFormat {
    guard format == .auto else { return format }
    return standardErrorIsTheJournal ? .journald : .text
  }

  /// systemd sets `JOURNAL_STREAM` to device and inode of the stream it has connected to the journal; whoever inherits the
  /// variable but not the stream is not meant (systemd.exec(5)).
  private static var standardErrorIsTheJournal: Bool {
    guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}

extension Log.Message {
  /// What is wrong with a file.
  init(event: String, about path: FilePath, _ problem: Problem) {
    let path = DisplayPath.text(of: path)
    self.init(
      level: .warning, event: event, text: "\(path): \(problem.message)",
      fields: [
        "path": .string(path), "code": .string(problem.code), "stage": .string(problem.stage.rawValue),
      ])
  }
}
