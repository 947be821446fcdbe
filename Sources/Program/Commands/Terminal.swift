import AnalysisTasks
import Foundation
import Text

/// Properties of standard error or another descriptor: whether it is a terminal, its width, and its use of color.
struct Terminal: Sendable {
  /// `true` if the descriptor is a terminal, so a person reads the output.
  let isInteractive: Bool
  /// `true` if a line can be overwritten in place, as on any terminal that is not dumb.
  let canRedraw: Bool
  let style: TextStyle
  private let descriptor: Int32

  init(
    _ descriptor: Int32 = STDERR_FILENO, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1
    canRedraw = isInteractive && environment["TERM"] != "dumb"
    // Any value that is not empty disables color (https://no-color.org).
    style = TextStyle(hasColor: canRedraw && (environment["NO_COLOR"] ?? "").isEmpty)
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

/// Text truncated to a maximum width in columns; an ellipsis marks the cut.
enum Truncated {
  static func end(of text: String, to width: Int) -> String {
    text.displayWidth > width ? text.fitted(to: max(0, width)) : text
  }

  static func start(of text: String, to width: Int) -> String {
    guard text.displayWidth > width else { return text }
    var rest = text[...]
    while !rest.isEmpty, String(rest).displayWidth >= width { rest.removeFirst() }
    return width > 0 ? "…" + rest : ""
  }
}

/// A bar for the completed part of a task.
enum BarCells {
  private static let count = 24
  /// Minimum width of a terminal with a bar, in columns; narrower ones have room for words only.
  private static let minWidth = 50

  /// The bar and the space after it; empty in narrow terminals.
  static func text(_ share: Double, width: Int) -> String {
    guard width >= minWidth else { return "" }
    let filled = Int(Double(count) * min(1, max(0, share)))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: count - filled) + "  "
  }
}
