internal import Dispatch
internal import NIOPosix
internal import Platform
internal import Synchronization
package import SystemPackage
internal import Text

/// Logs a line of JSON for each request, to a file or standard output.
///
/// Lines are written in the background. If they cannot be written fast enough, lines beyond `maxWaiting` are
/// dropped. If the file is renamed, the log continues in a new one after at most a second, so it can be rotated without
/// a signal.
package final class AccessLog: Sendable {
  private struct Target {
    var descriptor: FileDescriptor
    /// The identity of the file; `nil` for standard output.
    var file: FileIdentity?
    var checked: ContinuousClock.Instant
  }

  static let maxWaiting = 10_000

  /// The path of the file; `nil` for standard output.
  private let path: FilePath?
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let target: Mutex<Target>
  private let waiting = Atomic(0)
  private let dropped = Atomic(0)
  private let maxWaiting: Int
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter path: The path of the file; `nil` for standard output.
  /// - Throws: `Errno` or `OutputObstacle` if the file cannot be opened.
  package convenience init(_ path: FilePath?) throws {
    try self.init(path, maxWaiting: Self.maxWaiting) { .now }
  }

  /// - Parameters:
  ///   - maxWaiting: Maximum number of waiting lines.
  ///   - now: Returns the time that decides when to look for a renamed file.
  init(
    _ path: FilePath?, maxWaiting: Int, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) throws {
    self.path = path
    self.maxWaiting = maxWaiting
    self.now = now
    target = Mutex(try path.map { try Self.open($0, now()) } ?? Self.standardOutput)
    thread.start()
  }

  /// The entry for one request.
  struct Entry: Sendable {
    var time: Timestamp
    var client: String?
    /// The name of the token.
    var token: String?
    var method: String
    /// The path and the query, without secrets.
    var target: String
    var route: String
    var status: Int
    var byteCount: Int
    var milliseconds: Double
    var userAgent: String?
  }

  func write(_ entry: Entry) {
    guard waiting.add(1, ordering: .relaxed).newValue <= maxWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      dropped.add(1, ordering: .relaxed)
      return
    }
    thread.submit { [self] state in
      guard case .active = state else { return }
      waiting.subtract(1, ordering: .relaxed)
      var writer = JSONWriter()
      Self.write(entry, dropped: dropped.exchange(0, ordering: .relaxed), to: &writer)
      writer.endLine()
      let bytes = writer.bytes
      target.withLock { target in
        reopenIfMoved(&target)
        _ = try? target.descriptor.writeAll(bytes)
      }
    }
  }

  /// Writes the waiting lines and ends the thread. Blocks.
  package func close() {
    // The pool cancels tasks that are still waiting when it ends.
    let isWritten = DispatchSemaphore(value: 0)
    thread.submit { _ in isWritten.signal() }
    isWritten.wait()
    try? thread.syncShutdownGracefully()
  }

  private static func write(_ entry: Entry, dropped: Int, to json: inout JSONWriter) {
    json.beginObject()
    json.key("time")
    let fraction = String(1000 + entry.time.nanoseconds / 1_000_000 % 1000).dropFirst()
    json.string("\(entry.time)".dropLast() + ".\(fraction)Z")
    json.key("client")
    json.text(entry.client)
    json.key("token")
    json.text(entry.token)
    json.key("method")
    json.string(entry.method)
    json.key("target")
    json.string(entry.target)
    json.key("route")
    json.string(entry.route)
    json.key("status")
    json.integer(entry.status)
    json.key("bytes")
    json.integer(entry.byteCount)
    json.key("ms")
    json.number(entry.milliseconds, decimals: 3)
    json.key("user_agent")
    json.text(entry.userAgent)
    if dropped > 0 {
      json.key("dropped")
      json.integer(dropped)
    }
    json.endObject()
  }

  private func reopenIfMoved(_ target: inout Target) {
    let now = now()
    guard let path, now - target.checked >= .seconds(1) else { return }
    target.checked = now
    let there = FileIdentity(path)
    let isSame = there?.inode == target.file?.inode && there?.device == target.file?.device
    guard !isSame, let new = try? Self.open(path, now) else { return }
    try? target.descriptor.close()
    target = new
  }

  private static func open(_ path: FilePath, _ now: ContinuousClock.Instant) throws -> Target {
    let descriptor = try FileDescriptor.openForAppending(path, permissions: [.ownerReadWrite, .groupRead])
    return Target(descriptor: descriptor, file: FileIdentity(descriptor), checked: now)
  }

  private static var standardOutput: Target { Target(descriptor: .standardOutput, checked: .now) }
}

extension JSONWriter {
  fileprivate mutating func text(_ value: String?) {
    if let value { string(value) } else { null() }
  }
}
