internal import Glibc
public import Platform
internal import Synchronization
public import SystemPackage
internal import Text

/// Keeps two runs from working on one database: an advisory lock (`flock`) on a file beside it, which the system lets go of
/// when the process ends, however it ends.
public final class RunLock: Sendable {
  /// Who holds a lock, as written in the lock file.
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

  private let file: Mutex<FileDescriptor?>

  private init(_ file: FileDescriptor) {
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Takes the lock of a database (`FILE.lock`), and waits for it if another process holds it.
  /// - Parameter onWait: called once, before waiting.
  /// - Throws: `lockedByRun` when the time is over, `cannotOpen` if the lock file cannot be made.
  public static func acquire(
    forDatabase database: FilePath, waitingAtMost limit: Duration = .zero, onWait: (Owner?) -> Void = { _ in }
  ) throws(StoreError) -> RunLock {
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
    // Whoever only asks if it is held lets go of it at once.
    let end = clock.now.advanced(by: max(limit, .milliseconds(100)))
    var isWaiting = false
    while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
      let code = Errno(rawValue: errno)
      if code == .interrupted { continue }
      guard code == .wouldBlock else {
        try? file.close()
        throw .cannotOpen(path: path, reason: "locking it fails: \(code)")
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
      usleep(50_000)
    }
    writeOwner(Owner(processID: getpid(), host: hostName, started: .now), in: file)
    return RunLock(file)
  }

  /// Whether a run is working on a database, here or on another computer that sees the lock.
  public static func isHeld(forDatabase database: FilePath) -> Bool {
    guard let file = try? FileDescriptor.open(lockPath(forDatabase: database), .readOnly, options: .closeOnExec) else {
      return false
    }
    defer { try? file.close() }
    // Closing lets go of it at once; a run that meets it in this moment tries again.
    return flock(file.rawValue, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Lets go of the lock. The file stays: who removed it could take it from under another process that waits for it.
  public func release() {
    file.withLock { file in
      guard let open = file else { return }
      file = nil
      Self.writeOwner(nil, in: open)
      try? open.close()
    }
  }

  static func lockPath(forDatabase database: FilePath) -> FilePath {
    FilePath(bytes: database.withBytes { Array($0) } + Array(".lock".utf8))
  }

  // Who the owner is serves messages only: what cannot be read or written is no reason to stop.

  private static func readOwner(in file: FileDescriptor) -> Owner? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
      count = (try? file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    guard case .object(let members)? = try? JSONValue(parsing: bytes),
      case .integer(let processID)? = members["pid"], case .string(let host)? = members["host"],
      case .integer(let started)? = members["started_ns"]
    else { return nil }
    return Owner(
      processID: Int32(truncatingIfNeeded: processID), host: host, started: Timestamp(nanoseconds: started))
  }

  private static func writeOwner(_ owner: Owner?, in file: FileDescriptor) {
    _ = ftruncate(file.rawValue, 0)
    guard let owner else { return }
    let value = JSONValue.object([
      "pid": .integer(Int64(owner.processID)), "host": .string(owner.host),
      "started_ns": .integer(owner.started.nanoseconds), "started_at": .string(owner.started.description),
    ])
    _ = try? file.writeAll(toAbsoluteOffset: 0, Array("\(value.text)\n".utf8))
  }

  private static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    if gethostname(&name, name.count - 1) != 0 { return "this computer" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
