internal import NIOCore

/// A message from a live session, in the form of a server-sent event (WHATWG HTML, section 9.2).
struct SessionEvent: Sendable {
  enum Name: String, Sendable {
    case match
    case noMatch = "no-match"
    case trackEnded = "track-ended"
    case error
    /// The last event of a session.
    case end
  }

  /// Number of the event within the session, counted from 1.
  var id: Int
  var name: Name
  /// The data, as one line of JSON.
  var data: [UInt8]

  func write(to buffer: inout ByteBuffer) {
    buffer.writeString("id: \(id)\nevent: \(name.rawValue)\ndata: ")
    buffer.writeBytes(data)
    buffer.writeString("\n\n")
  }

  /// A comment that keeps a connection open.
  static let keepAlive = ByteBuffer(string: ": keep-alive\n\n")
  /// The first message: the delay before a client reconnects, in milliseconds.
  static let opening = ByteBuffer(string: "retry: 1000\n\n")
}
