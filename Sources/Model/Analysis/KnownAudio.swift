/// Audio that was analyzed before, in this file or in another intact file.
public struct KnownAudio: Hashable, Sendable, Codable {
  /// See `FileAnalysis.decodingID`.
  public var decodingID: ContentID
  /// The audio analyzers whose outcomes are stored for this audio, except the ones that failed.
  public var analyzers: Set<AnalyzerIdentity>
  /// The format found by decoding. The result repeats it if the audio does not have to be decoded again.
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
