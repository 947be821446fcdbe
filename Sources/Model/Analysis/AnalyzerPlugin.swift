public import Text

/// A type-erased analyzer with its settings, for pipelines.
public struct AnalyzerPlugin: Sendable {
  public private(set) var identity: AnalyzerIdentity
  /// The identities that this analyzer has in pipelines that contain more of the analyzers it reads. Findings with
  /// these identities are based on more information, so they supersede its own findings.
  public private(set) var supersedingIdentities: Set<AnalyzerIdentity> = []
  public let feed: Feed
  /// Ids of the analyzers whose findings its sessions read.
  public let reads: [String]
  /// The resolved settings: every key with its value.
  public let configuration: JSONValue
  private let open: @Sendable (AudioFile) throws(AnalysisError) -> any AnalysisSession

  public var id: String { identity.id }
  public var version: Int { identity.version }

  /// - Parameters:
  ///   - configuration: The settings, for display.
  ///   - shapingFinding: The settings that can affect findings. They determine the digest.
  ///   - resampler: The name of the pipeline's resampler, which is part of the digest if the feed depends on it.
  ///   - reads: Ids of the analyzers whose findings its sessions read.
  ///   - makeSession: Opens a session for one file, like `Analyzer.makeSession(for:)`.
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

  public func makeSession(for file: AudioFile) throws(AnalysisError) -> any AnalysisSession {
    try open(file)
  }
}

extension AnalyzerPlugin {
  /// Returns `true` if `known` contains this analyzer's identity or one that supersedes it.
  public func isCovered(by known: Set<AnalyzerIdentity>) -> Bool {
    known.contains(identity) || !known.isDisjoint(with: supersedingIdentities)
  }

  /// Returns this analyzer with its identity in a pipeline, which depends on the analyzers it reads, and with the
  /// identities that supersede it.
  /// - Parameter absent: The analyzers it reads that are missing from the pipeline.
  fileprivate func reading(
    _ others: [AnalyzerIdentity], absent: [AnalyzerIdentity]
  ) -> AnalyzerPlugin {
    var plugin = self
    plugin.identity = identity(beside: others)
    for chosen in 1..<(1 << absent.count) {
      let added = absent.indices.filter { chosen >> $0 & 1 == 1 }.map { absent[$0] }
      plugin.supersedingIdentities.insert(identity(beside: others + added))
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
  /// The indices of the analyzers, ordered so that each analyzer comes after the ones it reads.
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

  /// Returns the analyzers as members of one pipeline. The identity of each depends on which of the analyzers that it
  /// reads are in the pipeline.
  /// - Parameter defaults: Analyzers with their default settings. Where an analyzer reads one of them and this pipeline
  ///   lacks it, findings from pipelines that contain it remain current.
  public func asOnePipeline(defaults: [AnalyzerPlugin] = []) -> [AnalyzerPlugin] {
    let missing = defaults.filter { other in !contains { $0.id == other.id } }
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

  /// Returns the analyzers with these ids, and all analyzers that they read, directly or indirectly.
  public func selecting(_ ids: Set<String>) -> [AnalyzerPlugin] {
    var wanted = ids
    for index in readingOrder.reversed() where wanted.contains(self[index].id) { wanted.formUnion(self[index].reads) }
    return filter { wanted.contains($0.id) }
  }
}
