/// How a task ended, as scripts, the record of a run and its metrics have it; see also `sysexits.h` for 64.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  /// The run could not be done: no database, no such root, a disk that is full.
  case fatal = 1
  /// The run is complete, and files failed that were not known as failing before (`--fail-on` changes this).
  case filesFailed = 3
  /// Another run holds the lock of the database.
  case locked = 11
  /// Wrong options, definitions or settings.
  case usage = 64
  /// Ended by SIGHUP, as when a terminal is closed; finished work is stored.
  case hungUp = 129
  /// Ended by SIGINT; finished work is stored.
  case interrupted = 130
  /// Ended by SIGTERM; finished work is stored.
  case terminated = 143
}
