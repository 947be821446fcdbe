internal import SystemPackage

/// Facts about devices that a scan learns, to tell files that were removed from files on a disk that is not mounted.
struct MissingDisks {
  /// Devices on which files were met, each with the one met last: if that has gone too, the disk may have gone during the
  /// scan.
  private var seen: [Int64: FilePath] = [:]
  /// The devices on which files known from another one were met: many file systems get another number each time they are
  /// mounted.
  private var successors: [Int64: Set<Int64>] = [:]
  /// Files by the folder they would be in if their disk were mounted.
  private(set) var counts: [FilePath: Int] = [:]
  /// The state of folders. Files come in the order of paths: most are in the same few folders.
  private var statuses: [FilePath: (device: Int64, isEmpty: Bool)?] = [:]
  private static let keptCount = 1000

  mutating func meet(_ device: Int64, _ path: FilePath, knownAs known: Int64? = nil) {
    seen[device] = path
    if let known, known != device { successors[known, default: []].insert(device) }
  }

  /// Whether a file that is not there was on a disk that is not there: the folder where it was (or the nearest above it that
  /// exists) is empty and on another device, and no file that was met on the file's device, under whatever number, is still
  /// there.
  /// - Parameters:
  ///   - status: device and emptiness of a folder.
  ///   - exists: whether something is at a path.
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
