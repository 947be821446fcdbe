public import Analysis
internal import Platform
public import SystemPackage

/// A file to analyze, and what is known about its audio: everything that a worker needs, in this process or another.
public struct AnalysisJob: Hashable, Sendable {
  public var path: FilePath
  /// IDs of the analyzers to run; `nil` to run all analyzers of the worker.
  public var analyzers: Set<String>?
  /// Known audio that may be the audio of this file, for example if it was moved or only its tags were edited.
  public var knownAudio: [KnownAudio]
  /// Time after which the analysis of the file is cut off; `nil` for no limit.
  public var timeLimit: TimeLimit?
  /// `true` to measure the time of each stage.
  public var isProfiled: Bool
  /// Digests of the whole file to compute in addition to XXH3; `nil` if no checksum is wanted.
  public var digests: Set<FileChecksum.Kind>?
  /// `true` to skip the verification of the audio's checksum, which requires decoding.
  public var decodesNothing = false

  public init(
    path: FilePath, analyzers: Set<String>? = nil, knownAudio: [KnownAudio] = [], timeLimit: TimeLimit? = nil,
    isProfiled: Bool = false
  ) {
    self.path = path
    self.analyzers = analyzers
    self.knownAudio = knownAudio
    self.timeLimit = timeLimit
    self.isProfiled = isProfiled
  }
}

extension AnalysisJob: Codable {
  enum CodingKeys: String, CodingKey {
    case path, analyzers, profile, digests
    case knownAudio = "known_audio"
    case decodesNothing = "decodes_nothing"
    case timeLimit = "time_limit"
  }

  /// Decodes a job. Its path is a string, or a list of bytes if it is not UTF-8.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let text = try? container.decode(String.self, forKey: .path) {
      path = FilePath(text)
    } else {
      path = FilePath(bytes: try container.decode([UInt8].self, forKey: .path))
    }
    analyzers = try container.decodeIfPresent(Set<String>.self, forKey: .analyzers)
    knownAudio = try container.decode([KnownAudio].self, forKey: .knownAudio)
    timeLimit = try container.decodeIfPresent(TimeLimit.self, forKey: .timeLimit)
    isProfiled = try container.decodeIfPresent(Bool.self, forKey: .profile) ?? false
    digests = try container.decodeIfPresent(Set<FileChecksum.Kind>.self, forKey: .digests)
    decodesNothing = try container.decodeIfPresent(Bool.self, forKey: .decodesNothing) ?? false
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let bytes = path.withBytes { unsafe Array($0) }
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text, forKey: .path)
    } else {
      try container.encode(bytes, forKey: .path)
    }
    try container.encode(analyzers, forKey: .analyzers)
    try container.encode(knownAudio, forKey: .knownAudio)
    try container.encode(timeLimit, forKey: .timeLimit)
    try container.encodeIfPresent(digests, forKey: .digests)
    if decodesNothing { try container.encode(true, forKey: .decodesNothing) }
    if isProfiled { try container.encode(true, forKey: .profile) }
  }
}
