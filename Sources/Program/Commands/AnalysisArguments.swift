import Analysis
package import AnalysisEngine
import ArgumentParser
import BuiltInAnalyzers
import Foundation
import Pipeline
import Platform

/// Options for analyzing files, shared by several commands.
struct AnalysisArguments: ParsableArguments {
  @OptionGroup
  var pipeline: PipelineArgument

  @Option(help: ArgumentHelp("Run these analyzers of the pipeline only", valueName: "id,…"))
  var only: [String] = []

  @Option(
    help: Settings.isolation.help("where"), completion: .list(IsolationChoice.choices))
  var isolation: String?

  @Option(name: .customLong("memory-limit"), help: Settings.memoryLimit.help("MB"))
  var memoryLimit: String?

  @Option(help: Settings.timeout.help("time"))
  var timeout: String?

  func apply(to settings: inout CommandSettings) throws {
    try pipeline.apply(to: &settings)
    try settings.take(isolation, for: Settings.isolation, option: "--isolation")
    try settings.take(memoryLimit, for: Settings.memoryLimit, option: "--memory-limit")
    try settings.take(timeout, for: Settings.timeout, option: "--timeout")
  }

  func plan(_ definition: PipelineDefinition) throws -> AnalysisPlan {
    try definition.plan(with: BuiltInAnalyzers.all, only: only.isEmpty ? nil : Set(onlyIDs))
  }

  /// The isolation in which files are analyzed, as the settings specify.
  func isolation(
    _ settings: CommandSettings, _ definition: PipelineDefinition, _ plan: AnalysisPlan
  ) -> LibraryRun.Isolation {
    settings.isolation(definition, only: onlyIDs, plan)
  }

  private var onlyIDs: [String] {
    only.flatMap { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
  }
}

extension CommandSettings {
  /// An analysis of single files in the isolation that the settings specify.
  package var fileAnalysis: SingleFileAnalysis {
    SingleFileAnalysis(timeLimit: timeLimit) { isolation($0, $1) }
  }

  /// Time limit for one file.
  var timeLimit: TimeLimit {
    self[Settings.timeout].map { TimeLimit(seconds: $0 / .seconds(1)) } ?? .standard
  }

  /// Number of files to analyze at the same time: `wanted`, or fewer if the limit on open files requires it.
  ///
  /// - Parameter notice: Receives a message if the number is lower than `wanted`.
  static func possibleJobs(_ wanted: Int, notice: (String) -> Void) throws -> Int {
    // The file itself, a decoder, and the pipes to a worker process or an external program.
    let filesPerJob = 8
    let limit = ResourceLimits.allowFiles(ResourceLimits.standardFiles + wanted * filesPerJob)
    try ResourceLimits.requireFiles(ResourceLimits.standardFiles + filesPerJob)
    let possible = (limit - ResourceLimits.standardFiles) / filesPerJob
    guard possible < wanted else { return wanted }
    notice("only \(possible) of \(wanted) files are analyzed at the same time, since \(limit) may be open (ulimit -n)")
    return possible
  }

  /// The isolation for a plan made from the analyzers `ids` of a definition, or from all its analyzers if `ids` is
  /// empty.
  func isolation(
    _ definition: PipelineDefinition, only ids: [String] = [], _ plan: AnalysisPlan
  ) -> LibraryRun.Isolation {
    switch self[Settings.isolation] {
    case .none: .none
    case .process:
      .workers(
        WorkerPool(
          arguments: WorkerProcessCommand.arguments(
            definition: definition, only: ids, memoryLimit: self[Settings.memoryLimit]),
          plan: plan, kinds: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest))
    }
  }
}
