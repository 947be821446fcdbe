internal import Platform
internal import SystemPackage

/// A running recording command, with all that it starts. All of it can be told to stop.
final class RecordingCommand: Sendable {
  /// The pipe from its standard output.
  let output: FileDescriptor
  private let name: String
  private let process: ChildProcess

  /// - Parameter words: The program, looked up in `PATH`, and its arguments.
  init(_ words: [String]) throws(RecordingError) {
    name = words.first ?? ""
    do {
      let pipe = try FileDescriptor.pipe(nonBlocking: nil)
      defer { try? pipe.writeEnd.close() }
      do {
        process = try ChildProcess(Program(words), output: pipe.writeEnd, errors: .standardError)
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

  /// Tells it to end, without waiting for that.
  func stop() { process.stop() }

  /// Waits for its end. Processes that it has left running are killed.
  func waitForEnd() throws(RecordingError) {
    let status = process.waitForEnd().shellStatus
    if status != 0 { throw .commandFailed(name, status: Int32(status)) }
  }

  /// Ends it in any case, with all that it has started, and waits until it is gone.
  func kill() { process.kill() }
}
