/// The landmark signature of a track, to recognise clips of it by.
public struct SignatureFinding: AnalysisFinding {
  public var version: Int
  public var landmarkCount: Int
  /// The signature as a catalog takes it; it cannot be turned back into sound.
  public var bytes: [UInt8]

  public init(version: Int, landmarkCount: Int, bytes: [UInt8]) {
    self.version = version
    self.landmarkCount = landmarkCount
    self.bytes = bytes
  }

  enum CodingKeys: String, CodingKey {
    case version, bytes
    case landmarkCount = "landmarks"
  }
}
