internal import Dispatch
internal import Glibc
internal import Synchronization

/// Threads whose failure to start is an error. Foundation's and libdispatch's start later, or never, without a word.
public enum Threads {
  /// FFmpeg's deepest calls stay far below this; the system's default for threads may be smaller.
  public static let deepStack = 8 << 20
  /// For threads that do little.
  public static let smallStack = 512 << 10

  /// Threads that libdispatch may start at any time, on behalf of GRDB for instance. If the system refuses them, it waits
  /// for ever: there must be room for them.
  private static let spareCount = 2

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Makes sure that so many threads could be started, and some to spare.
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

  /// Starts a thread that nobody waits for.
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
    // A thread that has just ended counts for a moment longer.
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

/// Calls something again and again on a thread of its own. Unlike timers of libdispatch, it needs no other thread.
public final class Ticker: Sendable {
  /// `nil` once it is to stop: whatever it holds is let go of at once, and not when the thread looks again.
  private let tick: Mutex<(@Sendable () -> Void)?>

  public init(every interval: Duration, _ tick: @escaping @Sendable () -> Void) throws(ResourceError) {
    self.tick = Mutex(tick)
    let microseconds = useconds_t(min(max(interval / .microseconds(1), 1), 1e9))
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      while true {
        usleep(microseconds)
        let goesOn = self.tick.withLock { tick in
          tick?()
          return tick != nil
        }
        guard goesOn else { return }
      }
    }
  }

  /// No call begins after this, and none is under way.
  public func stop() {
    tick.withLock { $0 = nil }
  }
}
