internal import Platform
internal import Serving

/// The lanes of the server, one for each kind of work that could hold up the others.
struct Lanes: Sendable {
  /// Questions to the database, and all else that takes milliseconds. In WAL mode SQLite reads while anybody writes.
  let reading: Lane
  /// Changes of the database, one after the other, since SQLite has one writer. While another program has it locked, one of
  /// them waits on the thread and the others without. Each gives up at a deadline of its own.
  let writing: Lane
  /// Covers. Each is made by a process, which may take seconds and all of a processor: fewer at a time than there are
  /// processors, with a lower priority.
  let picturing: Lane
  /// Work that may take seconds: comparing sounds of the whole library, decoding a track, placing beats, the morning
  /// report.
  let computing: Lane
  /// Files: audio of the library, whose disk may have to spin up first or be a network away, and uploads.
  let transferring: Lane
  /// Changes of the recognition catalog, one after the other: they lock it, and an upload takes several times its size.
  let cataloging: Lane

  /// Threads of lanes whose answers are not expected in milliseconds.
  private static let patientThreadCount = 2
  private static let niceness = 10

  /// - Throws: `ResourceError` if the system gives no thread.
  init(_ options: ServerOptions) throws {
    let waiting = options.maximumWaiting
    reading = try Lane(threadCount: options.threadCount, longestQueue: waiting)
    writing = try Lane(
      threadCount: 1, longestQueue: waiting, longestWait: options.writePatience, overdue: .lockedDatabase)
    // Who waits behind a picture has at least the patience that is had with the picture itself.
    picturing = try Lane(
      threadCount: options.coverThreadCount, longestQueue: waiting,
      longestWait: max(Lane.patience, options.coverPatience)
    ) {
      Priority.lowerThread(toNiceness: Self.niceness)
    }
    computing = try Lane(threadCount: Self.patientThreadCount, longestQueue: waiting)
    transferring = try Lane(threadCount: options.threadCount, longestQueue: waiting)
    cataloging = try Lane(threadCount: 1, longestQueue: waiting)
  }

  /// With their names.
  private var all: [(name: String, lane: Lane)] {
    [
      ("reading", reading), ("writing", writing), ("picturing", picturing), ("computing", computing),
      ("transferring", transferring), ("cataloging", cataloging),
    ]
  }

  /// Work that waits for a thread or has one, by lane.
  var counts: [(name: String, count: Int)] { all.map { ($0.name, $0.lane.count) } }

  /// Ends the threads; to be called when no request is left.
  func close() { for (_, lane) in all { lane.close() } }
}
