internal import NIOCore

/// The limits for one connection, and for all connections together.
package struct ConnectionLimits: Sendable {
  /// Maximum number of open connections. Additional connections wait until an open one ends. Each connection may also
  /// need an open file, and a process may usually have only 1,024 of them.
  package var connections = 384
  /// Maximum number of connections from one address (for IPv6, one /64 network), except from this machine and trusted
  /// proxies.
  var connectionsPerAddress = 96
  /// Time limit from the first byte of a request to the end of its headers, and from the start of a connection to the
  /// first byte.
  var headTime = TimeAmount.seconds(10)
  /// Maximum time between two requests.
  var idleTime = TimeAmount.seconds(60)
  /// Time in which at least `bodyBytes` bytes of a body, or its end, must arrive.
  var bodyTime = TimeAmount.seconds(30)
  var bodyBytes = 8 << 10
  /// Time in which a client must read at least some bytes of its response.
  var readTime = TimeAmount.seconds(60)
  /// Time limit for the rest of a body after the response to the request.
  var drainTime = TimeAmount.seconds(5)
  /// Time limit for finishing responses when the server stops.
  var stopTime = TimeAmount.seconds(8)
  /// Interval between checks of a connection.
  var tick = TimeAmount.seconds(1)
  /// Maximum number of bytes in all headers, including their names and the request target.
  var headerBytes = 32 << 10
  /// Maximum number of headers.
  var headerCount = 100
}
