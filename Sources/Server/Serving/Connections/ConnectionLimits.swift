internal import NIOCore

/// The limits of one connection, and of all of them together.
package struct ConnectionLimits: Sendable {
  /// Connections at once; more wait until one ends. Each may need a file as well, of the 1,024 that a process usually may
  /// open.
  package var connections = 384
  /// From one address that is not of this machine and not a trusted proxy's; for IPv6 from one network of 64 bits.
  var connectionsPerAddress = 96
  /// From the first byte of a request to the end of its headers, and from the start of the connection to the first byte.
  var headTime = TimeAmount.seconds(10)
  /// Without a request.
  var idleTime = TimeAmount.seconds(60)
  /// In this time, a body must come forward by `bodyBytes`, or end.
  var bodyTime = TimeAmount.seconds(30)
  var bodyBytes = 8 << 10
  /// In this time, a client must take some bytes of its answer.
  var readTime = TimeAmount.seconds(60)
  /// For the rest of a body after its request was answered.
  var drainTime = TimeAmount.seconds(5)
  /// For the answers that are being given when the server is asked to end.
  var stopTime = TimeAmount.seconds(8)
  /// How often connections are looked at.
  var tick = TimeAmount.seconds(1)
  /// Bytes of all headers with their names and the address, and their number.
  var headerBytes = 32 << 10
  var headerCount = 100
}
