internal import Platform
internal import SystemPackage

/// A running recording command, and all processes that it has started.
final class RecordingCommand: Sendable {
  /// The read end of the pipe for the command's standard output.
  let output: FileDescriptor
  private let name: String
  private let process: ChildProcess

  /// - Parameter words: The program, which is looked up in `PATH`, and its arguments.
  init(_ words: [String]) throws(RecordingError) {
    name = words.first ?? ""
    do {
      let pipe = try FileDescriptor.pipe(nonBlocking: nil)
      defer { try? pipe.writeEnd.close() }
      do {
        process = try ChildProcess(ProgramCommand(words), output: pipe.writeEnd, errors: .standardError)
      } catch {
        try? pipe.readEnd.close()
        throw error
      }
      output = pipe.readEnd
    } catch {
      throw .cannotOpen(words.first ?? "", reason: "\(error)")
    }
  }

  deinit {
    process.kill()
    try? output.close()
  }

  /// Asks the command to end, but does not wait.
  func stop() { process.stop() }

  /// Waits for the command to end, and throws if its status is not 0. Any processes it leaves running are killed.
  func waitForEnd() throws(RecordingError) {
    let status = process.waitForEnd().shellStatus
    if status != 0 { throw .commandFailed(name, status: Int32(status)) }
  }

  /// Kills the command and all processes that it has started, and waits until they have ended.
  func kill() { process.kill() }
}
