package import Analysis
package import AnalysisEngine
internal import AudioDecoding
internal import Landmarks
internal import Recognition
internal import Records
package import ResultStore
internal import SystemPackage

/// Creates catalog references from audio files. Files whose audio has a current signature in the store are not decoded
/// again.
package struct ReferenceReader {
  struct Failure: Error {
    var problem: Problem
  }

  private let store: ResultStore?
  private let timeLimit: TimeLimit
  private let analyze: (AnalysisJob) throws -> FileAnalysis?

  /// The analyzers that `analyze` must support.
  package static let analyzers = [TagFinding.analyzer, SignatureFinding.analyzer]

  /// - Parameters:
  ///   - store: The store of earlier analyses; `nil` for none.
  ///   - timeLimit: The time limit for each file.
  ///   - analyze: Analyzes a file; returns `nil` if the analysis was abandoned.
  package init(store: ResultStore?, timeLimit: TimeLimit, analyze: @escaping (AnalysisJob) throws -> FileAnalysis?) {
    self.store = store
    self.timeLimit = timeLimit
    self.analyze = analyze
  }

  /// - Throws: `Failure` if the file cannot be used as a reference, and errors of `analyze`.
  func reference(of path: FilePath) throws -> ReferenceSignature {
    let stored = try storedSignature(of: path)
    let job = AnalysisJob(
      path: path, analyzers: Set(stored == nil ? Self.analyzers : [TagFinding.analyzer]), timeLimit: timeLimit)
    guard let analysis = try analyze(job) else {
      throw failure("interrupted", "The analysis was abandoned.")
    }
    var tags: TagFinding?
    var made: SignatureFinding?
    for outcome in analysis.outcomes {
      guard case .finding(let finding) = outcome.result else { continue }
      tags = tags ?? finding as? TagFinding
      made = made ?? finding as? SignatureFinding
    }
    guard let id = analysis.contentID, let finding = stored ?? made else {
      throw analysis.problem.map(Failure.init) ?? failure("no_audio", "There is no audio to recognize it by.")
    }
    guard finding.landmarkCount > 0 else {
      throw failure("silent", "It is silent: there is nothing to recognize it by.")
    }
    do {
      return ReferenceSignature(
        identifier: id.description, signature: try Signature(bytes: finding.data),
        items: [LibraryItem.item(path: path, tags: tags)])
    } catch {
      throw failure("no_signature", "\(error)")
    }
  }

  private func failure(_ code: String, _ message: String) -> Failure {
    Failure(problem: Problem(stage: .analyze, code: code, message: message))
  }

  /// Returns the stored signature of the same audio; `nil` if there is no current one. It is looked up by content,
  /// because the entry for the path may describe an older file.
  private func storedSignature(of path: FilePath) throws -> SignatureFinding? {
    guard let store, let content = try? AudioContent(path: path), content.fault == nil,
      let finding = try store.signature(decodingID: content.decodingID), finding.version == Signature.version
    else { return nil }
    return finding
  }
}
