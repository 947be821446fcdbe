internal import Platform
internal import Serving

/// The lanes of the server. There is one for each kind of work that could delay other kinds.
struct Lanes: Sendable {
  /// Database queries, and other work that takes milliseconds. In WAL mode, SQLite can read while another connection
  /// writes.
  let reading: Lane
  /// Database changes, one at a time, because SQLite allows only one writer. While another program holds the database
  /// lock, one change waits on the thread, and later changes wait in the queue, each until its own deadline.
  let writing: Lane
  /// Covers. Each is created by a process that may occupy a processor for seconds. Therefore, this lane has a lower
  /// priority and, if possible, fewer threads than there are processors.
  let picturing: Lane
  /// Work that may take seconds: comparing all tracks of the library, decoding a track, placing beats, creating the
  /// morning report.
  let computing: Lane
  /// Files: uploads, and audio of the library. The disk may have to spin up, or may be on a network.
  let transferring: Lane
  /// Changes to the recognition catalog, one at a time, because a change locks the catalog, and an upload takes several
  /// times its size in memory.
  let cataloging: Lane

  /// Number of threads of the lane `computing`.
  private static let patientThreadCount = 2
  private static let niceness = 10

  /// - Throws: `ResourceError` if the system cannot start a thread.
  init(_ options: ServerOptions) throws {
    let waiting = options.maximumWaiting
    reading = try Lane(threadCount: options.threadCount, maxQueueLength: waiting)
    writing = try Lane(
      threadCount: 1, maxQueueLength: waiting, maxWait: options.writeTimeout, overdue: .lockedDatabase)
    // A request that is queued behind a cover may wait for at least the time limit of that cover.
    picturing = try Lane(
      threadCount: options.coverThreadCount, maxQueueLength: waiting,
      maxWait: max(Lane.defaultMaxWait, options.coverTimeout)
    ) {
      Priority.lowerThread(toNiceness: Self.niceness)
    }
    computing = try Lane(threadCount: Self.patientThreadCount, maxQueueLength: waiting)
    transferring = try Lane(threadCount: options.threadCount, maxQueueLength: waiting)
    cataloging = try Lane(threadCount: 1, maxQueueLength: waiting)
  }

  private var all: [(name: String, lane: Lane)] {
    [
      ("reading", reading), ("writing", writing), ("picturing", picturing), ("computing", computing),
      ("transferring", transferring), ("cataloging", cataloging),
    ]
  }

  /// Number of tasks that are waiting or running, by lane.
  var counts: [(name: String, count: Int)] { all.map { ($0.name, $0.lane.count) } }

  /// Ends the threads. Called after the last request.
  func close() { for (_, lane) in all { lane.close() } }
}
