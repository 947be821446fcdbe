public import Analysis

/// The analyses that a run wants of every file.
public struct WantedAnalyses: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var identity: AnalyzerIdentity
    /// True if the finding follows from the encoded audio alone, so it stays right for another file with the same
    /// content id; false for `Feed.file`.
    public var readsAudio: Bool
    /// Identities of the same analyzer whose findings stand for this one's (`AnalyzerPlugin.richerIdentities`).
    public var richer: Set<AnalyzerIdentity>

    public init(identity: AnalyzerIdentity, readsAudio: Bool, richer: Set<AnalyzerIdentity> = []) {
      self.identity = identity
      self.readsAudio = readsAudio
      self.richer = richer
    }

    /// This identity first.
    var accepted: [AnalyzerIdentity] { [identity] + richer }
  }

  public var members: [Member]
  /// Raised whenever decoding may succeed where it failed before: failed and partial files are then tried again.
  public var decoderVersion: Int

  public init(members: [Member], decoderVersion: Int) {
    self.members = members
    self.decoderVersion = decoderVersion
  }

  /// Nothing is known about analyzers that are not in `members`.
  func readsAudio(_ analyzer: AnalyzerIdentity) -> Bool {
    members.first { $0.accepted.contains(analyzer) }?.readsAudio ?? false
  }
}
