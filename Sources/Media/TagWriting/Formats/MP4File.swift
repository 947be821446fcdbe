internal import MediaContainers
internal import TagReading

/// An MP4 file, whose tag is the list of items `moov.udta.meta.ilst` (Apple's extension of ISO/IEC 14496-12).
///
/// If the free space after `moov` cannot absorb a change in its length, the audio moves, and the chunk offsets in
/// `stco` and `co64` are updated.
struct MP4File: TagContainer {
  var tags: [EditableTag]
  private let source: ByteSource
  private let moov: MP4Box
  /// The box of free space directly after `moov`; `nil` if there is none.
  private let free: MP4Box?
  /// `true` if boxes after `moov` may contain offsets from the start of the file.
  private let hasOtherOffsets: Bool
  private let size: Int

  private static let sizeLimit = 256 << 20
  private static let integerType: UInt32 = 21
  private static let textType: UInt32 = 1
  private static let nameLimit = 1 << 12
  private static let textLimit = 1 << 16

  init(_ source: ByteSource, at start: Int) throws {
    self.source = source
    size = source.size
    var boxes: [MP4Box] = []
    var position = start
    while position < source.size, boxes.count < 100_000 {
      guard let box = try MP4Box(at: position, end: source.size, in: source) else { break }
      boxes.append(box)
      position = box.end
    }
    let moovs = boxes.filter { $0.name == "moov" }
    guard moovs.count == 1, let moov = moovs.first, moov.end - moov.start <= Self.sizeLimit,
      try source.bytes(at: moov.start, count: 4).bigEndian(UInt32.self) == UInt32(moov.end - moov.start),
      position == source.size
    else { throw Self.odd("There is not exactly one moov box of known length, or the file is cut off") }
    self.moov = moov
    free = boxes.first { $0.start == moov.end && ($0.name == "free" || $0.name == "skip") && $0.body == $0.start + 8 }
    let later = boxes.filter { $0.start >= moov.end }
    let odd: Set<String> = ["moof", "sidx", "ssix", "mfra", "meta", "uuid"]
    hasOtherOffsets = later.contains { odd.contains($0.name) }
    tags = [
      EditableTag(.mp4, try Self.items(of: moov, in: source)) { key, values throws(TagWriteError) in
        try Self.item(key, values)
      }
    ]
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "\(what); such MP4 files are not changed.")
  }

  // MARK: Items

  /// Returns the boxes from `moov` down to the list of items, as far as they exist.
  private static func path(of root: MP4Box, in source: ByteSource) throws -> [MP4Box] {
    var best = [root]
    var position = root.body
    while let udta = try root.child("udta", in: source, from: position) {
      var path = [root, udta]
      if let meta = try udta.child("meta", in: source) {
        path.append(meta)
        if let list = try meta.child("ilst", in: source) { return path + [list] }
      }
      if path.count > best.count { best = path }
      position = udta.end
    }
    return best
  }

  private static func items(of moov: MP4Box, in source: ByteSource) throws -> [EditableTag.Entry] {
    let path = try path(of: moov, in: source)
    guard path.count == 4, let list = path.last else { return [] }
    var items: [EditableTag.Entry] = []
    var position = list.body
    while position < list.end {
      guard let box = try MP4Box(at: position, end: list.end, in: source) else {
        throw odd("The list of items is damaged")
      }
      var item = EditableTag.Entry(isText: box.name != "covr", content: .original(box.start..<box.end))
      if let (key, values) = try content(of: box, in: source) { (item.key, item.values) = (key, values) }
      items.append(item)
      position = box.end
    }
    return items
  }

  private static func content(of item: MP4Box, in source: ByteSource) throws -> (key: String, values: [String])? {
    guard item.name == "tmpo" || item.name == "----" else { return nil }
    var key = item.name
    var position = item.body
    if key == "----" {
      guard let mean = try MP4Box(at: position, end: item.end, in: source), mean.name == "mean",
        let name = try MP4Box(at: mean.end, end: item.end, in: source), name.name == "name"
      else { return nil }
      // The text follows the version and flags.
      let parts = try [mean, name].map { box in
        try source.bytes(at: box.body + 4, count: min(nameLimit, box.end - box.body - 4))
      }
      key = MP4ItemName.key(mean: parts[0], name: parts[1])
      position = name.end
    }
    var values: [String] = []
    while let data = try MP4Box(at: position, end: item.end, in: source), data.name == "data" {
      position = data.end
      // The value follows its type and locale.
      guard data.end - data.body - 8 < textLimit else { continue }
      let value = try source.bytes(at: data.body + 8, count: data.end - data.body - 8)
      if item.name == "tmpo" {
        if !value.isEmpty, value.count <= 8 { values.append(String(value.bigEndianNumber)) }
      } else {
        values.append(TagText.utf8(value[...]))
      }
    }
    return (key, values)
  }

  private static func item(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    if key == "tmpo" {
      guard let number = values.first.flatMap(UInt16.init) else {
        throw TagWriteError(.noRoom, "The item tmpo cannot hold \(values.joined(separator: ", ")).")
      }
      return [box("tmpo", box("data", integerType.bigEndianBytes + [0, 0, 0, 0] + number.bigEndianBytes))]
    }
    let parts = key.split(separator: ":", maxSplits: 2)
    guard parts.count == 3 else { throw TagWriteError(.noRoom, "There is no item \(key).") }
    var content = box("mean", [0, 0, 0, 0] + Array(parts[1].utf8)) + box("name", [0, 0, 0, 0] + Array(parts[2].utf8))
    for value in values { content += box("data", textType.bigEndianBytes + [0, 0, 0, 0] + Array(value.utf8)) }
    return [box("----", content)]
  }

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] { header(name, content.count) + content }

  private static func header(_ name: String, _ size: Int) -> [UInt8] {
    UInt32(clamping: size + 8).bigEndianBytes + Array(name.utf8)
  }

  // MARK: File

  func splice() throws(TagWriteError) -> FileSplice {
    do {
      return try makeSplice()
    } catch let error as TagWriteError {
      throw error
    } catch {
      throw TagWriteError(.inputOutput, "\(error)")
    }
  }

  private func makeSplice() throws -> FileSplice {
    var (patches, growth) = try replacingItems()
    if let free, growth != 0, free.end - free.start - growth >= 8 || free.end - free.start == growth {
      let size = free.end - free.start - growth
      var filler: [UInt8] = []
      if size > 0 {
        filler = UInt32(size).bigEndianBytes + Array("free".utf8)
        filler += [UInt8](repeating: 0, count: min(size - 8, max(0, -growth)))
      }
      // Keeps as much of the free space's content as fits.
      patches.append((free.start..<free.end - max(0, size - filler.count), Self.splice(filler)))
      growth = 0
    }
    if growth != 0, moov.end < size {
      guard !hasOtherOffsets else { throw Self.odd("The file is made of fragments, and its header would grow") }
      patches += try placesMoved(by: growth)
    }
    var splice = FileSplice()
    splice.add(0..<size, replacing: patches)
    return splice
  }

  private static func splice(_ bytes: [UInt8]) -> FileSplice {
    var splice = FileSplice()
    splice.add(bytes)
    return splice
  }

  /// Returns the patches of `moov` for a changed list of items, and the growth of `moov` in bytes. Missing boxes around
  /// the list are created.
  private func replacingItems() throws -> (patches: [(range: Range<Int>, new: FileSplice)], growth: Int) {
    let path = try Self.path(of: moov, in: source)
    let items = tags[0].content
    // Headers of the boxes around the items, from the inside out.
    var head = Self.header("ilst", items.size)
    func wrap(_ name: String, _ front: [UInt8] = []) {
      head = Self.header(name, front.count + head.count + items.size) + front + head
    }
    let replaced: Range<Int>
    var parents = path
    if path.count == 4, let list = path.last {
      replaced = list.start..<list.end
      parents.removeLast()
    } else {
      if path.count == 3 {
        let handler = try path[2].child("hdlr", in: source)
        let kind = try handler.map { try source.bytes(at: $0.body + 8, count: 4) } ?? []
        guard kind.has("mdir") else { throw Self.odd("There are items that do not follow Apple's format") }
      } else {
        let handler: [UInt8] =
          [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9)
        wrap("meta", [0, 0, 0, 0] + Self.box("hdlr", handler))
      }
      if path.count == 1 { wrap("udta") }
      guard let parent = path.last else { throw Self.odd("The box moov is damaged") }
      let end = try Self.endOfChildren(of: parent, in: source)
      replaced = end..<end
    }
    var new = Self.splice(head)
    new.add(items)
    let growth = new.size - replaced.count
    var patches = [(range: replaced, new: new)]
    for parent in parents where growth != 0 {
      let old = try source.bytes(at: parent.start, count: 4).bigEndian(UInt32.self)
      guard let old, old > 1, let grown = UInt32(exactly: Int(old) + growth) else {
        throw Self.odd("A box around the items has an unusual length field")
      }
      patches.append((parent.start..<parent.start + 4, Self.splice(grown.bigEndianBytes)))
    }
    return (patches, growth)
  }

  /// Returns the end of the last child. In QuickTime files, `udta` may end with four zeros.
  private static func endOfChildren(of box: MP4Box, in source: ByteSource) throws -> Int {
    var position = try box.firstChild(in: source)
    while position < box.end, let child = try MP4Box(at: position, end: box.end, in: source) { position = child.end }
    let rest = try source.bytes(at: position, count: box.end - position)
    guard rest.allSatisfy({ $0 == 0 }), rest.count <= 4 else { throw odd("The box \(box.name) is damaged") }
    return position
  }

  /// Returns the chunk offset tables in `moov`, with `growth` added to all offsets of data after `moov`.
  private func placesMoved(by growth: Int) throws -> [(range: Range<Int>, new: FileSplice)] {
    guard try moov.child("cmov", in: source) == nil, try moov.child("mvex", in: source) == nil else {
      throw Self.odd("The box moov is compressed, or the file is made of fragments")
    }
    var patches: [(range: Range<Int>, new: FileSplice)] = []
    var position = moov.body
    while let track = try moov.child("trak", in: source, from: position) {
      position = track.end
      guard let table = try track.descendant("mdia", "minf", "stbl", in: source) else { continue }
      guard try table.child("saio", in: source) == nil else { throw Self.odd("The audio is encrypted") }
      for (name, width) in [("stco", 4), ("co64", 8)] {
        guard let places = try table.child(name, in: source) else { continue }
        let count = try source.bytes(at: places.body + 4, count: 4).bigEndian(UInt32.self)
        guard let count, places.body + 8 + Int(count) * width <= places.end else {
          throw Self.odd("The table of chunk offsets is cut off")
        }
        let start = places.body + 8
        var bytes = try source.bytes(at: start, count: Int(count) * width)
        for place in stride(from: 0, to: bytes.count, by: width) {
          if width == 4 {
            let old = Int(bytes.bigEndian(UInt32.self, at: place) ?? 0)
            guard old >= moov.end else { continue }
            guard let new = UInt32(exactly: old + growth) else {
              throw Self.odd("The file is too large for its table of chunk offsets")
            }
            bytes.replaceSubrange(place..<place + 4, with: new.bigEndianBytes)
          } else {
            let old = bytes.bigEndian(Int64.self, at: place) ?? 0
            guard old >= Int64(moov.end) else { continue }
            bytes.replaceSubrange(place..<place + 8, with: (old &+ Int64(growth)).bigEndianBytes)
          }
        }
        patches.append((start..<start + bytes.count, Self.splice(bytes)))
      }
    }
    return patches
  }
}
