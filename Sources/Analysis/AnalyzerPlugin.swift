public import Text

/// An analyzer with its settings, ready for a pipeline that knows nothing of its types.
public struct AnalyzerPlugin: Sendable {
  public private(set) var identity: AnalyzerIdentity
  public let feed: Feed
  /// Ids of the analyzers whose findings its sessions look at.
  public let reads: [String]
  /// The resolved settings: every key with its value.
  public let configuration: JSONValue
  private let open: @Sendable (Track) throws(AnalysisError) -> any AnalysisSession

  public var id: String { identity.id }
  public var version: Int { identity.version }

  /// - Parameters:
  ///   - configuration: The settings, for people to read.
  ///   - shapingFinding: What the digest is made of: the settings that can change a finding.
  ///   - resampler: Name of the pipeline's resampler; part of the digest if the feed depends on it.
  ///   - reads: Ids of the analyzers whose findings its sessions look at.
  ///   - makeSession: Opens a session over one file, as `Analyzer.makeSession(for:)` does.
  public init(
    id: String, version: Int, feed: Feed, configuration: JSONValue, shapingFinding: JSONValue, resampler: String,
    reads: [String] = [],
    makeSession: @escaping @Sendable (Track) throws(AnalysisError) -> any AnalysisSession
  ) {
    var shape: [String: JSONValue] = ["configuration": shapingFinding]
    if feed.dependsOnResampler { shape["resampler"] = .string(resampler) }
    let digest = ContentID(hashing: Array(JSONValue.object(shape).canonicalText.utf8)).description
    self.identity = AnalyzerIdentity(id: id, version: version, digest: digest)
    self.feed = feed
    self.reads = reads
    self.configuration = configuration
    self.open = makeSession
  }

  /// Opens a session over one file.
  public func makeSession(for track: Track) throws(AnalysisError) -> any AnalysisSession {
    try open(track)
  }
}

extension AnalyzerPlugin {
  /// The same analyzer beside others: its identity depends on the identities of those that it reads.
  fileprivate func reading(_ others: [AnalyzerIdentity]) -> AnalyzerPlugin {
    guard !others.isEmpty else { return self }
    let names = [identity.digest] + others.map { "\($0.id) \($0.version) \($0.digest)" }
    var plugin = self
    plugin.identity.digest = ContentID(hashing: Array(names.joined(separator: "\n").utf8)).description
    return plugin
  }
}

extension [AnalyzerPlugin] {
  /// Their indices in an order in which each analyzer comes after those that it reads.
  public var readingOrder: [Int] {
    var order: [Int] = []
    var visited = Set<Int>()
    func visit(_ index: Int) {
      guard visited.insert(index).inserted else { return }
      for id in self[index].reads { if let other = firstIndex(where: { $0.id == id }) { visit(other) } }
      order.append(index)
    }
    for index in indices { visit(index) }
    return order
  }

  /// The same analyzers as members of one pipeline: a finding that was made beside other findings is another one.
  public var asOnePipeline: [AnalyzerPlugin] {
    var linked = self
    for index in readingOrder {
      let others = self[index].reads.compactMap { id in linked.first { $0.id == id }?.identity }
      linked[index] = self[index].reading(others)
    }
    return linked
  }

  /// Those whose ids are given, and all that they read, directly or not.
  public func selecting(_ ids: Set<String>) -> [AnalyzerPlugin] {
    var wanted = ids
    for index in readingOrder.reversed() where wanted.contains(self[index].id) { wanted.formUnion(self[index].reads) }
    return filter { wanted.contains($0.id) }
  }
}
