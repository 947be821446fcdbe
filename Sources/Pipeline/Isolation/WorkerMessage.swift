internal import AudioAnalysis
internal import Foundation

/// What a worker writes: lines of JSON, for each job any number of `stage` and `audio`, and one `result`.
enum WorkerMessage: Codable {
  /// The worker is about to do this.
  case stage(Problem.Stage)
  /// What is known of this audio? The answer is a line with a `KnownAudio`, or null.
  case audio(ContentID)
  case result(FileAnalysis)

  private enum CodingKeys: String, CodingKey {
    case stage, audio, result
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let stage = try container.decodeIfPresent(Problem.Stage.self, forKey: .stage) {
      self = .stage(stage)
    } else if let audio = try container.decodeIfPresent(ContentID.self, forKey: .audio) {
      self = .audio(audio)
    } else {
      self = .result(try container.decode(FileAnalysis.self, forKey: .result))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .stage(let stage): try container.encode(stage, forKey: .stage)
    case .audio(let id): try container.encode(id, forKey: .audio)
    case .result(let analysis): try container.encode(analysis, forKey: .result)
    }
  }
}

extension JSONEncoder {
  /// One line, line break included.
  func line(_ value: some Encodable) throws -> [UInt8] {
    try Array(encode(value)) + [UInt8(ascii: "\n")]
  }
}
