internal import CLibAV
internal import MediaContainers

/// The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12) that FFmpeg must not see: most of the tags, all pictures,
/// edit lists that cannot be meant.
struct MP4Structure {
  /// In the order of their offsets.
  private(set) var masks: [ByteMask] = []
  /// An edit list is hidden, so the media is played from start to end.
  private(set) var ignoresEdits = false

  /// A box whose children are being walked over.
  private struct Level {
    var box: MP4Box
    var position: Int
    /// Inside a list of tags.
    var isTags = false
  }

  /// The values by which the edits of a track are judged.
  private struct Track {
    var edits: MP4Box?
    /// Units per second, and the length in these units.
    var timescale: Int64 = 0
    var duration: Int64 = 0
  }

  private static let containers: Set<String> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "moof", "traf", "tref", "udta", "meta", "ilst",
    "wave",
  ]
  private static let tagContainers: Set<String> = ["udta", "meta", "ilst"]
  /// Pictures, and keys of encryption: FFmpeg copies all earlier keys for each new one.
  private static let hidden: Set<String> = ["covr", "pssh"]
  /// Boxes of tags that FFmpeg sees; the delay of the encoder (iTunSMPB) is among them. More than real files have, and
  /// few enough for FFmpeg's linear searches.
  private static let tagLimit = 1_000
  /// FFmpeg takes no more than 256 streams.
  private static let trackLimit = 128
  /// Levels of boxes; FFmpeg gives up a file with more.
  private static let depthLimit = 7
  private static let boxLimit = 1 << 21
  /// Edits that are believed: more than come from editing by hand.
  private static let editLimit = 1_000
  /// How often edits may play the media in all.
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
        if level.box.name == "trak" { try judgeEdits() }
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

  private mutating func judgeEdits() throws(FileReadError) {
    guard let edits = track.edits, try !isBelievable(edits) else { return }
    hide(edits)
    ignoresEdits = true
  }

  /// Whether the edits lead into the media and do not repeat it again and again.
  private func isBelievable(_ edits: MP4Box) throws(FileReadError) -> Bool {
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
      // No edit plays more than there is from its start to the end of the media.
      let left = Double(track.duration - start) / Double(track.timescale)
      played += min(Double(duration) / Double(movieTimescale), left)
    }
    return leadsIntoMedia && played <= Self.repetitionLimit * Double(track.duration) / Double(track.timescale)
  }

  // MARK: Hiding

  private mutating func hide(_ box: MP4Box) { masks.append(ByteMask(at: box.start + 4, "skip")) }

  /// Makes one box of all from `box` to `end`.
  private mutating func hide(_ box: MP4Box, andAllTo end: Int) {
    guard let size = UInt32(exactly: end - box.start) else { return }
    let bytes = size.bigEndianBytes + Array("skip".utf8)
    masks.append(ByteMask(at: box.start, bytes))
  }
}
