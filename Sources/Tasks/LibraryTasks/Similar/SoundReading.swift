internal import Analysis
package import AnalysisEngine
internal import BuiltInAnalyzers
internal import Records
internal import SystemPackage

/// Computes the descriptor of a file that has no current one in the database, in the same way as a run does.
package struct SoundReading: Sendable {
  private let analysis: SingleFileAnalysis

  package init(by analysis: SingleFileAnalysis) { self.analysis = analysis }

  /// Returns a record that contains the descriptor, and the fingerprint by which copies of the recording are
  /// recognized.
  /// - Throws: `SimilarTracksError.cannotRead`.
  func record(of path: FilePath) throws -> FileRecord {
    let ids = [LikenessFinding.analyzer, FingerprintFinding.analyzer]
    let request = SingleFileAnalysis.Request(
      name: "similar", analyzers: ids.map { (id: $0, settings: [:]) }, kinds: BuiltInAnalyzers.all)
    let analysis = try analysis(path, request)
    guard let analysis else { throw SimilarTracksError.cannotRead(path, reason: "reading it was abandoned") }
    if analysis.status == .failed {
      throw SimilarTracksError.cannotRead(path, reason: analysis.problem?.message ?? "no audio was found in it")
    }
    return FileRecord(path: path, sizeBytes: nil, modified: nil, analysis: analysis)
  }
}
