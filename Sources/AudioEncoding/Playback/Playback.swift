internal import AudioDecoding
internal import CSpawn
internal import Glibc
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
    /// `nil` once the number may be another program's.
    var process: pid_t?
  }

  private let players: [Player]
  private let state = Mutex(State())

  /// - Parameter players: In the order in which they are tried; see `Player.installed`.
  public init(_ players: [Player]) { self.players = players }

  /// Plays a WAV file from start to end and waits. If a program refuses (there is no server, or no device), the next one is
  /// tried. What programs write is not shown; the error says it.
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
      if let process = state.process { _ = kill(-process, SIGTERM) }
    }
  }

  /// The exit status, for a signal 128 and its number; and the first line that it has written.
  private func run(_ player: Player, _ file: FilePath) throws(PlayerError) -> (status: Int, message: String?) {
    let words = ([player.executable.string] + player.options).map { Array($0.utf8) } + [file.withBytes { Array($0) }]
    var strings = words.map { word in
      (word + [0]).withUnsafeBytes { bytes in
        bytes.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
      }
    }
    defer { for string in strings { free(string) } }
    strings.append(nil)
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if nothing >= 0 { close(nothing) } }
    // A file takes whatever the program has to say, and nobody has to read meanwhile.
    let messages: UnnamedFile
    do {
      messages = try UnnamedFile()
    } catch {
      throw .cannotStart(player.name, reason: "what it writes cannot be kept: \(error)")
    }
    let errors = messages.descriptor.rawValue
    let problem: Int32 = state.withLock { state in
      guard !state.isStopped else { return ECANCELED }
      var process: pid_t = 0
      let problem = cspawn_start(&process, strings, 0, -1, nothing, errors)
      if problem == 0 { state.process = process }
      return problem
    }
    guard problem == 0, let process = state.withLock({ $0.process }) else {
      throw .cannotStart(player.name, reason: String(cString: strerror(problem)))
    }
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    state.withLock { $0.process = nil }
    var status: Int32 = 0
    var signal: Int32 = 0
    _ = cspawn_kill_and_reap(process, &status, &signal)
    return (signal == 0 ? Int(status) : 128 + Int(signal), Self.firstLine(of: messages.descriptor))
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
