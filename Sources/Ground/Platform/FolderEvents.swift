internal import Glibc
public import SystemPackage

/// Reports changes in folders, using inotify(7). Not thread-safe.
public final class FolderEvents {
  /// The number that the system assigned to a watched folder.
  public typealias Number = Int32

  public struct Event {
    public enum Kind: Sendable {
      /// A file or folder was created in the folder or moved into it.
      case created, movedHere
      /// A file was written to, or closed by a program that had it open for writing.
      case written
      /// A file or folder was moved away or deleted.
      case gone
      /// The folder itself or its file system is gone; the folder is no longer watched.
      case folderGone
      case overflow
    }

    public var kind: Kind
    public var folder: Number
    /// The name in the folder; empty for events about the folder itself.
    public var name: ArraySlice<UInt8>
    public var isFolder: Bool
  }

  private static let bufferSize = 64 << 10
  private static let mask =
    UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
    | UInt32(IN_ONLYDIR | IN_EXCL_UNLINK)

  private let descriptor: FileDescriptor

  /// - Throws: `Errno`, for example if the user already has too many inotify instances.
  public init() throws(Errno) {
    let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard number >= 0 else { throw .current }
    descriptor = FileDescriptor(rawValue: number)
  }

  deinit { try? descriptor.close() }

  /// - Throws: `Errno.noSpace` if the user already watches as many folders as the system allows.
  public func watch(_ folder: FilePath, followingLinks: Bool) throws(Errno) -> Number {
    let mask = Self.mask | (followingLinks ? 0 : UInt32(IN_DONT_FOLLOW))
    let number = folder.withPlatformString { unsafe inotify_add_watch(descriptor.rawValue, $0, mask) }
    guard number >= 0 else { throw .current }
    return number
  }

  public func stopWatching(_ folder: Number) { _ = inotify_rm_watch(descriptor.rawValue, folder) }

  /// Waits at most `limit` for an event, and returns all that are available; none if time ran out or a signal arrived.
  public func next(withinMilliseconds limit: Int32) -> [Event] {
    guard descriptor.waitForInput(milliseconds: limit) else { return [] }
    var events: [Event] = []
    var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    while true {
      let count = buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count) }
      guard count > 0 else { return events }
      Self.parse(buffer[..<count], into: &events)
    }
  }

  private static func parse(_ bytes: ArraySlice<UInt8>, into events: inout [Event]) {
    let headSize = MemoryLayout<inotify_event>.size
    var rest = bytes
    while rest.count >= headSize {
      let event = rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
      let name = rest.dropFirst(headSize).prefix(Int(event.len)).prefix { $0 != 0 }
      rest = rest.dropFirst(headSize + Int(event.len))
      events.append(
        Event(kind: kind(event.mask), folder: event.wd, name: name, isFolder: event.mask & UInt32(IN_ISDIR) != 0))
    }
  }

  private static func kind(_ mask: UInt32) -> Event.Kind {
    func has(_ flags: Int32) -> Bool { mask & UInt32(flags) != 0 }
    if has(IN_Q_OVERFLOW) { return .overflow }
    if has(IN_IGNORED) { return .folderGone }
    if has(IN_CREATE) { return .created }
    if has(IN_MOVED_TO) { return .movedHere }
    return has(IN_MOVED_FROM | IN_DELETE) ? .gone : .written
  }
}
