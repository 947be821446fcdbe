internal import Dispatch
internal import Glibc
internal import Synchronization

/// Starts threads, and throws if that fails. Foundation and libdispatch may instead start theirs late or never, without
/// an error.
public enum Threads {
  /// A stack size in bytes that even FFmpeg's deepest calls do not come close to. The system's default for threads may
  /// be smaller.
  public static let deepStack = 8 << 20
  /// The stack size in bytes for threads that do little.
  public static let smallStack = 512 << 10

  /// Number of threads that libdispatch may start at any time, for example for GRDB. If the system refuses them,
  /// libdispatch waits forever, so room is kept for them.
  private static let spareCount = 2

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Checks that this many threads, and `spareCount` more, can be started.
  static func require(_ count: Int) throws(ResourceError) {
    let gate = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    defer {
      for _ in threads { gate.signal() }
      for thread in threads { pthread_join(thread, nil) }
    }
    for _ in 0..<count + spareCount {
      threads.append(try create(stackSize: deepStack, isDetached: false) { gate.wait() })
    }
  }

  /// Number of processors that are online.
  public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  public static func pause(milliseconds: Int) {
    var rest = max(0, milliseconds)
    while rest > 0 {
      // usleep(3) may reject delays of a second or more.
      let part = min(rest, 500)
      usleep(UInt32(part) * 1000)
      rest -= part
    }
  }

  /// Starts a detached thread.
  public static func start(stackSize: Int, _ run: @escaping @Sendable () -> Void) throws(ResourceError) {
    _ = try create(stackSize: stackSize, isDetached: true, run)
  }

  private static func create(
    stackSize: Int, isDetached: Bool, _ run: @escaping @Sendable () -> Void
  ) throws(ResourceError) -> pthread_t {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    if isDetached { unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    var thread = pthread_t()
    let body = unsafe Unmanaged.passRetained(Body(run))
    var code: Int32 = 0
    // A thread that has just ended still counts toward the limit for a moment.
    for _ in 0..<5 {
      code = unsafe pthread_create(
        &thread, &attributes,
        { body in
          if let body { unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
          return nil
        }, body.toOpaque())
      if code != EAGAIN { break }
      usleep(10_000)
    }
    guard code == 0 else {
      unsafe body.release()
      throw ResourceLimits.refusalOfThread(stackSize: stackSize, code: code)
    }
    return thread
  }
}

/// Calls a closure repeatedly on its own thread. Unlike libdispatch timers, it needs no other thread.
public final class Ticker: Sendable {
  /// The closure; `nil` once stopped, so that it is released immediately instead of when the thread wakes up.
  private let tick: Mutex<(@Sendable () -> Void)?>

  public init(every interval: Duration, _ tick: @escaping @Sendable () -> Void) throws(ResourceError) {
    self.tick = Mutex(tick)
    let microseconds = useconds_t(min(max(interval / .microseconds(1), 1), 1e9))
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      while true {
        usleep(microseconds)
        let shouldContinue = self.tick.withLock { tick in
          tick?()
          return tick != nil
        }
        guard shouldContinue else { return }
      }
    }
  }

  /// Stops the calls. When this returns, no call is running and none will start.
  public func stop() {
    tick.withLock { $0 = nil }
  }
}
