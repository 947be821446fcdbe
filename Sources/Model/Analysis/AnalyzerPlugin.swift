public import Text

/// An analyzer with its settings, ready for a pipeline that knows nothing of its types.
public struct AnalyzerPlugin: Sendable {
  public private(set) var identity: AnalyzerIdentity
  /// Its identities beside more of the analyzers that it reads than its pipeline has. Their findings know more, so they stand
  /// for its own.
  public private(set) var richerIdentities: Set<AnalyzerIdentity> = []
  public let feed: Feed
  /// Ids of the analyzers whose findings its sessions look at.
  public let reads: [String]
  /// The resolved settings: every key with its value.
  public let configuration: JSONValue
  private let open: @Sendable (AudioFile) throws(AnalysisError) -> any AnalysisSession

  public var id: String { identity.id }
  public var version: Int { identity.version }

  /// - Parameters:
  ///   - configuration: The settings, for people to read.
  ///   - shapingFinding: The settings that can change a finding, from which the digest is made.
  ///   - resampler: Name of the pipeline's resampler; part of the digest if the feed depends on it.
  ///   - reads: Ids of the analyzers whose findings its sessions look at.
  ///   - makeSession: Opens a session over one file, as `Analyzer.makeSession(for:)` does.
  public init(
    id: String, version: Int, feed: Feed, configuration: JSONValue, shapingFinding: JSONValue, resampler: String,
    reads: [String] = [],
    makeSession: @escaping @Sendable (AudioFile) throws(AnalysisError) -> any AnalysisSession
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
  public func makeSession(for file: AudioFile) throws(AnalysisError) -> any AnalysisSession {
    try open(file)
  }
}

extension AnalyzerPlugin {
  /// Whether one of these analyses has found what this analyzer would find, or more.
  public func isCovered(by known: Set<AnalyzerIdentity>) -> Bool {
    known.contains(identity) || !known.isDisjoint(with: richerIdentities)
  }

  /// The same analyzer beside others: its identity depends on the identities of those that it reads.
  /// - Parameter absent: Analyzers that the pipeline lacks.
  fileprivate func reading(
    _ others: [AnalyzerIdentity], absent: [AnalyzerIdentity]
  ) -> AnalyzerPlugin {
    var plugin = self
    plugin.identity = identity(beside: others)
    for chosen in 1..<(1 << absent.count) {
      let added = absent.indices.filter { chosen >> $0 & 1 == 1 }.map { absent[$0] }
      plugin.richerIdentities.insert(identity(beside: others + added))
    }
    return plugin
  }

  private func identity(beside others: [AnalyzerIdentity]) -> AnalyzerIdentity {
    guard !others.isEmpty else { return identity }
    let inOrder = reads.compactMap { id in others.first { $0.id == id } }
    let names = [identity.digest] + inOrder.map { "\($0.id) \($0.version) \($0.digest)" }
    var identity = identity
    identity.digest = ContentID(hashing: Array(names.joined(separator: "\n").utf8)).description
    return identity
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
  /// - Parameter fuller: Analyzers with their usual settings. Where this pipeline lacks one of them that an analyzer reads,
  ///   a finding made beside it stays current.
  public func asOnePipeline(fuller: [AnalyzerPlugin] = []) -> [AnalyzerPlugin] {
    let missing = fuller.filter { other in !contains { $0.id == other.id } }
    let absent = missing.isEmpty ? [] : (self + missing).asOnePipeline().suffix(missing.count)
    var linked = self
    for index in readingOrder {
      let reads = self[index].reads
      linked[index] = self[index].reading(
        reads.compactMap { id in linked.first { $0.id == id }?.identity },
        absent: reads.compactMap { id in absent.first { $0.id == id }?.identity })
    }
    return linked
  }

  /// The analyzers with these ids, and all that they read, directly or not.
  public func selecting(_ ids: Set<String>) -> [AnalyzerPlugin] {
    var wanted = ids
    for index in readingOrder.reversed() where wanted.contains(self[index].id) { wanted.formUnion(self[index].reads) }
    return filter { wanted.contains($0.id) }
  }
}
