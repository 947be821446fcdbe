internal import Glibc

/// The monotonic clock. Reading it takes a tenth of the time that reading processor time takes.
public enum MonotonicTime {
  public static var nanoseconds: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
