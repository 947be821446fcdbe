public import Analysis
public import SystemPackage

/// A progress event of a run.
public enum RunEvent: Sendable {
  public enum Phase: String, Sendable {
    case scan, analyze, verify, report
  }

  case began(Phase)
  /// Number of files and skipped entries that the scan has found so far.
  case scanned(Int)
  /// Number of files to analyze, or to read again.
  case planned(Int)
  case started(FilePath)
  /// A file is done. `audioDuration` is in seconds, and is zero if no audio was decoded.
  case finished(FilePath, status: FileAnalysis.Status, problem: Problem?, audioDuration: Double)
  /// A file was read again.
  case verified(FilePath, byteCount: Int64, isBad: Bool)
  /// A message about the run rather than about a single file.
  /// - Parameter event: An identifier for programs. It must never be renamed.
  case notice(String, event: String, path: FilePath? = nil)
}
