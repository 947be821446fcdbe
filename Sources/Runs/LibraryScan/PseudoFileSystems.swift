internal import Platform

/// The device numbers of mounted file systems that have no files on disk, such as `/proc` and `/sys`.
struct PseudoFileSystems {
  private static let types: Set<String> = [
    "proc", "sysfs", "devtmpfs", "devpts", "debugfs", "tracefs", "cgroup", "cgroup2", "securityfs", "bpf", "pstore",
    "mqueue", "configfs", "fusectl", "efivarfs", "binfmt_misc", "rpc_pipefs", "nsfs",
  ]

  private let devices: Set<UInt64>

  func contains(_ folder: FileKey) -> Bool { devices.contains(folder.device) }

  /// - Parameter mounts: The mounts to consider; by default, the current ones.
  init(_ mounts: MountTable = MountTable()) {
    devices = Set(mounts.mounts.lazy.filter { Self.types.contains($0.type) }.map(\.device))
  }
}
