internal import Analysis
package import AnalysisEngine
internal import BuiltInAnalyzers
internal import Library
internal import Platform
internal import SystemPackage

/// Fits beats to the audio of a file at a tempo that a person has set. Reads the audio again.
package struct BeatFitting: Sendable {
  struct Failure: Error {
    /// A clause that completes "since …".
    var reason: String
  }

  private let analysis: SingleFileAnalysis

  package init(by analysis: SingleFileAnalysis) { self.analysis = analysis }

  /// - Parameter audio: The audio that the file must contain. The file may have changed since it was analyzed.
  /// - Throws: `Failure` if no beats can be fitted.
  func finding(of path: FilePath, _ audio: ContentID, bpm: Double) throws -> TempoFinding {
    guard !path.isObject else { throw Failure(reason: "objects are not fetched for this") }
    guard path.exists else {
      throw Failure(reason: "the file is missing")
    }
    // For very slow and very fast tempi, a multiple or fraction within the supported range is fitted.
    var fitted = bpm
    while fitted < BuiltInAnalyzers.beatFitRange.lowerBound { fitted *= 2 }
    while fitted > BuiltInAnalyzers.beatFitRange.upperBound { fitted /= 2 }
    let fit = BuiltInAnalyzers.beatFit(bpm: fitted)
    let request = SingleFileAnalysis.Request(
      name: fit.id, analyzers: [(id: fit.id, settings: fit.settings)], kinds: BuiltInAnalyzers.onRequest)
    let analysis = try analysis(path, request)
    guard let analysis else { throw Failure(reason: "reading the file was abandoned") }
    guard analysis.contentID == audio else {
      throw Failure(
        reason: analysis.contentID == nil
          ? "the file cannot be read: \(analysis.problem?.message ?? "unknown reason")"
          : "the audio of the file has changed since it was analyzed")
    }
    guard case .finding(let finding)? = analysis.outcomes.first?.result, var tempo = finding as? TempoFinding,
      tempo.beats.count > 1
    else { throw Failure(reason: "the file has no onsets to align them to") }
    while fitted < bpm * 0.99 {
      fitted *= 2
      tempo = tempo.multiplied(by: BeatRatio(2))
    }
    while fitted > bpm * 1.01 {
      fitted /= 2
      tempo = tempo.multiplied(by: BeatRatio(1, 2))
    }
    return tempo
  }
}
