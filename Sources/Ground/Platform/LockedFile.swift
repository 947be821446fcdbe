internal import CSpawn
internal import Glibc
public import SystemPackage

/// A file that is about to be replaced. It is locked so that no change by another program is lost.
///
/// Cooperating programs respect the lock (`flock`). Just before the replacement, a lease (`F_SETLEASE`) reveals whether
/// any program has the file open for writing, and blocks programs that try to open it. If the file system does not
/// support leases, size, time and content are compared afterwards.
public final class LockedFile {
  public enum Failure: Error, Hashable, Sendable {
    /// Another program holds a lock on the file.
    case locked
    case openForWriting
    /// The file was replaced or has changed.
    case changed
    /// Two other programs changed the file at the same time. The version of one of them is kept under this name.
    case conflict(FilePath)
    case system(Errno)
  }

  public let path: FilePath
  /// The file, open for reading.
  public let descriptor: FileDescriptor
  /// The identity of the file when it was locked.
  public let identity: FileIdentity
  private let mayLease: Bool
  private let patience: Duration
  private var hasLease = false

  /// Number of microseconds between attempts.
  private static let interval: useconds_t = 20_000

  /// Opens a file and waits for its lock.
  /// - Parameters:
  ///   - path: A path without symbolic links.
  ///   - patience: Maximum time to wait for other programs.
  public init(_ path: FilePath, patience: Duration = .seconds(5)) throws(Failure) {
    self.path = path
    self.patience = patience
    var file = try Self.open(path, .readOnly)
    var isWritable = false
    var problem = Self.lock(file, patience)
    if problem == .badFileDescriptor, let other = try? Self.open(path, .readWrite) {
      // On NFS, the lock requires write access.
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

  /// Ensures that no program has the file open for writing, and that none can open it before `endLease`. Has no effect
  /// if the file system does not support leases.
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

  /// `true` if the lease is held and no program is waiting to write.
  var holdsLease: Bool { hasLease && cspawn_lease_is_whole(descriptor.rawValue) != 0 }

  /// `true` if a program is waiting to open the file for writing.
  var isWriterWaiting: Bool { hasLease && !holdsLease }

  /// Locks the file. If that fails, returns the error: `EAGAIN` if another program kept its lock, or another error if
  /// the file system does not support locks.
  private static func lock(_ file: FileDescriptor, _ patience: Duration) -> Errno {
    untilDone(patience) { flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 ? Errno(rawValue: 0) : Errno(rawValue: errno) }
  }

  /// Repeats `attempt` until its result is not `EAGAIN` or time is up, and returns the last result.
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
