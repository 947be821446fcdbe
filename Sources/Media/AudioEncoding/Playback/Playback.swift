internal import AudioDecoding
internal import Platform
internal import Synchronization
public import SystemPackage

/// Plays a file through a program, and can be stopped from another thread at any time.
///
/// The program is in a process group of its own: Ctrl-C at the terminal does not reach it, so who handles that calls `stop`.
/// It is killed when the thread that called `play` ends, or the whole process.
public final class Playback: Sendable {
  private struct State {
    var isStopped = false
    var process: ChildProcess?
  }

  private let players: [Player]
  private let state = Mutex(State())

  /// - Parameter players: In the order in which they are tried; see `Player.installed`.
  public init(_ players: [Player]) { self.players = players }

  /// Plays a WAV file from start to end and waits. If a program refuses (there is no server, or no device), the next
  /// one is tried. The output of programs is not shown; the error contains it.
  ///
  /// - Returns: The program that played it; `nil` if `stop` was called.
  public func play(_ file: FilePath) throws(PlayerError) -> Player? {
    var problem = PlayerError.noPlayer
    var tried: [String] = []
    for player in players {
      do throws(PlayerError) {
        let start = ContinuousClock.now
        let (status, message) = try run(player, file)
        if state.withLock(\.isStopped) { return nil }
        // ffplay and others say that there is no sound device, and end as if all was well.
        let isRefusal = message != nil && Self.isShort(.now - start, for: file)
        if status == 0, !isRefusal { return player }
        tried.append(player.name)
        problem = .failed(tried, status: status, message: message)
        // A person, or the system, has ended it.
        if status > 128 { break }
      } catch {
        if state.withLock(\.isStopped) { return nil }
        problem = error
      }
    }
    throw problem
  }

  /// Ends what is being played, and keeps anything else from being played by this object.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      state.process?.stop()
    }
  }

  /// The exit status, for a signal 128 and its number; and the first line that it has written.
  private func run(_ player: Player, _ file: FilePath) throws(PlayerError) -> (status: Int, message: String?) {
    let words = [player.executable.bytes] + player.options.map { Array($0.utf8) } + [file.bytes]
    // A file takes all messages of the program, so they need not be read meanwhile.
    let messages: UnnamedFile
    do {
      messages = try UnnamedFile()
    } catch {
      throw .cannotStart(player.name, reason: "what it writes cannot be kept: \(error)")
    }
    let errors = messages.descriptor
    let process: ChildProcess
    do {
      process = try state.withLock { state throws(Errno) in
        guard !state.isStopped else { throw .canceled }
        let process = try ChildProcess(Program(words), errors: errors)
        state.process = process
        return process
      }
    } catch {
      throw .cannotStart(player.name, reason: "\(error)")
    }
    let status = process.waitForEnd().shellStatus
    state.withLock { $0.process = nil }
    return (status, Self.firstLine(of: messages.descriptor))
  }

  /// Whether it cannot have been heard to its end in this time.
  private static func isShort(_ time: Duration, for file: FilePath) -> Bool {
    guard let source = try? AudioSource(path: file), let duration = source.format.duration else { return false }
    return time < .seconds(duration / 2)
  }

  private static func firstLine(of file: FileDescriptor) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(fromAbsoluteOffset: 0, into: $0) }) else {
      return nil
    }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
    guard let line = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
    return String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
  }
}
