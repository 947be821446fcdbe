public import Analysis

/// The analyses that a run wants for every file.
public struct WantedAnalyses: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var identity: AnalyzerIdentity
    /// `true` if the finding follows from the encoded audio alone, so it stays valid for another file with the same
    /// content id; `false` for `Feed.file`.
    public var readsAudio: Bool
    /// Identities of the same analyzer whose findings are accepted in place of this one's
    /// (`AnalyzerPlugin.supersedingIdentities`).
    public var superseding: Set<AnalyzerIdentity>

    public init(identity: AnalyzerIdentity, readsAudio: Bool, superseding: Set<AnalyzerIdentity> = []) {
      self.identity = identity
      self.readsAudio = readsAudio
      self.superseding = superseding
    }

    /// All accepted identities, with `identity` first.
    var accepted: [AnalyzerIdentity] { [identity] + superseding }
  }

  public var members: [Member]
  /// Version of the decoders, incremented whenever decoding may succeed where it failed before; failed and partial
  /// files are then retried.
  public var decoderVersion: Int

  public init(members: [Member], decoderVersion: Int) {
    self.members = members
    self.decoderVersion = decoderVersion
  }

  /// Returns `false` for analyzers that are not in `members`.
  func readsAudio(_ analyzer: AnalyzerIdentity) -> Bool {
    members.first { $0.accepted.contains(analyzer) }?.readsAudio ?? false
  }
}
