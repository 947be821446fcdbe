/// The exit status of a task, for scripts, the record of a run and its metrics. The value 64 comes from `sysexits.h`.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  /// The run failed, for example because there is no database, a root is missing or the disk is full.
  case fatal = 1
  /// The run is complete, but some files are newly failed or damaged (`--fail-on` changes this).
  case filesFailed = 3
  /// Another run holds the lock of the database.
  case locked = 11
  /// Options, definitions or settings are invalid.
  case usage = 64
  /// The run was ended by SIGHUP, for example because the terminal was closed. Finished work is stored.
  case hungUp = 129
  /// The run was ended by SIGINT. Finished work is stored.
  case interrupted = 130
  /// The run was ended by SIGTERM. Finished work is stored.
  case terminated = 143
}
