package import Analysis
internal import Foundation
internal import Platform
package import Recognition
package import SystemPackage

/// Decodes untrusted audio in a separate process; see `DecodingWorker`.
package struct DecodingProcess: ~Copyable {
  private let process: ChildProcess
  private let output: FileDescriptor
  private let errors: FileDescriptor

  /// Maximum number of bytes read from the standard error of the process.
  private static let errorLimit = 4096
  /// Limits that are sufficient for an hour of audio in any format.
  private static let limits = ProgramCommand.Limits(memory: 512 << 20, processorSeconds: 120)

  /// Starts the process.
  /// - Parameters:
  ///   - words: The command line of a program that runs `DecodingWorker`.
  ///   - input: The file to decode, open for reading.
  package init(_ words: [String], input: FileDescriptor) throws(RecordingError) {
    var ends: [FileDescriptor] = []
    let output: FileDescriptor.Pipe
    let errors: FileDescriptor.Pipe
    let process: ChildProcess
    do {
      output = try FileDescriptor.pipe(nonBlocking: nil)
      ends = [output.readEnd, output.writeEnd]
      errors = try FileDescriptor.pipe(nonBlocking: nil)
      ends += [errors.readEnd, errors.writeEnd]
      var program = ProgramCommand(words)
      program.limits = Self.limits
      process = try ChildProcess(program, input: input, output: output.writeEnd, errors: errors.writeEnd)
    } catch {
      for end in ends { try? end.close() }
      throw .cannotOpen(words.first ?? "", reason: "\(error)")
    }
    try? output.writeEnd.close()
    try? errors.writeEnd.close()
    (self.process, self.output, self.errors) = (process, output.readEnd, errors.readEnd)
  }

  deinit {
    process.kill()
    try? output.close()
    try? errors.close()
  }

  /// Passes all audio to a receiver, at `DecodingWorker.sampleRate`, and blocks until the end. Must be called only
  /// once.
  /// - Throws: `DecodeError`, also if the process crashes or exceeds its limits.
  package func read<Receiver: PCMReceiver & ~Copyable>(into receiver: inout Receiver) throws(DecodeError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var filled = 0
    while true {
      guard
        let count = try? bytes.withUnsafeMutableBytes({ buffer in
          try output.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        }), count > 0
      else { break }
      filled += count
      let used = filled / 4 * 4
      let frames = bytes[..<used].withUnsafeBytes { raw in
        (0..<used / 4).map {
          Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
        }
      }
      receiver.append(frames.span)
      bytes.replaceSubrange(0..<filled - used, with: Array(bytes[used..<filled]))
      filled -= used
    }
    let ending = process.waitForEnd()
    if ending != .status(0) { throw failure(ending) }
  }

  private func failure(_ ending: ChildProcess.Ending) -> DecodeError {
    guard ending == .status(DecodingWorker.failureStatus) else {
      return DecodeError(.corrupt, "Decoding this audio took too long, or broke the decoder.")
    }
    let bytes = (try? errors.readToEnd(limit: Self.errorLimit)) ?? []
    return (try? JSONDecoder().decode(DecodeError.self, from: Data(bytes)))
      ?? DecodeError(.corrupt, "This audio cannot be decoded.")
  }
}
