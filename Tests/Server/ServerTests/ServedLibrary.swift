import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import Glibc
import LibraryTesting
import Pipeline
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Text

@testable import Server

/// A server in this process over a small library, at a free port of this machine. Its files exist only in the database.
final class ServedLibrary: Sendable {
  struct Answer {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]

    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
  }

  typealias File = LibraryFile

  let folder: TemporaryDirectory
  let store: ResultStore
  let port: Int
  private let stopping: AsyncStream<Never>.Continuation
  private let server: Task<Void, any Error>

  static let seconds = LibraryFile.seconds

  convenience init(_ files: [File], change: (inout ServerOptions) -> Void = { _ in }) async throws {
    try await self.init(filling: { try LibraryFiles(files).merge(into: $0) }, change: change)
  }

  /// - Parameter fill: Makes the library.
  init(
    filling fill: (ResultStore) throws -> Void, change: (inout ServerOptions) -> Void = { _ in }
  ) async throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try fill(store)
    var options = ServerOptions(
      catalog: folder.path.appending("catalog"), fileAnalysis: SingleFileAnalysis(timeLimit: .standard))
    options.serving.port = 0
    change(&options)
    let (stopping, stop) = AsyncStream.makeStream(of: Never.self)
    self.stopping = stop
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let running = try NocturneServer(Services(store: store, options: options)) { message in
      if case .integer(let port)? = message.fields["port"] { found.yield(Int(port)) }
    }
    server = Task {
      defer { found.finish() }
      try await running.run { for await _ in stopping {} }
    }
    guard let port = await ports.first(where: { _ in true }) else {
      try await server.value
      throw CancellationError()
    }
    self.port = port
  }

  /// Ends the server. Call it at the end of a test.
  func stop() async throws {
    stopping.finish()
    try await server.value
  }

  // MARK: Requests

  /// - Parameter target: Path and query.
  func get(_ target: String, _ headers: [String: String] = [:]) async throws -> Answer {
    try await ask("GET", target, headers)
  }

  func ask(
    _ method: String, _ target: String, _ headers: [String: String] = [:], body: [UInt8] = []
  ) async throws -> Answer {
    var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
    let host = ["Host": "127.0.0.1:\(port)"]
    for (name, value) in host.merging(headers, uniquingKeysWith: { $1 }) { head += "\(name): \(value)\r\n" }
    if !body.isEmpty || method == "POST" { head += "Content-Length: \(body.count)\r\n" }
    let request = Array((head + "\r\n").utf8) + body
    let port = port
    let bytes = try await withCheckedThrowingContinuation { (done: CheckedContinuation<[UInt8], any Error>) in
      // Sockets block; the pool of tasks must not.
      Thread.detachNewThread { done.resume(with: Result { try Self.exchange([request], port: port) }) }
    }
    return try Self.answer(bytes)
  }

  /// Sends raw parts of requests, each after the first when some response has arrived.
  /// - Returns: All bytes received until the server closed the connection.
  func converse(_ parts: String...) async throws -> String {
    let port = port
    let bytes = try await withCheckedThrowingContinuation { (done: CheckedContinuation<[UInt8], any Error>) in
      Thread.detachNewThread {
        done.resume(with: Result { try Self.exchange(parts.map { Array($0.utf8) }, port: port) })
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func exchange(_ parts: [[UInt8]], port: Int) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Errno(rawValue: errno) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for (index, part) in parts.enumerated() {
      if index > 0 {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count <= 0 { return answer }
        answer += buffer[..<count]
      }
      var sent = 0
      while sent < part.count {
        let count = part[sent...].withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw Errno(rawValue: errno) }
        sent += count
      }
    }
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return answer }
      answer += buffer[..<count]
    }
  }

  private static func answer(_ bytes: [UInt8]) throws -> Answer {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Errno.connectionReset }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    return Answer(status: status, headers: headers, body: Array(bytes[end.upperBound...]))
  }
}
