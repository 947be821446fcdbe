public import SystemPackage

/// The mounted file systems listed in `/proc/self/mountinfo`; see proc(5).
public struct MountTable: Sendable {
  public struct Mount: Hashable, Sendable {
    /// The mount ID, which is unique among current mounts, unlike device numbers.
    public var id: String
    public var mountPoint: FilePath
    public var type: String
    /// The device number of the file system's files, as in `FileKey`.
    public var device: UInt64

    /// `true` if the file system is on another machine, and may be in use elsewhere at the same time.
    public var isOnServer: Bool { MountTable.serverTypes.contains(type) }
  }

  private static let serverTypes: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs",
  ]

  public let mounts: [Mount]

  /// The current mounts.
  public init() { self.init(lines: (try? SmallFile.read("/proc/self/mountinfo", limit: 1 << 24)) ?? []) }

  public init(lines: [UInt8]) {
    mounts = lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 4, let separator = fields.firstIndex(of: [UInt8(ascii: "-")]), separator + 1 < fields.count,
        let device = Self.device(fields[2])
      else { return nil }
      return Mount(
        id: String(decoding: fields[0], as: UTF8.self), mountPoint: FilePath(bytes: Self.unescaped(fields[4])),
        type: String(decoding: fields[separator + 1], as: UTF8.self), device: device)
    }
  }

  /// Returns the mount that contains a path, which must not contain links; `nil` if the table does not list it.
  public func mount(of path: FilePath) -> Mount? {
    // A later mount on the same folder hides earlier ones.
    mounts.filter { path.starts(with: $0.mountPoint) }.reversed().max { $0.mountPoint.length < $1.mountPoint.length }
  }

  /// Returns the mounts at or below any of the given folders.
  public func mounts(below folders: [FilePath]) -> Set<Mount> {
    let real = folders.compactMap { try? $0.resolved() }
    return Set(mounts.filter { mount in real.contains { mount.mountPoint.starts(with: $0) } })
  }

  /// - Parameter text: `major:minor`. The two numbers are combined as by makedev(3).
  private static func device(_ text: ArraySlice<UInt8>) -> UInt64? {
    let numbers = String(decoding: text, as: UTF8.self).split(separator: ":").compactMap { UInt64($0) }
    guard numbers.count == 2 else { return nil }
    let (major, minor) = (numbers[0], numbers[1])
    return (major & 0xFFFF_F000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | (minor & 0xFF)
  }

  /// Decodes spaces, tabs, line feeds and backslashes, which are written as octal numbers.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
