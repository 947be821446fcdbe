internal import MediaContainers
internal import TagReading

/// An MP4 file: the items in `moov.udta.meta.ilst` (Apple's, on top of ISO/IEC 14496-12).
///
/// The box `moov` is made new. If it cannot keep its length by way of the free space behind it, the audio moves, and the tables
/// of places in `stco` and `co64` say so.
struct MP4File: TagContainer {
  var tags: [EditableTag]
  private let moov: [UInt8]
  private let moovStart: Int
  private let moovEnd: Int
  /// Free space right behind `moov`.
  private let free: MP4Box?
  /// Boxes behind it that count bytes from the start of the file, other than `moov` does.
  private let hasOtherOffsets: Bool
  private let size: Int

  private static let sizeLimit = 256 << 20
  private static let integerType: UInt32 = 21
  private static let textType: UInt32 = 1

  init(_ source: ByteSource, at start: Int) throws {
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
    else { throw Self.odd("There is not exactly one box moov of a known length, or the file is cut off") }
    (moovStart, moovEnd) = (moov.start, moov.end)
    self.moov = try source.bytes(at: moov.start, count: moov.end - moov.start)
    free = boxes.first { $0.start == moov.end && ($0.name == "free" || $0.name == "skip") && $0.body == $0.start + 8 }
    let later = boxes.filter { $0.start >= moov.end }
    let odd: Set<String> = ["moof", "sidx", "ssix", "mfra", "meta", "uuid"]
    hasOtherOffsets = later.contains { odd.contains($0.name) }
    tags = [EditableTag(.mp4, try Self.items(ByteSource(self.moov))) { key, values throws(TagWriteError) in
      try Self.item(key, values)
    }]
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "\(what); such MP4 files are not changed.")
  }

  // MARK: Items

  /// The boxes from the whole of `moov` down to the list of items, as far as they are there.
  private static func path(in moov: ByteSource) throws -> [MP4Box] {
    guard let root = try MP4Box(at: 0, end: moov.size, in: moov) else { return [] }
    var best = [root]
    var position = root.body
    while let udta = try root.child("udta", in: moov, from: position) {
      var path = [root, udta]
      if let meta = try udta.child("meta", in: moov) {
        path.append(meta)
        if let list = try meta.child("ilst", in: moov) { return path + [list] }
      }
      if path.count > best.count { best = path }
      position = udta.end
    }
    return best
  }

  private static func items(_ moov: ByteSource) throws -> [EditableTag.Entry] {
    let path = try path(in: moov)
    guard path.count == 4, let list = path.last else { return [] }
    var items: [EditableTag.Entry] = []
    var position = list.body
    while position < list.end {
      guard let box = try MP4Box(at: position, end: list.end, in: moov) else {
        throw odd("The list of items is damaged")
      }
      var item = EditableTag.Entry(bytes: try moov.bytes(at: box.start, count: box.end - box.start))
      if let (key, values) = try content(of: box, in: moov) { (item.key, item.values) = (key, values) }
      items.append(item)
      position = box.end
    }
    return items
  }

  private static func content(of item: MP4Box, in moov: ByteSource) throws -> (key: String, values: [String])? {
    guard item.name == "tmpo" || item.name == "----" else { return nil }
    var key = item.name
    var position = item.body
    if key == "----" {
      guard let mean = try MP4Box(at: position, end: item.end, in: moov), mean.name == "mean",
        let name = try MP4Box(at: mean.end, end: item.end, in: moov), name.name == "name"
      else { return nil }
      // Version and flags stand in front of the text.
      let parts = try [mean, name].map { try moov.bytes(at: $0.body + 4, count: $0.end - $0.body - 4) }
      key = "----:" + parts.map { TagText.utf8($0[...]) }.joined(separator: ":")
      position = name.end
    }
    var values: [String] = []
    while let data = try MP4Box(at: position, end: item.end, in: moov), data.name == "data" {
      position = data.end
      // Type and locale stand in front of the value.
      let value = try moov.bytes(at: data.body + 8, count: data.end - data.body - 8)
      if item.name == "tmpo" {
        if !value.isEmpty, value.count <= 8 { values.append(String(value.bigEndianNumber)) }
      } else if value.count < 1 << 16 {
        values.append(TagText.utf8(value[...]))
      }
    }
    return (key, values)
  }

  private static func item(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    if key == "tmpo" {
      guard let number = values.first.flatMap(UInt16.init) else {
        throw TagWriteError(.noRoom, "The item tmpo has no place for \(values.joined(separator: ", ")).")
      }
      return [box("tmpo", box("data", integerType.bigEndianBytes + [0, 0, 0, 0] + number.bigEndianBytes))]
    }
    let parts = key.split(separator: ":", maxSplits: 2)
    guard parts.count == 3 else { throw TagWriteError(.noRoom, "There is no item \(key).") }
    var content = box("mean", [0, 0, 0, 0] + Array(parts[1].utf8)) + box("name", [0, 0, 0, 0] + Array(parts[2].utf8))
    for value in values { content += box("data", textType.bigEndianBytes + [0, 0, 0, 0] + Array(value.utf8)) }
    return [box("----", content)]
  }

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    UInt32(content.count + 8).bigEndianBytes + Array(name.utf8) + content
  }

  // MARK: The file

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
    var bytes = try withItems(tags[0].bytes)
    var growth = bytes.count - moov.count
    var splice = FileSplice()
    var rest = moovEnd
    var filler: [UInt8] = []
    if let free, growth != 0, free.end - free.start - growth >= 8 || free.end - free.start == growth {
      let size = free.end - free.start - growth
      if size > 0 {
        filler = UInt32(size).bigEndianBytes + Array("free".utf8)
        filler += [UInt8](repeating: 0, count: min(size - 8, max(0, -growth)))
      }
      // What is in the free space stays, as far as there is room.
      rest = free.end - max(0, size - filler.count)
      growth = 0
    }
    if growth != 0, rest < size {
      guard !hasOtherOffsets else { throw Self.odd("The file is made of fragments, and its head would become longer") }
      try Self.move(&bytes, from: moovEnd, by: growth)
    }
    splice.add(0..<moovStart)
    splice.add(bytes)
    splice.add(filler)
    splice.add(rest..<size)
    return splice
  }

  /// `moov` with another list of items; boxes around it are made if they are not there.
  private func withItems(_ items: [UInt8]) throws -> [UInt8] {
    let source = ByteSource(moov)
    let path = try Self.path(in: source)
    var new = Self.box("ilst", items)
    var replaced: Range<Int>
    var parents = path
    if path.count == 4, let list = path.last {
      replaced = list.start..<list.end
      parents.removeLast()
    } else {
      if path.count == 3 {
        let handler = try path[2].child("hdlr", in: source)
        let kind = try handler.map { try source.bytes(at: $0.body + 8, count: 4) } ?? []
        guard kind.has("mdir") else { throw Self.odd("There are items of another kind than Apple's") }
      } else {
        let handler: [UInt8] = [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9)
        new = Self.box("meta", [0, 0, 0, 0] + Self.box("hdlr", handler) + new)
      }
      if path.count == 1 { new = Self.box("udta", new) }
      guard let parent = path.last else { throw Self.odd("The box moov is damaged") }
      let end = try Self.endOfChildren(of: parent, in: source)
      replaced = end..<end
    }
    var bytes = moov
    bytes.replaceSubrange(replaced, with: new)
    let growth = new.count - replaced.count
    for parent in parents {
      guard parent.body >= parent.start + 8, let old = bytes.bigEndian(UInt32.self, at: parent.start), old > 1,
        let grown = UInt32(exactly: Int(old) + growth)
      else { throw Self.odd("A box around the items has no plain length") }
      bytes.replaceSubrange(parent.start..<parent.start + 4, with: grown.bigEndianBytes)
    }
    return bytes
  }

  /// Behind the last child; QuickTime ends `udta` with four zeros.
  private static func endOfChildren(of box: MP4Box, in source: ByteSource) throws -> Int {
    var position = try box.firstChild(in: source)
    while position < box.end, let child = try MP4Box(at: position, end: box.end, in: source) { position = child.end }
    let rest = try source.bytes(at: position, count: box.end - position)
    guard rest.allSatisfy({ $0 == 0 }), rest.count <= 4 else { throw odd("The box \(box.name) is damaged") }
    return position
  }

  /// Adds to all places in the tables of `moov` that lie behind it.
  private static func move(_ moov: inout [UInt8], from limit: Int, by growth: Int) throws {
    let source = ByteSource(moov)
    guard let root = try MP4Box(at: 0, end: moov.count, in: source) else { throw odd("The box moov is damaged") }
    guard try root.child("cmov", in: source) == nil, try root.child("mvex", in: source) == nil else {
      throw odd("The box moov is compressed, or the file is made of fragments")
    }
    var position = root.body
    while let track = try root.child("trak", in: source, from: position) {
      position = track.end
      guard let table = try track.descendant("mdia", "minf", "stbl", in: source) else { continue }
      guard try table.child("saio", in: source) == nil else { throw odd("The audio is encrypted") }
      for (name, width) in [("stco", 4), ("co64", 8)] {
        guard let places = try table.child(name, in: source) else { continue }
        guard let count = moov.bigEndian(UInt32.self, at: places.body + 4),
          places.body + 8 + Int(count) * width <= places.end
        else { throw odd("The table of places is cut off") }
        for index in 0..<Int(count) {
          let start = places.body + 8 + index * width
          if width == 4 {
            let old = Int(moov.bigEndian(UInt32.self, at: start) ?? 0)
            guard old >= limit else { continue }
            guard let new = UInt32(exactly: old + growth) else { throw odd("The file is too large for its table of places") }
            moov.replaceSubrange(start..<start + 4, with: new.bigEndianBytes)
          } else {
            let old = moov.bigEndian(Int64.self, at: start) ?? 0
            guard old >= Int64(limit) else { continue }
            moov.replaceSubrange(start..<start + 8, with: (old &+ Int64(growth)).bigEndianBytes)
          }
        }
      }
    }
  }
}
