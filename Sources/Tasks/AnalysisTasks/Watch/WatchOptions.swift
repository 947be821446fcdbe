package import LibraryScan
package import SystemPackage

/// The folders that `serve --watch` watches, and the command it starts.
package struct WatchOptions: Sendable {
  /// Absolute. They need not be there yet.
  package var folders: [FilePath]
  /// The command line of a run, without its folders. A folder that is missing or empty is no failure of it.
  package var command: [String]
  package var candidates = CandidateRule()
  /// A file that changed this recently may still be being written.
  package var quietPeriod = Duration.seconds(10)
  /// How often all is looked through if the system does not report changes.
  package var scanInterval = Duration.seconds(300)

  package init(folders: [FilePath], command: [String]) {
    self.folders = folders
    self.command = command
  }
}
