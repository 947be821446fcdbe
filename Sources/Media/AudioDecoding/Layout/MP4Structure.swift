internal import CLibAV
internal import MediaContainers

/// The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12) to hide from FFmpeg: most tags, all pictures, and
/// implausible edit lists.
struct MP4Structure {
  /// The masks in ascending order of their offsets.
  private(set) var masks: [ByteMask] = []
  /// `true` if an edit list is hidden, so that the media plays from start to end.
  private(set) var ignoresEdits = false

  /// A box whose children are being visited.
  private struct Level {
    var box: MP4Box
    var position: Int
    /// `true` if the box is inside a list of tags.
    var isTags = false
  }

  /// Values for validating the edits of a track.
  private struct Track {
    var edits: MP4Box?
    /// Units per second.
    var timescale: Int64 = 0
    var duration: Int64 = 0
  }

  private static let containers: Set<String> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "moof", "traf", "tref", "udta", "meta", "ilst",
    "wave",
  ]
  private static let tagContainers: Set<String> = ["udta", "meta", "ilst"]
  /// Pictures, and encryption keys: FFmpeg copies all earlier keys for each new key.
  private static let hidden: Set<String> = ["covr", "pssh"]
  /// Maximum number of tag boxes shown to FFmpeg, one of which contains the encoder delay (iTunSMPB): more than real
  /// files have, and few enough for FFmpeg's linear searches.
  private static let tagLimit = 1_000
  /// Maximum number of tracks shown to FFmpeg, which accepts at most 256 streams.
  private static let trackLimit = 128
  /// Maximum nesting of boxes; FFmpeg rejects files with deeper nesting.
  private static let depthLimit = 7
  private static let boxLimit = 1 << 21
  /// Maximum number of edits accepted: more than editing by hand produces.
  private static let editLimit = 1_000
  /// Maximum total duration of the edits, as a multiple of the media's duration.
  private static let repetitionLimit = 2.0

  private let file: ByteSource
  private var movieTimescale: Int64 = 0
  private var tagCount = 0
  private var trackCount = 0
  private var track = Track()

  init(in file: ByteSource, from start: Int) throws(FileReadError) {
    self.file = file
    let whole = MP4Box(file: file, from: start)
    var levels = [Level(box: whole, position: start)]
    for _ in 0..<Self.boxLimit {
      guard var level = levels.popLast() else { break }
      let end = level.box.end
      guard let box = try MP4Box(at: level.position, end: end, in: file, allowsInnerOpenEnds: true) else {
        if level.box.name == "trak" { try validateEdits() }
        continue
      }
      level.position = box.end
      if level.isTags {
        tagCount += 1
        if tagCount > Self.tagLimit {
          hide(box, andAllTo: end)
          continue
        }
      }
      levels.append(level)
      try note(box)
      guard Self.containers.contains(box.name) else { continue }
      if box.name == "trak" {
        trackCount += 1
        track = Track()
      }
      let isTags = level.isTags || Self.tagContainers.contains(box.name)
      if levels.count > Self.depthLimit || isTags && tagCount >= Self.tagLimit || trackCount > Self.trackLimit {
        hide(box)
      } else {
        levels.append(Level(box: box, position: try box.firstChild(in: file), isTags: isTags))
      }
    }
    masks.sort { $0.offset < $1.offset }
  }

  private mutating func note(_ box: MP4Box) throws(FileReadError) {
    switch box.name {
    case "mvhd":
      movieTimescale = try box.times(in: file).timescale
    case "mdhd":
      (track.timescale, track.duration) = try box.times(in: file)
    case "elst":
      track.edits = box
    case let name where Self.hidden.contains(name):
      hide(box)
    default: break
    }
  }

  private mutating func validateEdits() throws(FileReadError) {
    guard let edits = track.edits, try !isPlausible(edits) else { return }
    hide(edits)
    ignoresEdits = true
  }

  /// `true` if the edits point into the media and do not repeat it over and over.
  private func isPlausible(_ edits: MP4Box) throws(FileReadError) -> Bool {
    let header = try file.bytes(at: edits.body, count: 8)
    let isLong = header.first == 1
    guard let count = header.bigEndian(UInt32.self, at: 4), count <= Self.editLimit else { return false }
    guard movieTimescale > 0, track.timescale > 0, track.duration > 0 else { return true }
    let size = isLong ? 20 : 12
    var played = 0.0
    var leadsIntoMedia = count == 0
    for index in 0..<Int(count) {
      let entry = try file.bytes(at: edits.body + 8 + index * size, count: size)
      guard entry.count == size else { break }
      let duration =
        isLong ? entry.bigEndian(UInt64.self) : entry.bigEndian(UInt32.self).map { UInt64($0) }
      let start = isLong ? entry.bigEndian(Int64.self, at: 8) : entry.bigEndian(Int32.self, at: 4).map { Int64($0) }
      // -1 stands for silence.
      guard let duration, let start, start >= 0, start < track.duration else { continue }
      leadsIntoMedia = true
      // An edit cannot play beyond the end of the media.
      let left = Double(track.duration - start) / Double(track.timescale)
      played += min(Double(duration) / Double(movieTimescale), left)
    }
    return leadsIntoMedia && played <= Self.repetitionLimit * Double(track.duration) / Double(track.timescale)
  }

  // MARK: Hiding

  private mutating func hide(_ box: MP4Box) { masks.append(ByteMask(at: box.start + 4, "skip")) }

  /// Merges everything from `box` to `end` into one box that FFmpeg skips.
  private mutating func hide(_ box: MP4Box, andAllTo end: Int) {
    guard let size = UInt32(exactly: end - box.start) else { return }
    let bytes = size.bigEndianBytes + Array("skip".utf8)
    masks.append(ByteMask(at: box.start, bytes))
  }
}
