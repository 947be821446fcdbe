internal import Glibc
internal import Platform
internal import SystemPackage

/// The names in one folder, sorted by their bytes, in one buffer.
struct FolderListing {
  struct Entry {
    var start: Int
    var count: Int
    /// `.unknown` where the file system does not say; then use `lstat`.
    var kind: FileStatus.Kind
  }

  private(set) var bytes: [UInt8] = []
  private(set) var entries: [Entry] = []
  /// Identity of this folder.
  let key: FileKey
  /// The error that ended reading before the last name, if any.
  private(set) var interruption: Errno?

  /// - Parameter followingLinks: Whether `path` may be a link to a folder.
  init(at path: UnsafePointer<CChar>, followingLinks: Bool) throws(Errno) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
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
    while let entry = unsafe readdir(stream) {
      append(entry)
      errno = 0
    }
    if errno != 0 { interruption = Errno(rawValue: errno) }
    sort()
  }

  func name(_ entry: Entry) -> ArraySlice<UInt8> {
    bytes[entry.start..<entry.start + entry.count]
  }

  func contains(_ name: [UInt8]) -> Bool {
    entries.contains { self.name($0).elementsEqual(name) }
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
