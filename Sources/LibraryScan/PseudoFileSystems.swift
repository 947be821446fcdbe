internal import Platform
internal import SystemPackage

/// The device numbers of mounted file systems that hold no files of a disk, such as `/proc` and `/sys`.
struct PseudoFileSystems {
  private static let types: Set<String> = [
    "proc", "sysfs", "devtmpfs", "devpts", "debugfs", "tracefs", "cgroup", "cgroup2", "securityfs", "bpf", "pstore",
    "mqueue", "configfs", "fusectl", "efivarfs", "binfmt_misc", "rpc_pipefs", "nsfs",
  ]

  private let devices: Set<UInt64>

  func contains(_ folder: FileKey) -> Bool { devices.contains(folder.device) }

  /// The file systems mounted now.
  init() {
    self.init(mountInformation: (try? SmallFile.read("/proc/self/mountinfo", limit: 1 << 24)) ?? [])
  }

  /// - Parameter mountInformation: Lines as proc(5) describes `/proc/self/mountinfo`.
  init(mountInformation: [UInt8]) {
    var devices: Set<UInt64> = []
    for line in mountInformation.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count > 2, let separator = fields.firstIndex(of: "-"), separator + 1 < fields.count,
        Self.types.contains(fields[separator + 1])
      else { continue }
      let numbers = fields[2].split(separator: ":").compactMap { UInt64($0) }
      if numbers.count == 2 { devices.insert(Self.device(major: numbers[0], minor: numbers[1])) }
    }
    self.devices = devices
  }

  /// Combines the numbers like Linux's `makedev(3)`.
  private static func device(major: UInt64, minor: UInt64) -> UInt64 {
    (major & 0xFFFF_F000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | (minor & 0xFF)
  }
}
