import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

/// The terminal of a program under test: sends keys, and shows the last screen drawn.
final class PseudoTerminal: Sendable {
  private let master: FileDescriptor
  /// The program's terminal.
  let device: FileDescriptor
  private let output = Mutex<[UInt8]>([])

  init(width: Int = 80, height: Int = 24) throws {
    let noControl = FileDescriptor.OpenOptions(rawValue: O_NOCTTY)
    master = try FileDescriptor.open("/dev/ptmx", .readWrite, options: [.closeOnExec, .nonBlocking, noControl])
    var isLocked: Int32 = 0
    var number: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN, which the importer of C headers does not support.
    guard ioctl(master.rawValue, 0x4004_5431, &isLocked) == 0, ioctl(master.rawValue, 0x8004_5430, &number) == 0 else {
      throw Errno(rawValue: errno)
    }
    device = try FileDescriptor.open(FilePath("/dev/pts/\(number)"), .readWrite, options: [.closeOnExec, noControl])
    resize(width: width, height: height)
  }

  deinit {
    try? master.close()
    try? device.close()
  }

  func resize(width: Int, height: Int) {
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master.rawValue, UInt(TIOCSWINSZ), &size)
  }

  /// `true` if lines are edited and echoed, as a shell expects.
  var isOrdinary: Bool {
    var modes = termios()
    return tcgetattr(device.rawValue, &modes) == 0 && modes.c_lflag & tcflag_t(ICANON) != 0
      && modes.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ keys: String) throws { try master.writeAll(Array(keys.utf8)) }

  /// Everything that was written so far.
  var text: String {
    output.withLock { output in
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = piece.withUnsafeMutableBytes { read(master.rawValue, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        output += piece[..<count]
      }
      return String(decoding: output, as: UTF8.self)
    }
  }

  /// The lines of the last screen.
  var screen: [String] {
    let drawn = text.components(separatedBy: "\u{1B}[H").last ?? ""
    // A carriage return and a line feed are one character.
    let plain = String(String.UnicodeScalarView(drawn.unicodeScalars.filter { $0 != "\r" }))
    return plain.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").components(separatedBy: "\n")
  }

  /// Waits until a line of the screen contains this text.
  func wait(for words: String, sourceLocation: SourceLocation = #_sourceLocation) {
    if !waitUntil(within: .seconds(60), { screen.contains { $0.contains(words) } }) {
      Issue.record(
        "“\(words)” is not on the screen:\n\(screen.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
  }
}
