extension ContainerExtent {
  /// MP4 and QuickTime (ISO/IEC 14496-12): consecutive boxes up to the end of the file. None of them reaches past its
  /// enclosing box.
  mutating func readMP4(_ source: ByteSource, at start: Int, before limit: Int) throws(FileReadError) {
    var position = start
    var hasMovie = false
    var mediaEnd: Int?
    for _ in 0..<Self.boxLimit {
      guard position < source.size else { return }
      let bytes = try source.bytes(at: position, count: 8)
      guard let box = try MP4Box(at: position, end: source.size, in: source), Self.isName(bytes.dropFirst(4)) else {
        break
      }
      // Start of a second file.
      if box.name == "ftyp", hasMovie { break }
      if box.missingByteCount > 0 {
        guard Self.names.contains(box.name) else { break }
        if box.missingByteCount > Self.maxPlausibleByteCount {
          flaw = .disordered("The box `\(box.name)` claims a length that no file has.")
        } else if !Self.padding.contains(box.name) {
          flaw = .cutOff(
            "The file ends inside the box `\(box.name)`, \(box.missingByteCount) bytes early: the file was cut off.")
        }
        return
      }
      if box.name == "moov" {
        hasMovie = true
        try checkChildren(of: box, in: source, depth: 0)
      }
      if box.name == "mdat" { mediaEnd = box.end }
      position = box.end
    }
    end = position
    if hasMovie { audioEnd = mediaEnd }
  }

  private mutating func checkChildren(of box: MP4Box, in source: ByteSource, depth: Int) throws(FileReadError) {
    var position = box.body
    for _ in 0..<Self.boxLimit {
      guard flaw == nil, let child = try MP4Box(at: position, end: box.end, in: source) else { return }
      if child.missingByteCount > 0, Self.structure.contains(child.name) {
        flaw = .disordered("The box `\(child.name)` claims to be longer than the box `\(box.name)` it is in.")
      } else if Self.parents.contains(child.name), depth < 6 {
        try checkChildren(of: child, in: source, depth: depth + 1)
      }
      position = child.end
    }
  }

  private static let boxLimit = 1 << 17
  private static let maxPlausibleByteCount = 1 << 48
  /// Boxes whose children players need.
  private static let parents: Set<String> = ["trak", "mdia", "minf", "stbl"]
  private static let structure = parents.union(["stsd", "stts", "stsz", "stco", "co64", "stsc"])
  private static let padding: Set<String> = ["free", "skip", "wide"]
  /// Boxes that may occur at the top level.
  private static let names: Set<String> = padding.union([
    "ftyp", "moov", "mdat", "moof", "mfra", "sidx", "ssix", "styp", "prft", "emsg", "pdin", "meta", "udta", "uuid",
    "pnot", "PICT", "bloc", "meco",
  ])

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.allSatisfy { (0x20...0x7E).contains($0) } }
}
