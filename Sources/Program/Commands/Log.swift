import AnalysisTasks
import Foundation
import Pipeline
import Platform
import Synchronization
import SystemPackage
import Text

/// Messages about what a command does, on standard error: for people as they are, for what collects logs as JSON or with
/// the level that the journal of systemd reads. Progress bars and tables for terminals do not come this way.
enum Log {
  typealias Message = AnalysisTasks.Message

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
    _ level: Message.Level, _ event: String, _ text: String, fields: [String: JSONValue] = [:], isProgress: Bool = false
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

  /// systemd sets `JOURNAL_STREAM` to device and inode of the stream it has connected to the journal; a process that
  /// inherits the variable but not the stream is not meant (systemd.exec(5)).
  private static var standardErrorIsTheJournal: Bool {
    guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
    guard let key = try? FileStatus(of: .standardError).key else { return false }
    return stream == "\(key.device):\(key.inode)"
  }
}

extension Log {
  /// The reader of a digest on standard error.
  static var audience: FailureDigest.Audience { format == .json ? .programs : .people }

  /// Writes what has failed in the form that messages have.
  static func write(_ digest: FailureDigest, on terminal: Terminal) {
    switch format {
    case .auto, .text:
      Terminal.write(digest.lines(terminal.style).map { $0 + "\n" }.joined())
    case .journald:
      let text = digest.lines().joined(separator: "\n")
      write(Message(level: .warning, event: "files_failed", text: text, isBlock: true))
    case .json:
      for message in digest.messages { write(message) }
    }
  }

  /// Writes what a verification has found in the form that messages have.
  static func write(
    _ digest: VerificationDigest, _ elapsed: Duration, _ status: ExitStatus?, on terminal: Terminal
  ) {
    switch format {
    case .auto, .text: Terminal.write(digest.lines(terminal.style).map { $0 + "\n" }.joined())
    case .journald:
      let lines = digest.lines()
      guard !lines.isEmpty else { return }
      write(
        Message(
          level: .warning, event: "files_changed_silently", text: lines.joined(separator: "\n"), isBlock: true))
    case .json: for message in digest.messages(elapsed, status) { write(message) }
    }
  }
}
