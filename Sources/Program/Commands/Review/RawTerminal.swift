import Foundation
import Synchronization

/// The terminal in a mode that reads single keys and draws on the whole screen, until `restore` is called.
///
/// It draws through standard error with VT100 codes; terminals ignore the codes for the alternate screen and the cursor
/// if they do not support them. Ctrl-C still sends SIGINT.
final class RawTerminal: Sendable {
  enum Key: Hashable {
    case character(Character)
    case enter
    case space
    case delete
    case escape
    /// Ctrl-L: redraws the screen.
    case redraw
    /// Ctrl-D, or the terminal was closed.
    case end
  }

  private struct State {
    var isRaw = true
    var input: [UInt8] = []
  }

  private let original: termios
  private let state = Mutex(State())

  /// - Returns: `nil` if standard input or standard error is not a terminal that supports drawing.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, environment["TERM"] != "dumb" else { return nil }
    var modes = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    original = modes
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    modes.c_iflag &= ~tcflag_t(IXON)
    // Keys that stop the process would leave the terminal in this mode.
    modes.c_cc.1 = 0  // VQUIT
    modes.c_cc.10 = 0  // VSUSP
    CrashedTerminal.restore(to: original)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) == 0 else { return nil }
    StandardError.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
  }

  /// The size in columns and rows.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  func draw(_ lines: [String]) {
    state.withLock { state in
      guard state.isRaw else { return }
      StandardError.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }
  }

  /// Restores the terminal. Nothing is drawn afterwards.
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

  func discardKeys() {
    state.withLock { $0.input.removeAll() }
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// Waits for a key.
  /// - Parameter milliseconds: Maximum time to wait.
  /// - Returns: `nil` if no key was pressed.
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

  /// Removes the first key from the input and returns it; `nil` if there is none. Keys that send sequences, such as
  /// arrows, are skipped.
  static func takeKey(from input: inout [UInt8]) -> Key? {
    while let byte = input.first {
      input.removeFirst()
      switch byte {
      case 0x04: return .end
      case 0x08, 0x7F: return .delete
      case 0x0A, 0x0D: return .enter
      case 0x0C: return .redraw
      case 0x1B:
        // A sequence arrives in one piece; ESC alone is the Escape key.
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

/// Restores the terminal if the process crashes, for example when decoding a damaged file.
private enum CrashedTerminal {
  /// The codes that show the cursor and the main screen.
  static let ordinaryScreen = "\u{1B}[?25h\u{1B}[?1049l"

  /// The modes to restore, for the signal handler, which may only call async-signal-safe functions (signal-safety(7)).
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
