internal import Glibc
public import SystemPackage

/// The names in one folder, except `.` and `..`, as bytes in one buffer, sorted by their bytes.
public struct FolderListing: Sendable {
  public struct Entry: Sendable {
    fileprivate var start: Int
    fileprivate var count: Int
    /// The kind of the entry; `.unknown` if the file system does not report it, in which case `lstat` must be used.
    public fileprivate(set) var kind: FileStatus.Kind
  }

  private var bytes: [UInt8] = []
  public private(set) var entries: [Entry] = []
  public let key: FileKey
  /// The error that stopped reading before the last name, if there was one.
  public private(set) var interruption: Errno?

  /// - Parameters:
  ///   - folder: The folder; an empty path is the current folder.
  ///   - followingLinks: `true` if `folder` may be a link.
  ///   - limit: Maximum number of names to read. The file system determines which names are read first.
  public init(of folder: FilePath, followingLinks: Bool = true, limit: Int = .max) throws(Errno) {
    let result = (folder.isEmpty ? "." : folder).withPlatformString { path in
      Result { () throws(Errno) in
        try unsafe FolderListing(at: path, followingLinks: followingLinks, limit: limit)
      }
    }
    self = try result.get()
  }

  public init(at path: UnsafePointer<CChar>, followingLinks: Bool, limit: Int = .max) throws(Errno) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    try self.init(reading: descriptor, limit: limit)
  }

  public init(of folder: OpenFolder, limit: Int = .max) throws(Errno) {
    try self.init(reading: folder.file(".", links: .refused).rawValue, limit: limit)
  }

  /// - Parameter descriptor: The open folder, which this initializer closes.
  private init(reading descriptor: CInt, limit: Int) throws(Errno) {
    do {
      key = try FileStatus(of: FileDescriptor(rawValue: descriptor)).key
    } catch {
      _ = close(descriptor)
      throw error
    }
    guard let stream = unsafe fdopendir(descriptor) else {
      let error = Errno(rawValue: errno)
      _ = close(descriptor)
      throw error
    }
    defer { _ = unsafe closedir(stream) }
    errno = 0
    while entries.count < limit, let entry = unsafe readdir(stream) {
      append(entry)
      errno = 0
    }
    if errno != 0 { interruption = Errno(rawValue: errno) }
    sort()
  }

  public func name(_ entry: Entry) -> ArraySlice<UInt8> {
    bytes[entry.start..<entry.start + entry.count]
  }

  public func contains(_ name: [UInt8]) -> Bool {
    entries.contains { self.name($0).elementsEqual(name) }
  }

  /// Returns the name as a path component; `nil` if no path can have such a component.
  public func component(_ entry: Entry) -> FilePath.Component? { FilePath(bytes: name(entry)).lastComponent }

  /// Returns all names.
  /// - Throws: The error that ended reading before the last name.
  public func names() throws(Errno) -> [FilePath.Component] {
    if let interruption { throw interruption }
    return entries.compactMap(component)
  }

  public static func names(in folder: FilePath) throws(Errno) -> [FilePath.Component] {
    try FolderListing(of: folder).names()
  }

  private mutating func append(_ entry: UnsafeMutablePointer<dirent>) {
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { return }
    let name = unsafe UnsafeRawPointer(entry) + nameOffset
    let count = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
    let dots = unsafe UnsafeRawBufferPointer(start: name, count: count)
    if count <= 2, dots.allSatisfy({ $0 == UInt8(ascii: ".") }) { return }
    let kind: FileStatus.Kind =
      switch unsafe Int(entry.pointee.d_type) {
      case Int(DT_REG): .regular
      case Int(DT_DIR): .folder
      case Int(DT_LNK): .link
      case Int(DT_FIFO): .fifo
      case Int(DT_SOCK): .socket
      case Int(DT_CHR), Int(DT_BLK): .device
      default: .unknown
      }
    entries.append(Entry(start: bytes.count, count: count, kind: kind))
    bytes.append(contentsOf: dots)
  }

  private mutating func sort() {
    bytes.withUnsafeBufferPointer { bytes in
      entries.sort { first, second in
        guard let base = bytes.baseAddress else { return false }
        let order = unsafe memcmp(base + first.start, base + second.start, min(first.count, second.count))
        return order == 0 ? first.count < second.count : order < 0
      }
    }
  }
}
