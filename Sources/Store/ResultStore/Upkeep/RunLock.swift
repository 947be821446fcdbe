public import Platform
internal import Synchronization
public import SystemPackage
internal import Text

/// Prevents two runs on one database at a time, by an advisory lock (`flock`) on a file next to the database. The
/// system releases the lock when the process ends, no matter how.
public final class RunLock: Sendable {
  /// The owner of a lock, as recorded in the lock file.
  public struct Owner: Hashable, Sendable {
    public var processID: Int32
    public var host: String
    public var started: Timestamp

    public init(processID: Int32, host: String, started: Timestamp) {
      self.processID = processID
      self.host = host
      self.started = started
    }
  }

  /// The progress of the process that holds the lock, so that other processes can show it.
  public struct Progress: Hashable, Sendable {
    /// `scan`, `analyze` or `report`.
    public var phase: String
    /// Number of files scanned so far.
    public var scanned = 0
    /// Number of files to analyze; `nil` while scanning.
    public var planned: Int?
    /// Number of the planned files that are done.
    public var done = 0
    /// Name of the file whose analysis started last.
    public var current: String?

    public init(phase: String) {
      self.phase = phase
    }
  }

  /// The process that holds a lock, and its progress.
  public struct Holder: Hashable, Sendable {
    public var owner: Owner
    /// The progress of the holder; `nil` if it reports none, like a holder that is not a run.
    public var progress: Progress?
  }

  private let file: Mutex<FileDescriptor?>
  private let owner: Owner

  private init(_ file: FileDescriptor, _ owner: Owner) {
    self.file = Mutex(file)
    self.owner = owner
  }

  deinit { release() }

  /// Acquires the lock of a database (`FILE.lock`). Waits up to `limit`, at least 100 ms, if another process holds it.
  /// - Parameter onWait: Called once, before waiting.
  /// - Throws: `lockedByRun` on timeout. `cannotOpen` if the lock file cannot be created. `notAStore` if the file is
  ///   not a database of this program: a lock such as `/etc/passwd.lock` would lock other programs out of their file.
  public static func acquire(
    forDatabase database: FilePath, waitingAtMost limit: Duration = .zero, onWait: (Owner?) -> Void = { _ in }
  ) throws(StoreError) -> RunLock {
    try ResultStore.requireStore(at: database)
    let path = lockPath(forDatabase: database)
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .noFollow, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw .cannotOpen(path: path, reason: "\(error)")
    }
    let clock = ContinuousClock()
    // Waits at least briefly, because a process that only checks the lock releases it immediately.
    let end = clock.now.advanced(by: max(limit, .milliseconds(100)))
    var isWaiting = false
    while true {
      do {
        if try file.lock(.exclusive) { break }
      } catch {
        try? file.close()
        throw .cannotOpen(path: path, reason: "locking it failed: \(error)")
      }
      let owner = readOwner(in: file)
      guard clock.now < end else {
        try? file.close()
        throw .lockedByRun(lock: path, owner: owner)
      }
      if !isWaiting && limit > .zero {
        isWaiting = true
        onWait(owner)
      }
      Threads.pause(milliseconds: 50)
    }
    let owner = Owner(processID: ThisProcess.id, host: ThisProcess.hostName ?? "this computer", started: .now)
    write(Holder(owner: owner), in: file)
    return RunLock(file, owner)
  }

  /// Shares this process's progress with other processes.
  public func share(_ progress: Progress) {
    file.withLock { file in
      if let file { Self.write(Holder(owner: owner, progress: progress), in: file) }
    }
  }

  /// Returns the process that is working on a database, on this computer or on another one that sees the lock; `nil` if
  /// no process holds the lock, or if its holder cannot be read at this moment.
  public static func holder(forDatabase database: FilePath) -> Holder? {
    guard isHeld(forDatabase: database), let file = openForReading(database) else { return nil }
    defer { try? file.close() }
    return readHolder(in: file)
  }

  /// Opens the lock file of a database; `nil` if there is none.
  private static func openForReading(_ database: FilePath) -> FileDescriptor? {
    try? .openWithoutWaiting(lockPath(forDatabase: database))
  }

  /// Returns `true` if a run is working on a database, on this or another computer that sees the lock.
  public static func isHeld(forDatabase database: FilePath) -> Bool {
    guard let file = openForReading(database) else { return false }
    defer { try? file.close() }
    // Closing the file releases the lock immediately. A run that tries to acquire it at this moment tries again.
    return (try? file.lock(.shared)) == false
  }

  /// Releases the lock. The file stays: another process may be waiting on it.
  public func release() {
    file.withLock { file in
      guard let open = file else { return }
      file = nil
      Self.write(nil, in: open)
      try? open.close()
    }
  }

  static func lockPath(forDatabase database: FilePath) -> FilePath {
    FilePath(bytes: database.withBytes { Array($0) } + Array(".lock".utf8))
  }

  // The owner is needed only for messages, so it does not matter if it cannot be read or written.

  private static func readOwner(in file: FileDescriptor) -> Owner? { readHolder(in: file)?.owner }

  private static func readHolder(in file: FileDescriptor) -> Holder? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = (try? file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    // The line may be followed by the rest of a longer one.
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard case .object(let members)? = try? JSONValue(parsing: Array(line)),
      case .integer(let processID)? = members["pid"], case .string(let host)? = members["host"],
      case .integer(let started)? = members["started_ns"]
    else { return nil }
    let owner = Owner(
      processID: Int32(truncatingIfNeeded: processID), host: host, started: Timestamp(nanoseconds: started))
    func count(_ name: String) -> Int? {
      if case .integer(let count)? = members[name] { Int(clamping: count) } else { nil }
    }
    guard case .string(let phase)? = members["phase"] else { return Holder(owner: owner) }
    var progress = Progress(phase: phase)
    progress.scanned = count("scanned") ?? 0
    progress.planned = count("planned")
    progress.done = count("done") ?? 0
    if case .string(let current)? = members["current"] { progress.current = current }
    return Holder(owner: owner, progress: progress)
  }

  /// Writes the line at once, so that another process reads either the old line or the new one.
  private static func write(_ holder: Holder?, in file: FileDescriptor) {
    guard let holder else {
      try? file.truncate(to: 0)
      return
    }
    let owner = holder.owner
    var members: [String: JSONValue] = [
      "pid": .integer(Int64(owner.processID)), "host": .string(owner.host),
      "started_ns": .integer(owner.started.nanoseconds), "started_at": .string(owner.started.description),
    ]
    if let progress = holder.progress {
      members["phase"] = .string(progress.phase)
      members["scanned"] = .integer(Int64(progress.scanned))
      members["planned"] = progress.planned.map { .integer(Int64($0)) } ?? .null
      members["done"] = .integer(Int64(progress.done))
      members["current"] = progress.current.map { .string(String($0.prefix(200))) } ?? .null
    }
    let line = Array("\(JSONValue.object(members).text)\n".utf8)
    _ = try? file.writeAll(toAbsoluteOffset: 0, line)
    try? file.truncate(to: Int64(line.count))
  }
}
