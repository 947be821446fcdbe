import AnalysisTasks
import Foundation

/// Properties of standard error or another descriptor: whether it is a terminal, its width, and its use of color.
struct Terminal: Sendable {
  let isInteractive: Bool
  let style: TextStyle
  private let descriptor: Int32

  init(
    _ descriptor: Int32 = STDERR_FILENO, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
    // https://no-color.org: any value that is not empty turns color off.
    style = TextStyle(hasColor: isInteractive && (environment["NO_COLOR"] ?? "").isEmpty)
  }

  /// Width in columns; 80 if unknown.
  var width: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes to standard error in one piece. See `StandardError`.
  static func write(_ text: String, isProgress: Bool = false) {
    StandardError.write(text, isProgress: isProgress)
  }

  static func writeLine(_ text: String, isProgress: Bool = false) {
    write(text + "\n", isProgress: isProgress)
  }
}

/// Returns the end of a text, at most `width` characters, with an ellipsis if it was cut.
func truncatedStart(_ text: String, to width: Int) -> String {
  guard text.count > width, width > 1 else { return width > 0 ? text : "" }
  return "…" + text.suffix(width - 1)
}
