package import Analysis
internal import Foundation
internal import Glibc
package import Recognition
package import SystemPackage

/// Decodes audio from strangers in a process of its own; see `DecodingWorker`.
package struct DecodingProcess: ~Copyable {
  private let command: RecordingCommand
  private let errors: FileDescriptor

  /// Bytes of its messages that are read.
  private static let errorLimit = 4096

  /// Starts it.
  /// - Parameters:
  ///   - words: A program that runs `DecodingWorker`, and its arguments.
  ///   - input: What it decodes: a file, open for reading.
  package init(_ words: [String], input: FileDescriptor) throws(RecordingError) {
    let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    do {
      pipe = try FileDescriptor.pipe(options: .closeOnExec)
    } catch {
      throw .cannotOpen(words.first ?? "", reason: "\(error)")
    }
    defer { try? pipe.writeEnd.close() }
    do {
      command = try RecordingCommand(words, input: input, errors: pipe.writeEnd)
    } catch {
      try? pipe.readEnd.close()
      throw error
    }
    errors = pipe.readEnd
  }

  deinit {
    command.kill()
    try? errors.close()
  }

  /// Hands on all audio, at `DecodingWorker.sampleRate`; blocks until it has ended. To be called once.
  /// - Throws: `DecodeError`, also for what crashes the process or takes it too long.
  package func read<Receiver: PCMReceiver & ~Copyable>(into receiver: inout Receiver) throws(DecodeError) {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var filled = 0
    while true {
      guard
        let count = try? bytes.withUnsafeMutableBytes({ buffer in
          try command.output.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
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
    do {
      try command.waitForEnd()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: RecordingError) -> DecodeError {
    guard case .commandFailed(_, let status) = error, status == DecodingWorker.failureStatus else {
      return DecodeError(.corrupt, "Decoding this audio took too long, or broke the decoder.")
    }
    var bytes = [UInt8](repeating: 0, count: Self.errorLimit)
    let count = (try? bytes.withUnsafeMutableBytes { try errors.read(into: $0) }) ?? 0
    return (try? JSONDecoder().decode(DecodeError.self, from: Data(bytes[..<count])))
      ?? DecodeError(.corrupt, "This audio cannot be decoded.")
  }
}
