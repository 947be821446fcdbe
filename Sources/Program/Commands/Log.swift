package import AnalysisTasks
import Foundation
import Pipeline
import Platform
import Synchronization
import SystemPackage
package import Text

/// Writes the messages of a command to standard error: plain text for people, JSON for log collectors, or lines with
/// levels for systemd's journal. Progress bars and tables for terminals are written elsewhere.
package enum Log {
  package typealias Message = AnalysisTasks.Message

  /// Until the settings are read, the format depends on the environment alone.
  private static let current = Mutex<LogFormat>(
    resolved(
      ProcessInfo.processInfo.environment[Settings.logFormat.environmentName].flatMap { LogFormat(rawValue: $0) }
        ?? .auto))

  static var format: LogFormat { current.withLock { $0 } }

  /// Sets the format that the settings specify.
  static func use(_ format: LogFormat) {
    current.withLock { $0 = resolved(format) }
  }

  /// Writes a message without waiting; see `StandardError`.
  ///
  /// - Parameter isProgress: `true` to drop the message if others are still waiting to be written.
  package static func write(_ message: Message, isProgress: Bool = false) {
    StandardError.write(rendered(message, as: format, at: .now), isProgress: isProgress)
  }

  package static func write(
    _ level: Message.Level, _ event: String, _ text: String, fields: [String: JSONValue] = [:], isProgress: Bool = false
  ) {
    write(Message(level: level, event: event, text: text, fields: fields), isProgress: isProgress)
  }

  /// The text of a message, including its line breaks.
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
      // The journal treats each line as a message; see sd-daemon(3).
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

  /// `true` if standard error is connected to the journal. systemd sets `JOURNAL_STREAM` to the device and inode of the
  /// connected stream; a process may inherit the variable but not the stream (systemd.exec(5)).
  private static var standardErrorIsTheJournal: Bool {
    guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
    guard let key = try? FileStatus(of: .standardError).key else { return false }
    return stream == "\(key.device):\(key.inode)"
  }
}

extension Log {
  /// The audience of a digest on standard error.
  static var audience: FailureDigest.Audience { format == .json ? .programs : .people }

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
