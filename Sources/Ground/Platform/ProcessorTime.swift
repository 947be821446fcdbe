internal import Glibc

/// The processor time, in seconds, that a thread or process has used.
public enum ProcessorTime {
  public static var ofThisThread: Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) ?? 0 }

  /// Returns `nil` if the process is gone.
  public static func of(_ process: Int32) -> Double? {
    var clock = clockid_t()
    guard unsafe clock_getcpuclockid(process, &clock) == 0 else { return nil }
    return seconds(of: clock)
  }

  private static func seconds(of clock: clockid_t) -> Double? {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
