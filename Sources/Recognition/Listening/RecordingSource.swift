public import SystemPackage

/// The source of a managed session's audio, which is raw PCM: interleaved and little-endian.
public struct RecordingSource: Sendable {
  public enum Encoding: String, Codable, Sendable, CaseIterable {
    /// 16-bit integers, as `arecord -f S16_LE` and `ffmpeg -f s16le` write them.
    case s16 = "s16le"
    /// 32-bit floats with full scale at ±1, as `parec --format=float32le` and `ffmpeg -f f32le` write them.
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

  /// Audio that is piped into this program.
  public static func standardInput(sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.standardInput, sampleRate, channelCount, encoding)
  }

  /// A named pipe, or a file of raw PCM.
  public static func file(_ path: FilePath, sampleRate: Int, channelCount: Int, encoding: Encoding) -> RecordingSource {
    RecordingSource(.file(path), sampleRate, channelCount, encoding)
  }

  /// A program that writes PCM to its standard output until it is stopped, such as `arecord` or `parec`.
  /// - Parameters:
  ///   - command: The program, which is looked up in `PATH`, and its arguments.
  ///   - sampleRate: Sample rate in Hz.
  ///   - channelCount: Number of channels, which are downmixed to their mean.
  ///   - encoding: The encoding of the samples.
  public static func command(
    _ command: [String], sampleRate: Int, channelCount: Int, encoding: Encoding
  ) -> RecordingSource {
    RecordingSource(.command(command), sampleRate, channelCount, encoding)
  }

  /// The name that messages use for the source.
  var name: String {
    switch origin {
    case .standardInput: "standard input"
    case .file(let path): path.string
    case .command(let words): words.first ?? ""
    }
  }
}

/// An error that ends listening.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotOpen(String, reason: String)
  case cannotRead(String, reason: String)
  /// The recording command ended with a status other than 0.
  case commandFailed(String, status: Int32)

  public var description: String {
    switch self {
    case .cannotOpen(let name, let reason): "\(name) cannot be opened: \(reason)"
    case .cannotRead(let name, let reason): "\(name) cannot be read: \(reason)"
    case .commandFailed(let name, let status): "\(name) ended with status \(status)"
    }
  }
}
