/// Audio of a whole file that was analyzed before, this one or another.
public struct KnownAudio: Hashable, Sendable, Codable {
  /// See `FileAnalysis.decodingID`.
  public var decodingID: ContentID
  /// The analyzers of audio whose outcomes are stored for it, but for those that failed.
  public var analyzers: Set<AnalyzerIdentity>
  /// The format found when it was decoded; repeated in the result if there is no need to decode again.
  public var format: AudioFormat?
  public var remarks: [Problem]

  public init(
    decodingID: ContentID, analyzers: Set<AnalyzerIdentity>, format: AudioFormat?, remarks: [Problem] = []
  ) {
    self.decodingID = decodingID
    self.analyzers = analyzers
    self.format = format
    self.remarks = remarks
  }

  enum CodingKeys: String, CodingKey {
    case analyzers, format, remarks
    case decodingID = "decoding_id"
  }
}
