/// The reason an analyzer has no finding for a file. The other analyzers continue.
public enum AnalysisError: Error, Hashable, Sendable {
  /// There is nothing to analyze in this kind of file. This is recorded, but is not a failure.
  case notApplicable(String)
  /// The analyzer failed; the sentence says why.
  case failed(String)
}

/// An invalid setting: the key, what is wrong, and what would be valid.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var key: String
  public var problem: String

  public init(key: String, problem: String) {
    self.key = key
    self.problem = problem
  }

  public var description: String { "\(key): \(problem)" }
}

/// The reason a file could not be decoded completely. The code appears in reports and must never be renamed.
public struct DecodeError: Error, Hashable, Sendable, Codable {
  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file cannot be opened (permissions, vanished, not a regular file).
    case unreadable
    case empty
    case unknownFormat = "unknown_format"
    /// The container is known, but contains no audio stream.
    case noAudio = "no_audio"
    /// The container is known, but the codec is not supported, or the stream is encrypted.
    case unsupportedCodec = "unsupported_codec"
    /// The header claims a sample rate, channel count or duration that no real file has.
    case absurdHeader = "absurd_header"
    /// The stream is shorter than the file claims.
    case truncated
    case corrupt
    /// The whole stream was decoded, but the audio does not match the checksum in the header.
    case checksumMismatch = "checksum_mismatch"
    /// The system could not read the file (I/O error, disk gone).
    case readError = "read_error"

    /// `true` if the cause is the system rather than the file, so that a retry may succeed even though the file is
    /// unchanged.
    public var isTransient: Bool { self == .unreadable || self == .readError }
  }

  public var code: Code
  /// One sentence for people, without the file name.
  public var message: String

  /// The format according to the headers, if they could be read even though the audio could not.
  public var format: AudioFormat?

  public init(_ code: Code, _ message: String, format: AudioFormat? = nil) {
    self.code = code
    self.message = message
    self.format = format
  }
}
