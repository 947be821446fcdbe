/// The exit status of a task, for scripts, the record of a run and its metrics. The value 64 comes from `sysexits.h`.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  /// The run failed: no database, a missing root, a full disk.
  case fatal = 1
  /// The run is complete, but files failed that did not fail before (`--fail-on` changes this).
  case filesFailed = 3
  /// Another run holds the lock of the database.
  case locked = 11
  /// Invalid options, definitions or settings.
  case usage = 64
  /// Ended by SIGHUP, for example because the terminal was closed; finished work is stored.
  case hungUp = 129
  /// Ended by SIGINT; finished work is stored.
  case interrupted = 130
  /// Ended by SIGTERM; finished work is stored.
  case terminated = 143
}
