/// A landmark signature for the recognition catalog.
public struct SignatureFinding: AnalysisFinding {
  /// Of the format of `data`.
  public var version: Int
  public var landmarkCount: Int
  public var data: [UInt8]

  public init(version: Int, landmarkCount: Int, data: [UInt8]) {
    self.version = version
    self.landmarkCount = landmarkCount
    self.data = data
  }

  enum CodingKeys: String, CodingKey {
    case version, data
    case landmarkCount = "landmarks"
  }
}
