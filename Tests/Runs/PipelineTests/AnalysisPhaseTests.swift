import Analysis
import AnalysisTesting
import Platform
import SystemPackage
import Testing

@testable import Pipeline
@testable import ResultStore

@Suite(.bounded) struct AnalysisPhaseTests {
  private static func file(_ id: Int64, size: Int64, attempts: Int) -> PendingFile {
    PendingFile(
      fileID: id, path: FilePath("/music/\(id).wav"), device: 1, inode: UInt64(id), sizeBytes: size,
      modified: Timestamp(nanoseconds: 5), reason: .new, status: nil, known: [], knownAudio: [],
      unfinishedAttempts: attempts)
  }

  /// Files that a run died over come last, however large they are and however often it happened. Within each group,
  /// the largest come first.
  @Test func suspectsComeLastAndOthersBySize() {
    var random = SplitMix64.fresh()
    let expected = [
      Self.file(1, size: 9_000, attempts: 0), Self.file(2, size: 8_999, attempts: 0),
      Self.file(3, size: 1, attempts: 0), Self.file(4, size: 0, attempts: 0),
      Self.file(5, size: 90_000, attempts: 3), Self.file(6, size: 8_000, attempts: 1),
      Self.file(7, size: 7_999, attempts: 4), Self.file(8, size: 2, attempts: 1),
    ]
    for _ in 0..<20 {
      let sorted = AnalysisPhase.inOrderOfWork(expected.shuffled(using: &random))
      #expect(sorted.map(\.fileID) == expected.map(\.fileID))
    }
    #expect(AnalysisPhase.inOrderOfWork([]).isEmpty)
    // Files of one size keep their order.
    let equal = (1...9).map { Self.file($0, size: 5, attempts: 0) }
    #expect(AnalysisPhase.inOrderOfWork(equal).map(\.fileID) == Array(1...9))
  }
}
