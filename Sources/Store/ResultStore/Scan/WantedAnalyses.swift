public import Analysis

/// Analyses that a run wants for every file.
public struct WantedAnalyses: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var identity: AnalyzerIdentity
    /// True if the finding follows from the encoded audio alone, so it stays valid for another file with the same
    /// content id; false for `Feed.file`.
    public var readsAudio: Bool
    /// Identities of the same analyzer whose findings stand for this one's (`AnalyzerPlugin.supersedingIdentities`).
    public var superseding: Set<AnalyzerIdentity>

    public init(identity: AnalyzerIdentity, readsAudio: Bool, superseding: Set<AnalyzerIdentity> = []) {
      self.identity = identity
      self.readsAudio = readsAudio
      self.superseding = superseding
    }

    /// This identity first.
    var accepted: [AnalyzerIdentity] { [identity] + superseding }
  }

  public var members: [Member]
  /// Increased whenever decoding may succeed where it failed before; failed and partial files are then retried.
  public var decoderVersion: Int

  public init(members: [Member], decoderVersion: Int) {
    self.members = members
    self.decoderVersion = decoderVersion
  }

  /// `false` for analyzers that are not in `members`.
  func readsAudio(_ analyzer: AnalyzerIdentity) -> Bool {
    members.first { $0.accepted.contains(analyzer) }?.readsAudio ?? false
  }
}
