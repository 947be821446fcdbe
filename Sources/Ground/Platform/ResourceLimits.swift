internal import CSpawn
internal import Glibc

/// The system denies a resource that this process needs. The description names the limit and what to do.
public struct ResourceError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The limits the system sets for this process: `ulimit`, systemd's `Limit…=` and the like.
///
/// Libraries and runtimes handle such limits badly: libdispatch waits forever for a thread that cannot start, and Swift
/// crashes when memory runs out. So programs check first, and fail with a sentence or use less.
public enum ResourceLimits {
  /// Bytes that a process of this program needs besides the stacks of its threads.
  public static let standardMemory = 64 << 20
  /// Files that a process of this program keeps open: standard streams, database, folders, reports.
  public static let standardFiles = 32

  /// Reduces the address space that threads need. Call it before the process has a second thread.
  public static func prepareForThreads() {
    if addressSpace != nil { cspawn_share_heap() }
  }

  /// Keeps the memory of one file for the next: the system would clear it again, which takes 3% of an analysis.
  public static func prepareForManyFiles() { cspawn_keep_heap() }

  /// Checks that the container or service of this process allows the minimum of memory.
  public static func requireMemoryOfContainer() throws(ResourceError) {
    let least = standardMemory / 2
    guard let limit = ControlGroup.memoryLimit, limit < least else { return }
    throw ResourceError(
      description: "The container or service of this program may use only \(limit >> 10) kB of memory. At least "
        + "\(megabytes(least)) are needed for it alone, and some 100 MB more for each of its --jobs. Raise the limit.")
  }

  /// Checks that this much more memory is available.
  public static func requireMemory(_ bytes: Int) throws(ResourceError) {
    guard !hasRoom(for: bytes) else { return }
    throw ResourceError(
      description: memoryLimits.isEmpty
        ? "The system has no \(megabytes(bytes)) of memory left for this program. End other programs, or add memory."
        : "This process has too low a limit: \(memoryLimits.joined(separator: ", ")). "
          + "At least \(megabytes(bytes)) more are needed; raise the limit.")
  }

  /// What to do where memory has run out.
  public static var memoryAdvice: String {
    memoryLimits.isEmpty
      ? "End other programs, or add memory."
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
  /// - Returns: How many files can be open now: `count`, or fewer.
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

  /// Bounds the writable memory of this process, not that of programs it starts: allocations beyond it fail. To be
  /// called once.
  public static func limitMemory(_ bytes: Int) { _ = cspawn_limit_memory(bytes) }

  /// Bounds the processor time of this process, as far as the hard limit permits: it is killed (SIGXCPU) when it has
  /// used this many seconds more.
  public static func limitProcessorTime(toFurther seconds: Int) {
    let used = ProcessorTime.of(getpid()) ?? 0
    var limit = rlimit()
    guard unsafe getrlimit(Int32(RLIMIT_CPU.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(rlim_t(Int(used) + seconds), limit.rlim_max)
    _ = unsafe setrlimit(Int32(RLIMIT_CPU.rawValue), &limit)
  }

  /// In bytes; `nil` for no limit.
  public static var addressSpace: Int? { limit(RLIMIT_AS.rawValue) }
  /// The largest size in bytes a file may have; `nil` for no limit.
  public static var fileSize: Int? { limit(RLIMIT_FSIZE.rawValue) }

  /// Whether this much writable memory is available now. None of it is touched.
  static func hasRoom(for bytes: Int) -> Bool {
    let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return false }
    unsafe munmap(memory, bytes)
    return true
  }

  /// Why a thread with this stack cannot be started.
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
