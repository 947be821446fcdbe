internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Waits until a read would not block: data, the end or an error.
  /// - Parameter milliseconds: Longest wait; negative for no limit.
  /// - Returns: `false` if the time is over, or a signal came.
  public func waitForInput(milliseconds: Int32) -> Bool {
    var poller = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&poller, 1, milliseconds) > 0
  }

  /// Waits until a read of one of these would not block.
  /// - Returns: The places of those in the list; none if a signal came first.
  public static func waitForInput(ofAny descriptors: [FileDescriptor]) -> [Int] {
    var pollers = descriptors.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&pollers, nfds_t(pollers.count), -1) > 0 else { return [] }
    return pollers.indices.filter { pollers[$0].revents != 0 }
  }
}
