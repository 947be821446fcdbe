public import Analysis
public import AnalysisEngine
internal import AudioDecoding
public import DSP
public import ResultStore
public import Text

/// A resolved pipeline definition: the analyzers of a run, and the configuration that is recorded with the run.
public struct AnalysisPlan: Sendable {
  public var name: String
  public var plugins: [AnalyzerPlugin]
  public var resampler: ResamplerKind
  public var decoding: PipelineDefinition.Decoding

  public init(
    name: String, plugins: [AnalyzerPlugin], resampler: ResamplerKind, decoding: PipelineDefinition.Decoding = .whole
  ) {
    self.name = name
    self.plugins = plugins
    self.resampler = resampler
    self.decoding = decoding
  }

  /// All settings of the pipeline, with given or default values. No other settings affect findings.
  public var configuration: JSONValue {
    .object([
      "resampler": .string(resampler.rawValue),
      "decode": .string(decoding.rawValue),
      "analyzers": .object(
        Dictionary(
          plugins.map { plugin in
            (plugin.id, .object(["version": .integer(Int64(plugin.version)), "settings": plugin.configuration]))
          }, uniquingKeysWith: { first, _ in first })),
    ])
  }

  /// Identifies `configuration`. The digest is the same for definitions with the same meaning, no matter how they are
  /// written.
  public var digest: ContentID {
    ContentID(hashing: Array(configuration.canonicalText.utf8))
  }

  /// The results that a file must have in the store to need no work.
  public var wanted: WantedAnalyses {
    WantedAnalyses(
      members: plugins.map {
        WantedAnalyses.Member(
          identity: $0.identity, readsAudio: $0.feed != .file, superseding: $0.supersedingIdentities)
      },
      decoderVersion: AudioSource.version)
  }

  /// Creates the file analyzer; one instance serves any number of threads.
  public func makeFileAnalyzer() -> FileAnalyzer {
    FileAnalyzer(
      plugins: plugins, resampler: resampler, readsToEnd: decoding != .needed,
      verifiesChecksums: decoding == .verified)
  }
}

extension PipelineDefinition {
  /// Looks up and configures the analyzers.
  ///
  /// - Parameters:
  ///   - kinds: The built-in analyzers.
  ///   - only: The ids of the analyzers to keep; `nil` for all. The analyzers whose results they read are kept, too.
  /// - Throws: `DefinitionError` if an analyzer does not exist (the error suggests the most similar one) or rejects its
  ///   settings.
  public func plan(with kinds: [AnalyzerKind], only: Set<String>? = nil) throws(DefinitionError) -> AnalysisPlan {
    if let only { try check(only) }
    var plan = AnalysisPlan(name: name, plugins: [], resampler: resampler, decoding: decoding)
    for entry in entries { plan.plugins.append(try plugin(for: entry, kinds: kinds)) }
    plan.plugins = plan.plugins.asOnePipeline(defaults: try usualPlugins(of: kinds, readBy: plan.plugins))
    if let only { plan.plugins = plan.plugins.selecting(only) }
    return plan
  }

  /// Returns the analyzers whose results the given analyzers read, with default settings.
  private func usualPlugins(
    of kinds: [AnalyzerKind], readBy plugins: [AnalyzerPlugin]
  ) throws(DefinitionError) -> [AnalyzerPlugin] {
    let read = Set(plugins.flatMap(\.reads))
    var usual: [AnalyzerPlugin] = []
    for kind in kinds where read.contains(kind.id) {
      usual.append(
        try configuring("analyzers.\(kind.id)") { () throws(ConfigurationError) in
          try kind.make(resampler: resampler.rawValue)
        })
    }
    return usual
  }

  private func plugin(for entry: Entry, kinds: [AnalyzerKind]) throws(DefinitionError) -> AnalyzerPlugin {
    let ids = kinds.map(\.id)
    let kind = kinds.first { $0.id == entry.id }
    switch entry.kind {
    case .builtIn:
      let place = "analyzers.\(entry.id)"
      guard let kind else {
        throw error(place, "unknown analyzer; \(Suggestion.hint(for: entry.id, in: ids))")
      }
      return try configuring(place) { () throws(ConfigurationError) in
        try kind.make(entry.settings, resampler: resampler.rawValue)
      }
    case .exec:
      let place = "exec.\(entry.id)"
      guard kind == nil else { throw error(place, "a built-in analyzer has this id; choose another one") }
      return try configuring(place) { () throws(ConfigurationError) in
        let configuration = try ExecAnalyzer.Configuration(merging: entry.settings)
        return try ExecAnalyzer(id: entry.id, configuration).plugin(resampler: resampler.rawValue)
      }
    }
  }

  private func configuring(
    _ place: String, _ make: () throws(ConfigurationError) -> AnalyzerPlugin
  ) throws(DefinitionError) -> AnalyzerPlugin {
    do {
      return try make()
    } catch {
      throw self.error(error.key.isEmpty ? place : "\(place).\(error.key)", error.problem)
    }
  }

  private func check(_ only: Set<String>) throws(DefinitionError) {
    let ids = entries.map(\.id)
    if let unknown = only.sorted().first(where: { !ids.contains($0) }) {
      throw DefinitionError(
        source: source, problem: "this pipeline has no analyzer '\(unknown)'; \(Suggestion.hint(for: unknown, in: ids))"
      )
    }
  }
}
