internal import LibraryStore
internal import Platform
internal import SystemPackage

/// A message to the process that creates a cover. It contains the fields of a track, separated by NULs, where unknown
/// fields are empty, followed by the folders of the track's link scope.
struct CoverRequest {
  /// The track, without its format.
  let track: TrackFile

  init(_ track: TrackFile) { self.track = track }

  var bytes: [UInt8] {
    let numbers: [Int64?] = [
      track.size, track.key.map { Int64(bitPattern: $0.device) }, track.key.map { Int64(bitPattern: $0.inode) },
      track.modified?.nanoseconds, track.statusChanged?.nanoseconds,
    ]
    let paths = [track.path.bytes, track.root?.bytes ?? []]
    let texts = numbers.map { $0.map { String($0) } ?? "" } + [track.isAudio ? "audio" : ""]
    return Array(
      (paths + texts.map { Array($0.utf8) } + track.linkScope.map(\.bytes)).joined(separator: [0]))
  }

  init?(_ bytes: [UInt8]) {
    let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    guard fields.count >= 8, !fields[0].isEmpty else { return nil }
    let numbers = fields[2..<7].map { Int64(String(decoding: $0, as: UTF8.self)) }
    var track = TrackFile(path: FilePath(bytes: fields[0]), root: fields[1].isEmpty ? nil : FilePath(bytes: fields[1]))
    track.size = numbers[0]
    if let device = numbers[1], let inode = numbers[2] {
      track.key = FileKey(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
    }
    track.modified = numbers[3].map { Timestamp(nanoseconds: $0) }
    track.statusChanged = numbers[4].map { Timestamp(nanoseconds: $0) }
    track.isAudio = !fields[7].isEmpty
    track.linkScope = fields[8...].map { FilePath(bytes: $0) }
    self.track = track
  }
}
