internal import NIOCore
internal import NIOPosix

package struct ListenError: Error, CustomStringConvertible {
  package let description: String

  package init(_ error: any Error, host: String, port: Int) {
    let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    description =
      switch error {
      case let error as IOError:
        switch error.errnoCode {
        case EADDRINUSE:
          "Another program is listening at \(place), perhaps a server that is already running. Choose another "
            + "port with --port."
        case EACCES:
          "Only root may listen on port \(port). Choose one above 1023 with --port; for the usual ports, use a "
            + "reverse proxy."
        case EADDRNOTAVAIL: "This machine does not have the address \(host). See its addresses with: ip address"
        default: "Cannot listen at \(place): \(error)"
        }
      case is SocketAddressError, is SocketAddressError.UnknownHost, is NIOConnectionError:
        "There is no machine with the name or address “\(host)”. Check --host."
      default: "Cannot listen at \(place): \(error)"
      }
  }
}
