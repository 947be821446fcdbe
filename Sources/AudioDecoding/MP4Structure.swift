internal import Analysis
internal import CLibAV

/// The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12) that FFmpeg must not see: most of the tags, all pictures,
/// edit lists that cannot be meant.
struct MP4Structure {
  /// In the order of their offsets.
  private(set) var masks: [ByteMask] = []
  /// An edit list is hidden, so the media is played from start to end.
  private(set) var ignoresEdits = false

  private struct Box {
    var name: String
    var start: Int64
    var body: Int64
    var end: Int64
  }

  /// A box whose children are being walked over.
  private struct Level {
    var box: Box
    var position: Int64
    /// Inside a list of tags.
    var isTags = false
  }

  /// What the edits of a track are judged by.
  private struct Track {
    var edits: Box?
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

  private var reader: HeaderReader
  private var movieTimescale: Int64 = 0
  private var tagCount = 0
  private var trackCount = 0
  private var track = Track()

  init(in file: InputFile, from start: Int64) throws(DecodeError) {
    reader = HeaderReader(file)
    let whole = Box(name: "", start: start, body: start, end: file.size)
    var levels = [Level(box: whole, position: start)]
    for _ in 0..<Self.boxLimit {
      guard var level = levels.popLast() else { break }
      guard let box = try box(at: level.position, end: level.box.end) else {
        if level.box.name == "trak" { try judgeEdits() }
        continue
      }
      level.position = box.end
      if level.isTags {
        tagCount += 1
        if tagCount > Self.tagLimit {
          hide(box, andAllTo: level.box.end)
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
        levels.append(Level(box: box, position: try firstChild(of: box), isTags: isTags))
      }
    }
    masks.sort { $0.offset < $1.offset }
  }

  /// The box at `position`; `nil` if there is none before `end`, or one smaller than its header.
  private mutating func box(at position: Int64, end: Int64) throws(DecodeError) -> Box? {
    guard position <= end - 8 else { return nil }
    let header = try reader.bytes(at: position, count: 16)
    guard let size = header.bigEndian(UInt32.self, at: 0), header.count >= 8 else { return nil }
    var box = Box(name: header.latin1(4..<8), start: position, body: position + 8, end: end)
    switch size {
    case 0: break
    case 1:
      guard let size = header.bigEndian(Int64.self, at: 8), size >= 16 else { return nil }
      box.body += 8
      box.end = position + min(size, end - position)
    case 8...: box.end = position + min(Int64(size), end - position)
    default: return nil
    }
    return box
  }

  /// A version and flags stand before the children of `meta` in MP4, and not in QuickTime files, where `hdlr` is the
  /// first child.
  private mutating func firstChild(of box: Box) throws(DecodeError) -> Int64 {
    guard box.name == "meta" else { return box.body }
    return try reader.bytes(at: box.body + 4, count: 4).has("hdlr") ? box.body : box.body + 4
  }

  private mutating func note(_ box: Box) throws(DecodeError) {
    switch box.name {
    case "mvhd":
      movieTimescale = try times(of: box).timescale
    case "mdhd":
      (track.timescale, track.duration) = try times(of: box)
    case "elst":
      track.edits = box
    case let name where Self.hidden.contains(name):
      hide(box)
    default: break
    }
  }

  /// Timescale and duration of `mvhd` and `mdhd`, which begin alike.
  private mutating func times(of box: Box) throws(DecodeError) -> (timescale: Int64, duration: Int64) {
    let header = try reader.bytes(at: box.body, count: 32)
    let isLong = header.values.first == 1
    let timescale = header.bigEndian(UInt32.self, at: isLong ? 20 : 12) ?? 0
    let duration =
      isLong ? header.bigEndian(Int64.self, at: 24) : header.bigEndian(UInt32.self, at: 16).map { Int64($0) }
    return (Int64(timescale), duration ?? 0)
  }

  private mutating func judgeEdits() throws(DecodeError) {
    guard let edits = track.edits, try !isBelievable(edits) else { return }
    hide(edits)
    ignoresEdits = true
  }

  /// Whether the edits lead into the media and do not repeat it again and again.
  private mutating func isBelievable(_ edits: Box) throws(DecodeError) -> Bool {
    let header = try reader.bytes(at: edits.body, count: 8)
    let isLong = header.values.first == 1
    guard let count = header.bigEndian(UInt32.self, at: 4), count <= Self.editLimit else { return false }
    guard movieTimescale > 0, track.timescale > 0, track.duration > 0 else { return true }
    let size = isLong ? 20 : 12
    var played = 0.0
    var leadsIntoMedia = count == 0
    for index in 0..<Int64(count) {
      let entry = try reader.bytes(at: edits.body + 8 + index * Int64(size), count: size)
      guard entry.count == size else { break }
      let duration =
        isLong ? entry.bigEndian(UInt64.self, at: 0) : entry.bigEndian(UInt32.self, at: 0).map { UInt64($0) }
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

  private mutating func hide(_ box: Box) { masks.append(ByteMask(at: box.start + 4, "skip")) }

  /// Makes one box of all from `box` to `end`.
  private mutating func hide(_ box: Box, andAllTo end: Int64) {
    guard let size = UInt32(exactly: end - box.start) else { return }
    let bytes = withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array("skip".utf8)
    masks.append(ByteMask(at: box.start, bytes))
  }
}
