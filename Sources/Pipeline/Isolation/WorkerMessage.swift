internal import Analysis
internal import Text

/// What a worker writes: lines of JSON, first `ready`, then for each job any number of `stage`, `decoded` and `audio`, and
/// one `result`.
enum WorkerMessage: Codable {
  /// The worker waits for its first job.
  case ready
  /// The worker is about to do this.
  case stage(Problem.Stage)
  /// So many seconds of audio were decoded.
  case decoded(Double)
  /// What is known of this audio? The answer is a line with a `KnownAudio`, or null.
  case audio(ContentID)
  case result(FileAnalysis)

  /// Bytes of a line. A day of audio takes a fifth: its beats and its signature, in text. Tags are limited by their readers.
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

/// Values on their way between a run and its workers, as lines of JSON. Findings of programs come out with the numbers they
/// went in with, 126.0 and not 126, which Foundation's coders do not care for.
enum WorkerLine {
  /// Lists and objects around the JSON of a program, and then some.
  private static let depth = 200

  /// Line break included.
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

  /// Finding types of analyzers, for a decoder.
  static func userInfo(_ kinds: [AnalyzerKind]) -> [CodingUserInfoKey: any Sendable] {
    guard let key = CodingUserInfoKey.findingTypes else { return [:] }
    return [key: Dictionary(kinds.map { ($0.id, $0.findingType) }, uniquingKeysWith: { first, _ in first })]
  }
}
