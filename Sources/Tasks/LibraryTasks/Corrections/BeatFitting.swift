internal import Analysis
package import AnalysisEngine
internal import BuiltInAnalyzers
internal import Library
internal import Platform
internal import SystemPackage

/// Lays beats of a tempo that a person has given over the audio of a file, which is read again for that.
package struct BeatFitting: Sendable {
  struct Failure: Error {
    /// The end of a sentence: "since …".
    var reason: String
  }

  private let analysis: SingleFileAnalysis

  package init(by analysis: SingleFileAnalysis) { self.analysis = analysis }

  /// - Parameter audio: The audio that the file must hold: it may have changed since it was analyzed.
  /// - Throws: `Failure` if there are no beats to be had.
  func finding(of path: FilePath, _ audio: ContentID, bpm: Double) throws -> TempoFinding {
    guard !path.isObject else { throw Failure(reason: "it is an object, which is not fetched for that") }
    guard path.exists else {
      throw Failure(reason: "the file is not there to be read again")
    }
    // Very slow and very fast tempi are heard by a multiple of them.
    var heard = bpm
    while heard < BuiltInAnalyzers.beatFitRange.lowerBound { heard *= 2 }
    while heard > BuiltInAnalyzers.beatFitRange.upperBound { heard /= 2 }
    let fit = BuiltInAnalyzers.beatFit(bpm: heard)
    let request = SingleFileAnalysis.Request(
      name: fit.id, analyzers: [(id: fit.id, settings: fit.settings)], kinds: BuiltInAnalyzers.onRequest)
    let analysis = try analysis(path, request)
    guard let analysis else { throw Failure(reason: "reading the file was given up") }
    guard analysis.contentID == audio else {
      throw Failure(
        reason: analysis.contentID == nil
          ? "the file cannot be read: \(analysis.problem?.message ?? "unknown reason")"
          : "the file holds other audio than when it was analyzed")
    }
    guard case .finding(let finding)? = analysis.outcomes.first?.result, var tempo = finding as? TempoFinding,
      tempo.beats.count > 1
    else { throw Failure(reason: "there are no onsets in it to lay them on") }
    while heard < bpm * 0.99 {
      heard *= 2
      tempo = tempo.multiplied(by: BeatRatio(2))
    }
    while heard > bpm * 1.01 {
      heard /= 2
      tempo = tempo.multiplied(by: BeatRatio(1, 2))
    }
    return tempo
  }
}
