public import Analysis

/// What a run wants to know of every file.
public struct WantedAnalyses: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var identity: AnalyzerIdentity
    /// True if the finding follows from the encoded audio alone, so that it stays right for another file with the same
    /// content id; false for `Feed.file`.
    public var readsAudio: Bool

    public init(identity: AnalyzerIdentity, readsAudio: Bool) {
      self.identity = identity
      self.readsAudio = readsAudio
    }
  }

  public var members: [Member]
  /// Raised whenever decoding may succeed where it failed before: failed and partial files are then tried again.
  public var decoderVersion: Int

  public init(members: [Member], decoderVersion: Int) {
    self.members = members
    self.decoderVersion = decoderVersion
  }

  /// Of analyzers that are none of `members` nothing is known.
  func readsAudio(_ analyzer: AnalyzerIdentity) -> Bool {
    members.first { $0.identity == analyzer }?.readsAudio ?? false
  }
}
