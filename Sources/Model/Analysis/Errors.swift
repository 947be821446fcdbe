/// Why an analyzer gives no finding for a file. The other analyzers of the file go on.
public enum AnalysisError: Error, Hashable, Sendable {
  /// There is nothing to analyze for this kind of file; recorded, not a failure.
  case notApplicable(String)
  /// The analyzer failed; the sentence says why.
  case failed(String)
}

/// A setting that cannot be used: which key, what is wrong and what would be right.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var key: String
  public var problem: String

  public init(key: String, problem: String) {
    self.key = key
    self.problem = problem
  }

  public var description: String { "\(key): \(problem)" }
}

/// Why a file could not be decoded, or not to its end. The code goes into reports and is never renamed.
public struct DecodeError: Error, Hashable, Sendable, Codable {
  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file cannot be opened (permissions, vanished, not a regular file).
    case unreadable
    /// Zero bytes.
    case empty
    /// Unrecognized file format.
    case unknownFormat = "unknown_format"
    /// A known container without an audio stream.
    case noAudio = "no_audio"
    /// A known container whose codec no decoder here reads (or that is encrypted).
    case unsupportedCodec = "unsupported_codec"
    /// Rate, channels or length outside what any real file has.
    case absurdHeader = "absurd_header"
    /// The stream ends before the length the file claims.
    case truncated
    /// The stream is damaged.
    case corrupt
    /// The whole stream was decoded, and the audio is not that of the checksum in its header.
    case checksumMismatch = "checksum_mismatch"
    /// The system failed while reading (I/O error, disk gone).
    case readError = "read_error"

    /// The trouble lies in the system and not in the file, so another try may succeed although the file is the same.
    public var isTransient: Bool { self == .unreadable || self == .readError }
  }

  public var code: Code
  /// One sentence for a reader, without the file's name.
  public var message: String

  /// The format by the headers, if they could be read although the audio could not.
  public var format: AudioFormat?

  public init(_ code: Code, _ message: String, format: AudioFormat? = nil) {
    self.code = code
    self.message = message
    self.format = format
  }
}
