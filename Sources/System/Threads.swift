internal import Glibc
internal import Synchronization

/// Threads whose failure to start is an error. Foundation's and libdispatch's start later, or never, without a word.
public enum Threads {
  /// FFmpeg's and TagLib's deepest calls stay far below this; the system's default for threads may be smaller.
  public static let deepStack = 8 << 20
  /// For threads that do little.
  public static let smallStack = 512 << 10

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that nobody waits for.
  public static func start(stackSize: Int, _ run: @escaping @Sendable () -> Void) throws(ResourceError) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let body = unsafe Unmanaged.passRetained(Body(run))
    let code = unsafe pthread_create(
      &thread, &attributes,
      { body in
        if let body { unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      unsafe body.release()
      throw ResourceLimits.refusalOfThread(stackSize: stackSize, code: code)
    }
  }
}

/// Calls something again and again on a thread of its own. Unlike timers of libdispatch, it needs no other thread.
public final class Ticker: Sendable {
  private let isStopped: Mutex<Bool>

  public init(every interval: Duration, _ tick: @escaping @Sendable () -> Void) throws(ResourceError) {
    isStopped = Mutex(false)
    let microseconds = useconds_t(min(max(interval / .microseconds(1), 1), 1e9))
    try Threads.start(stackSize: Threads.smallStack) { [self] in
      while true {
        usleep(microseconds)
        let goesOn = isStopped.withLock { isStopped in
          if !isStopped { tick() }
          return !isStopped
        }
        guard goesOn else { return }
      }
    }
  }

  /// No call begins after this, and none is under way.
  public func stop() {
    isStopped.withLock { $0 = true }
  }
}
