/// Hashes of the bytes of a file on disk, which show whether the file has changed, and whether the change affects the
/// audio.
public struct FileChecksum: Hashable, Sendable, Codable {
  /// A hash function that other programs use. Its digest is computed only if requested; XXH3 is always computed.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case sha256, md5
  }

  /// XXH3-128 of all bytes.
  public var whole: ContentID
  public var byteCount: Int64
  /// The byte range of the encoded audio; `nil` if unknown.
  public var audio: Range<Int64>?
  /// XXH3-128 of the bytes in `audio`.
  public var audioHash: ContentID?
  /// Digests by hash function.
  public var digests: [Kind: [UInt8]]

  public init(
    whole: ContentID, byteCount: Int64, audio: Range<Int64>? = nil, audioHash: ContentID? = nil,
    digests: [Kind: [UInt8]] = [:]
  ) {
    self.whole = whole
    self.byteCount = byteCount
    self.audio = audio
    self.audioHash = audioHash
    self.digests = digests
  }

  private enum CodingKeys: String, CodingKey {
    case whole, sha256, md5
    case byteCount = "bytes"
    case audioStart = "audio_start"
    case audioEnd = "audio_end"
    case audioHash = "audio"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    whole = try container.decode(ContentID.self, forKey: .whole)
    byteCount = try container.decode(Int64.self, forKey: .byteCount)
    if let start = try container.decodeIfPresent(Int64.self, forKey: .audioStart),
      let end = try container.decodeIfPresent(Int64.self, forKey: .audioEnd), start <= end
    {
      audio = start..<end
    }
    audioHash = try container.decodeIfPresent(ContentID.self, forKey: .audioHash)
    digests = [:]
    digests[.sha256] = try container.decodeIfPresent([UInt8].self, forKey: .sha256)
    digests[.md5] = try container.decodeIfPresent([UInt8].self, forKey: .md5)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(whole, forKey: .whole)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encodeIfPresent(audio?.lowerBound, forKey: .audioStart)
    try container.encodeIfPresent(audio?.upperBound, forKey: .audioEnd)
    try container.encodeIfPresent(audioHash, forKey: .audioHash)
    try container.encodeIfPresent(digests[.sha256], forKey: .sha256)
    try container.encodeIfPresent(digests[.md5], forKey: .md5)
  }
}
