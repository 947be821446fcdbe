internal import FoundationEssentials

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

extension SignatureFinding {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let text = try container.decode(String.self, forKey: .data)
    guard let data = Data(base64Encoded: text) else {
      throw DecodingError.dataCorruptedError(forKey: .data, in: container, debugDescription: "not base64")
    }
    self.init(
      version: try container.decode(Int.self, forKey: .version),
      landmarkCount: try container.decode(Int.self, forKey: .landmarkCount), data: [UInt8](data))
  }

  /// The data is base64 (RFC 4648): a list of numbers would take three times the room, and long to read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(landmarkCount, forKey: .landmarkCount)
    try container.encode(Data(data).base64EncodedString(), forKey: .data)
  }
}
