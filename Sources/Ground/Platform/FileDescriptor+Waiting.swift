internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Waits until a read would not block, because there is data, an error or the end of the input.
  /// - Parameter milliseconds: Maximum time to wait; negative for no limit.
  /// - Returns: `false` if time ran out, or if a signal arrived first.
  public func waitForInput(milliseconds: Int32) -> Bool {
    var poller = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&poller, 1, milliseconds) > 0
  }

  /// Waits until a read from at least one of the descriptors would not block.
  /// - Returns: The indices of the descriptors that are ready; empty if a signal arrived first.
  public static func waitForInput(ofAny descriptors: [FileDescriptor]) -> [Int] {
    var pollers = descriptors.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&pollers, nfds_t(pollers.count), -1) > 0 else { return [] }
    return pollers.indices.filter { pollers[$0].revents != 0 }
  }
}
