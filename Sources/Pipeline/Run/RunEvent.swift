public import Analysis
public import SystemPackage

/// What a run tells while it goes on.
public enum RunEvent: Sendable {
  public enum Phase: String, Sendable {
    case scan, analyze, report
  }

  case began(Phase)
  /// Files seen so far by the scan.
  case scanned(Int)
  /// The scan is over: so many files are to be analyzed.
  case planned(Int)
  case started(FilePath)
  /// A file is done; `audioDuration` is in seconds and zero where no audio was decoded.
  case finished(FilePath, status: FileAnalysis.Status, problem: Problem?, audioDuration: Double)
  /// Something a person should know that concerns the run and not one file.
  /// - Parameter event: A word for programs, which is never renamed.
  case notice(String, event: String, path: FilePath? = nil)
}
