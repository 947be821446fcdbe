internal import CSpawn
internal import Glibc

/// An error that is thrown if the system denies this process a resource. The description names the limit and the
/// remedy.
public struct ResourceError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The system's limits for this process, such as those of `ulimit` and systemd's `Limit…=`.
///
/// Libraries and runtimes handle such limits badly. libdispatch waits forever for a thread that cannot start, and Swift
/// crashes when memory runs out. So programs check the limits in advance, and then fail with a message or use less.
public enum ResourceLimits {
  /// Number of bytes that a process of this program needs in addition to its threads' stacks.
  public static let standardMemory = 64 << 20
  /// Number of files that a process of this program keeps open: standard streams, the database, folders and reports.
  public static let standardFiles = 32

  /// Reduces the address space that threads need, if it is limited. Call this before the process starts a second
  /// thread.
  public static func prepareForThreads() {
    if addressSpace != nil { cspawn_share_heap() }
  }

  /// Lets the memory used for one file be reused for the next one. Otherwise, the system would clear it again, which
  /// takes 3% of an analysis.
  public static func prepareForManyFiles() { cspawn_keep_heap() }

  /// Checks that the container or service allows the minimum amount of memory.
  public static func requireMemoryOfContainer() throws(ResourceError) {
    let minimum = standardMemory / 2
    guard let limit = ControlGroup.memoryLimit, limit < minimum else { return }
    throw ResourceError(
      description: "The container or service is limited to \(limit >> 10) kB of memory. This program needs at least "
        + "\(megabytes(minimum)), plus about 100 MB for each of its --jobs. Raise the limit.")
  }

  /// Checks that this much more memory is available.
  public static func requireMemory(_ bytes: Int) throws(ResourceError) {
    guard !hasRoom(for: bytes) else { return }
    throw ResourceError(
      description: memoryLimits.isEmpty
        ? "The system does not have \(megabytes(bytes)) of free memory. Close other programs, or add memory."
        : "The memory limit of this process is too low: \(memoryLimits.joined(separator: ", ")). "
          + "At least \(megabytes(bytes)) more are needed; raise the limit.")
  }

  /// The advice given when memory has run out.
  public static var memoryAdvice: String {
    memoryLimits.isEmpty
      ? "Close other programs, or add memory."
      : "This process is limited: \(memoryLimits.joined(separator: ", ")); raise the limit."
  }

  private static var memoryLimits: [String] {
    [
      addressSpace.map { "address space to \($0 >> 10) kB (ulimit -v)" },
      limit(RLIMIT_DATA.rawValue).map { "data to \($0 >> 10) kB (ulimit -d)" },
    ].compactMap(\.self)
  }

  /// Checks that this many files can be open at the same time, raising the soft limit if necessary.
  public static func requireFiles(_ count: Int) throws(ResourceError) {
    let possible = allowFiles(count)
    guard possible < count else { return }
    throw ResourceError(
      description:
        "This process may open only \(possible) files at the same time (ulimit -n), but needs \(count). "
        + "Raise the limit.")
  }

  /// Raises the soft limit of open files to `count`, as far as the hard limit permits.
  /// - Returns: The number of files that can be open now: `count` or fewer.
  public static func allowFiles(_ count: Int) -> Int {
    var files = rlimit()
    guard unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &files) == 0, files.rlim_cur < rlim_t(count) else {
      return count
    }
    files.rlim_cur = min(rlim_t(count), files.rlim_max)
    guard unsafe setrlimit(Int32(RLIMIT_NOFILE.rawValue), &files) == 0 else {
      _ = unsafe getrlimit(Int32(RLIMIT_NOFILE.rawValue), &files)
      return min(count, Int(files.rlim_cur))
    }
    return Int(files.rlim_cur)
  }

  /// Limits the writable memory of this process, but not of programs it starts. Allocations beyond the limit fail. Call
  /// this once.
  public static func limitMemory(_ bytes: Int) { _ = cspawn_limit_memory(bytes) }

  /// Limits the processor time that this process may use from now on to `seconds`, as far as the hard limit permits.
  /// When it is used up, the process is killed (SIGXCPU).
  public static func limitProcessorTime(toFurther seconds: Int) {
    let used = ProcessorTime.of(getpid()) ?? 0
    var limit = rlimit()
    guard unsafe getrlimit(Int32(RLIMIT_CPU.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(rlim_t(Int(used) + seconds), limit.rlim_max)
    _ = unsafe setrlimit(Int32(RLIMIT_CPU.rawValue), &limit)
  }

  /// Maximum size of the address space in bytes; `nil` if unlimited.
  public static var addressSpace: Int? { limit(RLIMIT_AS.rawValue) }
  /// Maximum size of a file in bytes; `nil` if unlimited.
  public static var fileSize: Int? { limit(RLIMIT_FSIZE.rawValue) }

  /// Returns `true` if this much writable memory is available now. The memory is not accessed.
  static func hasRoom(for bytes: Int) -> Bool {
    let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return false }
    unsafe munmap(memory, bytes)
    return true
  }

  /// Returns the error for a thread that could not be started with this stack size.
  static func refusalOfThread(stackSize: Int, code: Int32) -> ResourceError {
    do {
      try requireMemory(stackSize)
    } catch {
      return error
    }
    let limit = limit(__RLIMIT_NPROC.rawValue).map { ", which is \($0)," } ?? ""
    return ResourceError(
      description: """
        The system denies this program another thread (\(unsafe String(cString: strerror(code)))). Raise the limit of \
        processes (ulimit -u)\(limit) or that of the container or service (pids.max, TasksMax=), or use fewer --jobs.
        """)
  }

  private static func limit(_ resource: UInt32) -> Int? {
    var found = rlimit()
    guard unsafe getrlimit(Int32(resource), &found) == 0, found.rlim_cur < rlim_t(Int.max) else { return nil }
    return Int(found.rlim_cur)
  }

  private static func megabytes(_ bytes: Int) -> String { "\((bytes + (1 << 20) - 1) >> 20) MB" }
}
