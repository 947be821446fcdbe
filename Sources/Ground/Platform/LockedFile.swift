internal import CSpawn
internal import Glibc
public import SystemPackage

/// A file that is about to be replaced, held so that a change by another program is not lost.
///
/// It is locked (`flock`), which programs of this kind respect. Just before it is replaced, a lease (`F_SETLEASE`)
/// shows whether any program has it open for writing, and holds up those that would open it. If the file system has no
/// leases, size, time and content tell afterwards.
public final class LockedFile {
  public enum Failure: Error, Hashable, Sendable {
    /// Another program holds a lock on the file.
    case locked
    /// Another program has the file open for writing.
    case openForWriting
    /// The file is no longer the one that was held, or has changed.
    case changed
    /// Two other programs have changed the file at once: what one of them wrote lies under this name.
    case conflict(FilePath)
    case system(Errno)
  }

  public let path: FilePath
  /// Open for reading.
  public let descriptor: FileDescriptor
  /// As it was when it was locked.
  public let identity: FileIdentity
  private let mayLease: Bool
  private let patience: Duration
  private var hasLease = false

  /// Microseconds from one attempt to the next.
  private static let interval: useconds_t = 20_000

  /// Opens a file, and waits for its lock.
  /// - Parameters:
  ///   - path: Without symbolic links.
  ///   - patience: How long other programs may take to finish.
  public init(_ path: FilePath, patience: Duration = .seconds(5)) throws(Failure) {
    self.path = path
    self.patience = patience
    var file = try Self.open(path, .readOnly)
    var isWritable = false
    var problem = Self.lock(file, patience)
    if problem == .badFileDescriptor, let other = try? Self.open(path, .readWrite) {
      // NFS makes the lock one that only a writer can have.
      try? file.close()
      (file, isWritable) = (other, true)
      problem = Self.lock(file, patience)
    }
    guard problem != .wouldBlock else {
      try? file.close()
      throw .locked
    }
    guard let identity = FileIdentity(file), FileIdentity(path) == identity else {
      try? file.close()
      throw .changed
    }
    descriptor = file
    self.identity = identity
    mayLease = !isWritable
  }

  deinit {
    endLease()
    try? descriptor.close()
  }

  /// No program has the file open for writing, and none can open it before `endLease`. If the file system has no
  /// leases, nothing happens.
  func takeLease() throws(Failure) {
    guard mayLease, !hasLease else { return }
    let problem = Self.untilDone(patience) { Errno(rawValue: cspawn_lease(descriptor.rawValue)) }
    guard problem != .wouldBlock else { throw .openForWriting }
    hasLease = problem == Errno(rawValue: 0)
  }

  func endLease() {
    guard hasLease else { return }
    hasLease = false
    cspawn_end_lease(descriptor.rawValue)
  }

  /// With a lease: whether no program has asked to write.
  var isLeased: Bool { hasLease && cspawn_lease_is_whole(descriptor.rawValue) != 0 }

  /// A program waits to open the file for writing.
  var isWanted: Bool { hasLease && !isLeased }

  /// The lock may be one that the file system does not have; then there is none.
  private static func lock(_ file: FileDescriptor, _ patience: Duration) -> Errno {
    untilDone(patience) { flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 ? Errno(rawValue: 0) : Errno(rawValue: errno) }
  }

  /// Attempts until there is another answer than `EAGAIN`, or time is up.
  private static func untilDone(_ patience: Duration, _ attempt: () -> Errno) -> Errno {
    let end = ContinuousClock.now + patience
    while true {
      let problem = attempt()
      guard problem == .wouldBlock, ContinuousClock.now < end else { return problem }
      usleep(interval)
    }
  }

  private static func open(_ path: FilePath, _ mode: FileDescriptor.AccessMode) throws(Failure) -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, mode, options: [.noFollow, .nonBlocking, .closeOnExec])
    } catch {
      throw .system(error as? Errno ?? .ioError)
    }
  }
}
