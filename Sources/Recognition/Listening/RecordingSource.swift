public import SystemPackage

/// The source of a managed session: raw PCM, interleaved, little-endian.
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

  /// Audio that another program pipes into this one.
  public static func standardInput(sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.standardInput, sampleRate, channelCount, encoding)
  }

  /// A named pipe, or a file of raw PCM.
  public static func file(_ path: FilePath, sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.file(path), sampleRate, channelCount, encoding)
  }

  /// A program that writes PCM to its standard output until it is told to stop, such as `arecord` or `parec`.
  /// - Parameters:
  ///   - command: The program, looked up in `PATH`, and its arguments.
  ///   - sampleRate: Frames per second.
  ///   - channelCount: Their mean is listened to.
  ///   - encoding: The encoding of the samples.
  public static func command(
    _ command: [String], sampleRate: Int, channelCount: Int, encoding: Encoding
  ) -> RecordingSource {
    RecordingSource(.command(command), sampleRate, channelCount, encoding)
  }

  /// For messages.
  var name: String {
    switch origin {
    case .standardInput: "standard input"
    case .file(let path): path.string
    case .command(let words): words.first ?? ""
    }
  }
}

/// Why listening ends before its source does.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotOpen(String, reason: String)
  case cannotRead(String, reason: String)
  /// The recording command ended by itself.
  case commandFailed(String, status: Int32)

  public var description: String {
    switch self {
    case .cannotOpen(let name, let reason): "\(name) cannot be opened: \(reason)"
    case .cannotRead(let name, let reason): "\(name) cannot be read: \(reason)"
    case .commandFailed(let name, let status): "\(name) ended with status \(status)"
    }
  }
}
