package import LibraryScan
package import SystemPackage

/// The folders that `serve --watch` watches, and the command that it starts.
package struct WatchOptions: Sendable {
  /// Absolute paths of the folders, which need not exist yet.
  package var folders: [FilePath]
  /// The command line of a run, without its folders. The run must not fail if a folder is missing or empty.
  package var command: [String]
  package var candidates = CandidateRule()
  /// Minimum time without changes for a file to count as completely written.
  package var quietPeriod = Duration.seconds(10)
  /// The interval between full scans if the system does not report all changes.
  package var scanInterval = Duration.seconds(300)

  package init(folders: [FilePath], command: [String]) {
    self.folders = folders
    self.command = command
  }
}
