internal import Analysis
internal import Text

/// The messages that a worker sends, as lines of JSON: first `ready`, then any number of `stage`, `decoded` and `audio`
/// messages and one `result` for each job.
enum WorkerMessage: Codable {
  /// The worker is ready for its first job.
  case ready
  /// The worker has entered a stage.
  case stage(Problem.Stage)
  /// Number of seconds of audio decoded so far.
  case decoded(Double)
  /// Requests the known results for some audio. The answer is a line with a `KnownAudio`, or null.
  case audio(ContentID)
  case result(FileAnalysis)

  /// Maximum length of a line in bytes. For a day of audio, beats and the signature as text take a fifth of this.
  /// The tag readers limit the size of tags.
  static let lineLimit = 128 << 20

  private enum CodingKeys: String, CodingKey {
    case ready, stage, decoded, audio, result
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch container.allKeys.first {
    case .ready: self = .ready
    case .stage: self = .stage(try container.decode(Problem.Stage.self, forKey: .stage))
    case .decoded: self = .decoded(try container.decode(Double.self, forKey: .decoded))
    case .audio: self = .audio(try container.decode(ContentID.self, forKey: .audio))
    case .result, nil: self = .result(try container.decode(FileAnalysis.self, forKey: .result))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ready: try container.encode(true, forKey: .ready)
    case .stage(let stage): try container.encode(stage, forKey: .stage)
    case .decoded(let seconds): try container.encode(seconds, forKey: .decoded)
    case .audio(let id): try container.encode(id, forKey: .audio)
    case .result(let analysis): try container.encode(analysis, forKey: .result)
    }
  }
}

/// Encodes and decodes the values that a run and its workers exchange as lines of JSON. Unlike Foundation's coders, it
/// preserves the notation of numbers in the findings of external programs: 126.0 does not become 126.
enum WorkerLine {
  /// Maximum nesting depth: that of an external program's JSON plus the enclosing lists and objects, with room to
  /// spare.
  private static let depth = 200

  /// Encodes a value as a line, including the line break.
  static func encoded(_ value: some Encodable) throws -> [UInt8] {
    var writer = JSONWriter()
    writer.value(try JSONValue(encoding: value))
    writer.endLine()
    return writer.bytes
  }

  static func decoded<T: Decodable>(
    _ line: some Sequence<UInt8>, as type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    try JSONValue(parsing: line, maximumDepth: depth).decoded(as: type, userInfo: userInfo)
  }

  /// Returns the finding types of the analyzers, for a decoder.
  static func userInfo(_ kinds: [AnalyzerKind]) -> [CodingUserInfoKey: any Sendable] {
    guard let key = CodingUserInfoKey.findingTypes else { return [:] }
    return [key: Dictionary(kinds.map { ($0.id, $0.findingType) }, uniquingKeysWith: { first, _ in first })]
  }
}
