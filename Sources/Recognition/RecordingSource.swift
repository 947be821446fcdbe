internal import Glibc
public import SystemPackage

/// Where a managed session hears from: raw PCM, interleaved, little-endian.
public struct RecordingSource: Sendable {
  public enum Encoding: String, Codable, Sendable, CaseIterable {
    /// Whole numbers of 16 bits, as `arecord -f S16_LE` and `ffmpeg -f s16le` write.
    case s16 = "s16le"
    /// Floating point of 32 bits, full scale ±1, as `parec --format=float32le` and `ffmpeg -f f32le` write.
    case f32 = "f32le"

    var size: Int { self == .s16 ? 2 : 4 }
  }

  enum Origin: Sendable {
    case standardInput
    case file(FilePath)
    case command([String])
  }

  let origin: Origin
  public let sampleRate: Int
  public let channelCount: Int
  public let encoding: Encoding

  private init(_ origin: Origin, _ sampleRate: Int, _ channelCount: Int, _ encoding: Encoding) {
    self.origin = origin
    self.sampleRate = max(1, sampleRate)
    self.channelCount = max(1, channelCount)
    self.encoding = encoding
  }

  /// What another program pipes into this one.
  public static func standardInput(sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.standardInput, sampleRate, channelCount, encoding)
  }

  /// A named pipe, or a file of raw PCM.
  public static func file(_ path: FilePath, sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.file(path), sampleRate, channelCount, encoding)
  }

  /// A program that writes PCM to its standard output until it is told to stop, such as `arecord` or `parec`.
  /// - Parameter command: The program, looked up in `PATH`, and its arguments.
  public static func command(
    _ command: [String], sampleRate: Int, channelCount: Int, encoding: Encoding
  ) -> RecordingSource {
    RecordingSource(.command(command), sampleRate, channelCount, encoding)
  }
}

/// Why nothing can be heard.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotOpen(String, reason: String)
  /// The recording command ended by itself.
  case commandFailed(String, status: Int32)

  public var description: String {
    switch self {
    case .cannotOpen(let name, let reason): "\(name) cannot be opened: \(reason)"
    case .commandFailed(let name, let status): "\(name) ended with status \(status)"
    }
  }
}

/// An open source, to be opened and read on a thread of its own.
final class Recording: Sendable {
  private let source: RecordingSource
  private let file: FileDescriptor
  private let command: RecordingCommand?

  init(_ source: RecordingSource) throws(RecordingError) {
    self.source = source
    switch source.origin {
    case .standardInput:
      file = .standardInput
      command = nil
    case .file(let path):
      do {
        file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      } catch {
        throw .cannotOpen(path.string, reason: "\(error)")
      }
      command = nil
    case .command(let words):
      let command = try RecordingCommand(words)
      file = command.output
      self.command = command
    }
  }

  deinit {
    if case .file = source.origin { try? file.close() }
  }

  /// Reads until the end, until `body` says no, or until `stop`.
  func read(_ body: ([Float]) -> Bool) throws {
    let frameSize = source.encoding.size * source.channelCount
    var bytes = [UInt8](repeating: 0, count: frameSize * 4096)
    var filled = 0
    while true {
      let count = try bytes.withUnsafeMutableBytes {
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      if count == 0 { break }
      filled += count
      let frameCount = filled / frameSize
      guard frameCount > 0 else { continue }
      if !body(mono(bytes, frameCount: frameCount)) { return }
      let used = frameCount * frameSize
      bytes.replaceSubrange(0..<filled - used, with: Array(bytes[used..<filled]))
      filled -= used
    }
    try command?.waitForEnd()
  }

  /// Ends a command. What reads a pipe or a terminal ends with its next block.
  func stop() { command?.stop() }

  private func mono(_ bytes: [UInt8], frameCount: Int) -> [Float] {
    let channelCount = source.channelCount
    let scale = 1 / Float(channelCount)
    return bytes.withUnsafeBytes { bytes in
      (0..<frameCount).map { frame in
        var sum: Float = 0
        for channel in 0..<channelCount {
          let index = frame * channelCount + channel
          switch source.encoding {
          case .s16:
            sum += Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))) / 32768
          case .f32:
            let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            let value = Float(bitPattern: bits)
            sum += value.isFinite ? min(max(value, -16), 16) : 0
          }
        }
        return sum * scale
      }
    }
  }
}
