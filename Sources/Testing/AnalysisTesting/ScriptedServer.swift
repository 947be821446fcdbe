internal import Foundation
internal import Glibc
internal import Synchronization

/// A local HTTP server that sends the answers a test has defined: late, in pieces, wrong, or never. It closes each
/// connection after one answer.
public final class ScriptedServer: Sendable {
  public struct Request: Hashable, Sendable {
    public var method: String
    /// Path and query, as sent.
    public var target: String
    /// The headers by their names in lower case.
    public var headers: [String: String]
    /// Number of this request among those for the same target, counted from 1.
    public var number: Int
  }

  public enum Step: Sendable {
    case send([UInt8])
    /// A pause in seconds.
    case pause(Double)
  }

  public let port: Int
  private let listener: CInt
  private let seen = Received()

  private final class Received: Sendable {
    let requests = Mutex<[Request]>([])
  }

  /// - Parameter answer: Returns the steps of the answer to a request. It is called on the thread of the connection.
  public init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
    // Makes writing to a disconnected client return an error instead of ending this process.
    _ = signal(SIGPIPE, SIG_IGN)
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    listener = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    let received = seen
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { Self.serve(connection, received, answer) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  public var requests: [Request] { seen.requests.withLock { $0 } }

  private static func serve(_ connection: CInt, _ seen: Received, _ answer: (Request) -> [Step]) {
    defer { close(connection) }
    var head: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
      let count = read(connection, &piece, piece.count)
      guard count > 0 else { return }
      head += piece[..<count]
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return }
    let headers = lines.dropFirst().compactMap { line in
      line.range(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
    }
    let request = seen.requests.withLock { requests in
      let request = Request(
        method: String(words[0]), target: String(words[1]), headers: Dictionary(headers) { $1 },
        number: requests.count { $0.target == words[1] } + 1)
      requests.append(request)
      return request
    }
    for step in answer(request) {
      switch step {
      case .pause(let seconds): Thread.sleep(forTimeInterval: seconds)
      case .send(let bytes):
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
        }
      }
    }
  }
}

extension ScriptedServer.Step {
  /// - Parameter length: The content length that the answer claims; `nil` for the actual one.
  public static func answer(
    _ status: Int, _ headers: [String: String] = [:], _ body: [UInt8] = [], length: Int? = nil
  ) -> ScriptedServer.Step {
    let fields = headers.merging(["Content-Length": "\(length ?? body.count)", "Connection": "close"]) { given, _ in
      given
    }
    let head = "HTTP/1.1 \(status) Status\r\n" + fields.map { "\($0): \($1)\r\n" }.sorted().joined() + "\r\n"
    return .send(Array(head.utf8) + body)
  }
}
