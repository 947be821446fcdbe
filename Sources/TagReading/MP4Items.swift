internal import Analysis
internal import CTagLib

/// The item list `moov.udta.meta.ilst` of an MP4 file (ISO/IEC 14496-12, and Apple's item list on top of it). The atoms
/// on the way are walked here, without recursion; pictures are measured in place and numbers decoded; text goes to
/// TagLib.
enum MP4Items {
  struct Atom {
    var name: String
    var bodyStart: Int
    var end: Int
  }

  /// Atoms that are looked at on one level.
  private static let maximumAtomCount = 100_000
  /// TagLib goes down into atoms of these names wherever they stand.
  private static let containers: Set<String> = [
    "moov", "udta", "mdia", "meta", "ilst", "stbl", "minf", "moof", "traf", "trak", "stsd",
  ]

  static func read(from source: ByteSource) throws(TagReadError) -> RawTag? {
    guard let moov = try atom("moov", in: source, from: 0, to: source.size) else { return nil }
    var tag = RawTag(.mp4)
    tag.chapters = try chapters(of: moov, in: source)
    guard let list = try itemList(of: moov, in: source) else { return tag.isEmpty ? nil : tag }
    var items: [UInt8] = []
    var position = list.bodyStart
    for _ in 0..<TagBlock.maximumValueCount {
      guard let item = try atom(at: position, in: source, end: list.end) else { break }
      let start = position
      position = item.end
      if item.name == "covr" {
        try readPictures(of: item, in: source, into: &tag)
      } else if numbers.contains(item.name) {
        if let entry = try number(item, in: source) { tag.entries.append(entry) }
      } else if containers.contains(item.name) {
        continue
      } else if items.count + item.end - start > TagBlock.maximumTextSize {
        tag.remarks.append("An item of the MP4 tag is larger than any real one and was left out.")
      } else {
        items += try source.bytes(at: start, count: item.end - start)
      }
    }
    if try atom(at: position, in: source, end: list.end) != nil {
      tag.remarks.append(
        "The MP4 tag has more than \(TagBlock.maximumValueCount) items; the rest was left out.")
    } else if position < list.end {
      tag.remarks.append("The MP4 tag is damaged after byte \(position); the rest was not read.")
    }
    if !items.isEmpty { TagBlock(kind: CTAGLIB_MP4_ILST, bytes: items).parse(into: &tag) }
    return tag
  }

  /// Items that hold numbers. TagLib hides the kind of an item, so that its number could not be had safely.
  private static let numbers: Set<String> = [
    "trkn", "disk", "tmpo", "cpil", "pgap", "pcst", "hdvd", "shwm", "stik", "rtng", "akID", "tvsn", "tves", "cnID",
    "sfID",
    "atID", "geID", "cmID", "plID", "gnre", "©mvi", "©mvc",
  ]

  private static func number(_ item: Atom, in source: ByteSource) throws(TagReadError) -> RawTag.Entry? {
    guard let data = try atom("data", in: source, from: item.bodyStart, to: item.end) else { return nil }
    // Type and locale stand before the value.
    let value = try source.bytes(at: data.bodyStart + 8, count: min(data.end - data.bodyStart - 8, 8))
    switch item.name {
    case "trkn", "disk":
      guard value.count >= 4 else { return nil }
      let total = value.count >= 6 ? value[4...].bigEndian(2) : 0
      return RawTag.Entry(key: item.name, value: "\(value[2...].bigEndian(2))/\(total)")
    case "gnre":
      // One more than the number of ID3v1.
      guard let genre = TagValue.genreName(Int(value.bigEndian(2)) - 1) else { return nil }
      return RawTag.Entry(key: "©gen", value: genre)
    default:
      guard !value.isEmpty else { return nil }
      return RawTag.Entry(key: item.name, value: String(value.bigEndian(8)))
    }
  }

  private static func itemList(of moov: Atom, in source: ByteSource) throws(TagReadError) -> Atom? {
    var position = moov.bodyStart
    while let udta = try atom("udta", in: source, from: position, to: moov.end) {
      position = udta.end
      guard let meta = try atom("meta", in: source, from: udta.bodyStart, to: udta.end) else { continue }
      // In MP4 a version and flags stand before the children; in QuickTime files the first child does, `hdlr`.
      let isPlain = try source.bytes(at: meta.bodyStart + 4, count: 4).has("hdlr")
      let start = meta.bodyStart + (isPlain ? 0 : 4)
      if let list = try atom("ilst", in: source, from: start, to: meta.end) { return list }
    }
    return nil
  }

  static func atom(
    _ name: String, in source: ByteSource, from start: Int, to end: Int
  ) throws(TagReadError) -> Atom? {
    var position = start
    for _ in 0..<maximumAtomCount {
      guard let atom = try atom(at: position, in: source, end: end) else { return nil }
      if atom.name == name { return atom }
      position = atom.end
    }
    return nil
  }

  /// The atom at `position`, whose end is cut to `end`; `nil` if there is none, or one smaller than its header.
  private static func atom(at position: Int, in source: ByteSource, end: Int) throws(TagReadError) -> Atom? {
    guard position + 8 <= end else { return nil }
    let header = try source.bytes(at: position, count: 16)
    guard header.count >= 8 else { return nil }
    let name = header[4..<8].latin1
    switch header.bigEndian() {
    case 0:
      // To the end of the file; nothing inside another atom may say so.
      guard end == source.size else { return nil }
      return Atom(name: name, bodyStart: position + 8, end: end)
    case 1:
      guard header.count == 16, let size = Int(exactly: header[8...].bigEndian(8)), size >= 16 else { return nil }
      return Atom(name: name, bodyStart: position + 16, end: size < end - position ? position + size : end)
    case let size:
      guard size >= 8 else { return nil }
      return Atom(name: name, bodyStart: position + 8, end: min(position + Int(size), end))
    }
  }

  private static func readPictures(
    of cover: Atom, in source: ByteSource, into tag: inout RawTag
  ) throws(TagReadError) {
    var position = cover.bodyStart
    for _ in 0..<TagBlock.maximumValueCount {
      guard let data = try atom(at: position, in: source, end: cover.end) else { return }
      position = data.end
      // Type and locale stand before the picture.
      let size = data.end - data.bodyStart - 8
      guard data.name == "data", size > 0 else { continue }
      let start = try source.bytes(at: data.bodyStart + 8, count: min(size, Picture.signatureLength))
      let type = try source.bytes(at: data.bodyStart, count: 4).bigEndian()
      tag.pictures.append(Picture.described(type: 3, mime: mime(ofType: type), start: start, size: size))
    }
  }

  /// Well-known types of metadata values (Apple, QuickTime File Format Specification).
  private static func mime(ofType type: UInt64) -> String {
    switch type {
    case 12: "image/gif"
    case 13: "image/jpeg"
    case 14: "image/png"
    case 27: "image/bmp"
    default: ""
    }
  }
}
