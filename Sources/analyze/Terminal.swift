import Foundation
import Synchronization
import Text

/// Standard error as a person sees it: whether it is a terminal, how wide, and whether colour is welcome.
struct Terminal: Sendable {
  let isInteractive: Bool
  private(set) var hasColor: Bool

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isInteractive = isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    // https://no-color.org: any value that is not empty.
    hasColor = isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// The same without colours: for text that goes elsewhere.
  var plain: Terminal {
    var copy = self
    copy.hasColor = false
    return copy
  }

  /// Columns; 80 where the terminal does not tell.
  var width: Int {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  enum Color: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
    case bold = "1"
  }

  func colored(_ text: String, _ color: Color) -> String {
    hasColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes to standard error in one piece. See `StandardError`.
  static func write(_ text: String, isProgress: Bool = false) {
    StandardError.write(text, isProgress: isProgress)
  }

  static func writeLine(_ text: String, isProgress: Bool = false) {
    write(text + "\n", isProgress: isProgress)
  }
}

/// The end of a text, at most `width` characters, marked by an ellipsis when something was cut.
func truncatedStart(_ text: String, to width: Int) -> String {
  guard text.count > width, width > 1 else { return width > 0 ? text : "" }
  return "…" + text.suffix(width - 1)
}

/// Seconds of audio per second: `450x realtime`, and `0.4x realtime` where whole numbers would tell nothing.
func realtimeFactor(_ factor: Double) -> String {
  factor < 10 ? String(format: "%.*fx realtime", factor < 0.1 ? 3 : 1, factor) : "\(Int(factor))x realtime"
}

/// `12.3 s`, `4 min 05 s`, `2 h 03 min`.
func describe(_ duration: Duration) -> String {
  let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  return describe(seconds: seconds)
}
