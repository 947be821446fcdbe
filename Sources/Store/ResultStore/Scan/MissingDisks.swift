internal import SystemPackage

/// Facts about devices, gathered during a scan, that distinguish removed files from files on an unmounted disk.
struct MissingDisks {
  /// Devices on which files were seen, each with the latest file: if that file is gone as well, the disk may have been
  /// removed during the scan.
  private var seen: [Int64: FilePath] = [:]
  /// Devices on which the scan saw files that were known from another device: many file systems get a new number on
  /// each mount.
  private var successors: [Int64: Set<Int64>] = [:]
  /// Number of files by the folder that would contain them if their disk were mounted.
  private(set) var counts: [FilePath: Int] = [:]
  /// Cached state of folders. Files arrive in path order, so most are in the same few folders.
  private var statuses: [FilePath: (device: Int64, isEmpty: Bool)?] = [:]
  private static let keptCount = 1000

  mutating func meet(_ device: Int64, _ path: FilePath, knownAs known: Int64? = nil) {
    seen[device] = path
    if let known, known != device { successors[known, default: []].insert(device) }
  }

  /// Returns whether a missing file was on a missing disk. Its folder (or the nearest existing folder above) must be
  /// empty and on another device, other than a new number of the file's device; and the last file seen on the file's
  /// device must no longer exist.
  /// - Parameters:
  ///   - status: Device and emptiness of a folder.
  ///   - exists: `true` if something is at a path.
  mutating func holds(
    _ path: FilePath, _ device: Int64?, below root: FilePath, status: (FilePath) -> (device: Int64, isEmpty: Bool)?,
    exists: (FilePath) -> Bool
  ) -> Bool {
    guard let device else { return false }
    if let met = seen[device] {
      guard !exists(met) else { return false }
      seen[device] = nil
    }
    var folder = path
    while folder != root, folder.removeLastComponent() {
      guard let found = keptStatus(at: folder, status) else { continue }
      guard found.isEmpty, found.device != device, successors[device]?.contains(found.device) != true else {
        return false
      }
      counts[folder, default: 0] += 1
      return true
    }
    return false
  }

  private mutating func keptStatus(
    at folder: FilePath, _ status: (FilePath) -> (device: Int64, isEmpty: Bool)?
  ) -> (device: Int64, isEmpty: Bool)? {
    if let known = statuses[folder] { return known }
    if statuses.count == Self.keptCount { statuses.removeAll() }
    let found = status(folder)
    statuses[folder] = .some(found)
    return found
  }
}
