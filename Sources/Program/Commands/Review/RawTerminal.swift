import Foundation
import Synchronization

/// The terminal, one key at a time and with the whole screen to draw on, until `restore`.
///
/// It is drawn on through standard error, with codes that every terminal since the VT100 knows; those of the other screen
/// and the cursor are ignored where they are unknown. Ctrl-C goes on sending SIGINT.
final class RawTerminal: Sendable {
  enum Key: Hashable {
    case character(Character)
    case enter
    case space
    case delete
    case escape
    /// Ctrl-L: the screen is to be drawn again.
    case redraw
    /// Ctrl-D, or the terminal is gone.
    case end
  }

  private struct State {
    var isRaw = true
    var input: [UInt8] = []
  }

  private let original: termios
  private let state = Mutex(State())

  /// - Returns: `nil` if standard input or standard error is no terminal that can be drawn on.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, environment["TERM"] != "dumb" else { return nil }
    var modes = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    original = modes
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    modes.c_iflag &= ~tcflag_t(IXON)
    // A process that is stopped would leave the terminal as it is now.
    modes.c_cc.1 = 0  // VQUIT
    modes.c_cc.10 = 0  // VSUSP
    CrashedTerminal.restore(to: original)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) == 0 else { return nil }
    StandardError.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
  }

  /// Columns and rows.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws the whole screen.
  func draw(_ lines: [String]) {
    state.withLock { state in
      guard state.isRaw else { return }
      StandardError.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }
  }

  /// The terminal as it was. From then on nothing is drawn.
  func restore() {
    state.withLock { state in
      guard state.isRaw else { return }
      state.isRaw = false
      StandardError.write(CrashedTerminal.ordinaryScreen)
      StandardError.flush()
      var modes = original
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes)
    }
  }

  /// Forgets keys that were pressed and not read yet.
  func discardKeys() {
    state.withLock { $0.input.removeAll() }
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// Waits for a key.
  /// - Parameter milliseconds: For so long.
  /// - Returns: `nil` if none was pressed.
  func key(within milliseconds: Int) -> Key? {
    let waiting = state.withLock { Self.takeKey(from: &$0.input) }
    if let waiting { return waiting }
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&ready, 1, Int32(milliseconds)) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return nil }
    guard count > 0 else { return .end }
    return state.withLock { state in
      state.input += bytes[..<count]
      return Self.takeKey(from: &state.input)
    }
  }

  /// The first key of some input. Keys that send sequences (arrows and the like) are passed over.
  private static func takeKey(from input: inout [UInt8]) -> Key? {
    while let byte = input.first {
      input.removeFirst()
      switch byte {
      case 0x04: return .end
      case 0x08, 0x7F: return .delete
      case 0x0A, 0x0D: return .enter
      case 0x0C: return .redraw
      case 0x1B:
        // A sequence comes in one piece; alone it is the key.
        guard let kind = input.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return .escape }
        input.removeFirst()
        while let part = input.first {
          input.removeFirst()
          if (0x40...0x7E).contains(part) { break }
        }
      case 0x20: return .space
      case 0x21...0x7E: return .character(Character(Unicode.Scalar(byte)))
      default: continue
      }
    }
    return nil
  }
}

/// Gives the terminal back when the process crashes: a decoder reads damaged files in it.
private enum CrashedTerminal {
  /// Shows the cursor and the first screen.
  static let ordinaryScreen = "\u{1B}[?25h\u{1B}[?1049l"

  /// The modes for the handler, which may only call what is safe in the middle of anything (signal-safety(7)).
  nonisolated(unsafe) private static var modes = termios()
  nonisolated(unsafe) private static let codes: (start: UnsafeMutablePointer<UInt8>, count: Int) = {
    let bytes = Array(ordinaryScreen.utf8)
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    unsafe start.initialize(from: bytes, count: bytes.count)
    return unsafe (start, bytes.count)
  }()

  static func restore(to original: termios) {
    unsafe modes = original
    _ = unsafe codes
    for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
      signal(number) { number in
        _ = unsafe write(STDERR_FILENO, CrashedTerminal.codes.start, CrashedTerminal.codes.count)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &CrashedTerminal.modes)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
