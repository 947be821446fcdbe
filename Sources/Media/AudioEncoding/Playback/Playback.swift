internal import AudioDecoding
internal import Platform
internal import Synchronization
public import SystemPackage

/// Plays a file with an external program. Playback can be stopped from another thread at any time.
///
/// The program runs in its own process group, so Ctrl-C in the terminal does not reach it; a signal handler must call
/// `stop`. The program is killed when the thread that called `play` or the whole process ends.
public final class Playback: Sendable {
  private struct State {
    var isStopped = false
    var process: ChildProcess?
  }

  private let players: [Player]
  private let state = Mutex(State())

  /// - Parameter players: The players to try, in order; see `Player.installed`.
  public init(_ players: [Player]) { self.players = players }

  /// Plays a WAV file from start to end, and waits until it has finished. If a program fails (no sound server, or no
  /// device) and was not killed, the next one is tried. The output of the programs is not shown; the error contains its
  /// first line.
  ///
  /// - Returns: The program that played the file; `nil` if `stop` was called.
  public func play(_ file: FilePath) throws(PlayerError) -> Player? {
    var problem = PlayerError.noPlayer
    var tried: [String] = []
    for player in players {
      do throws(PlayerError) {
        let start = ContinuousClock.now
        let (status, message) = try run(player, file)
        if state.withLock(\.isStopped) { return nil }
        // Some players, such as ffplay, report a missing sound device but still exit with 0.
        let isRefusal = message != nil && Self.isShort(.now - start, for: file)
        if status == 0, !isRefusal { return player }
        tried.append(player.name)
        problem = .failed(tried, status: status, message: message)
        // The player was killed by a person or by the system.
        if status > 128 { break }
      } catch {
        if state.withLock(\.isStopped) { return nil }
        problem = error
      }
    }
    throw problem
  }

  /// Stops playback, and prevents this object from playing anything else.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      state.process?.stop()
    }
  }

  /// Runs a player until it exits.
  ///
  /// - Returns: The exit status (128 plus the signal number if a signal ended the program), and the first line of
  ///   output.
  private func run(_ player: Player, _ file: FilePath) throws(PlayerError) -> (status: Int, message: String?) {
    let words = [player.executable.bytes] + player.options.map { Array($0.utf8) } + [file.bytes]
    // All output of the program goes to a file, so nothing needs to read it while the program runs.
    let messages: UnnamedFile
    do {
      messages = try UnnamedFile()
    } catch {
      throw .cannotStart(player.name, reason: "its output cannot be stored: \(error)")
    }
    let errors = messages.descriptor
    let process: ChildProcess
    do {
      process = try state.withLock { state throws(Errno) in
        guard !state.isStopped else { throw .canceled }
        let process = try ChildProcess(ProgramCommand(words), errors: errors)
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

  /// Returns `true` if `time` is less than half the duration of the file, too short to have played it.
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
