internal import NIOCore
internal import Serving
internal import Text

/// An event for the pages, in the form of a server-sent event (WHATWG HTML, section 9.2).
struct ServerEvent: Sendable {
  enum Name: String, Sendable {
    /// The first event on a connection.
    case hello
    /// The library has changed, so the rows that the pages show may be outdated.
    case library
    case catalog
    /// The progress of a run.
    case run
    case runEnded = "run-ended"
    /// The state of the folder watch.
    case watch
    /// A tempo was changed through this server.
    case tempo
    /// Keeps the connection open, and reveals whether the client has closed it.
    case heartbeat
  }

  let name: Name
  /// The data, as one line of JSON.
  let data: [UInt8]

  init<Value>(_ name: Name, _ type: JSONType<Value>, _ value: Value) {
    self.name = name
    var json = JSONWriter()
    type.write(value, &json)
    data = json.bytes
  }

  static let heartbeat = ServerEvent(.heartbeat, .any, [:])

  var buffer: ByteBuffer {
    if name == .heartbeat { return ByteBuffer(string: ": still here\n\n") }
    var buffer = ByteBuffer(string: "event: \(name.rawValue)\ndata: ")
    buffer.writeBytes(data)
    buffer.writeString("\n\n")
    return buffer
  }
}
