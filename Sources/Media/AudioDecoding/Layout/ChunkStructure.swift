internal import MediaContainers

/// The parts of ASF, DSDIFF and NIST SPHERE files to hide from FFmpeg, because they contain tags, markers or pictures.
enum ChunkStructure {
  /// Maximum number of objects examined.
  private static let limit = 1 << 20

  /// - Parameter start: The start of the header object.
  static func asf(in file: ByteSource, at start: Int) throws(FileReadError) -> [ByteMask] {
    var masks: [ByteMask] = []
    guard let end = try ASFObject.headerEnd(in: file, at: start) else { return [] }
    var position = start + ASFObject.fileHeaderSize
    for _ in 0..<limit {
      guard let object = try ASFObject(at: position, end: end, in: file) else { break }
      if object.kind == .headerExtension {
        // The header extension contains more objects of the same form.
        position += ASFObject.extensionHeaderSize
        continue
      }
      // `skipskip` begins a GUID that no object has.
      if object.kind != nil { masks.append(ByteMask(at: position, "skipskip")) }
      position = object.end
    }
    return masks
  }

  /// DSDIFF (Philips, version 1.5): ID3v2, comments, edited master information.
  static func dsdiff(in file: ByteSource, at start: Int) throws(FileReadError) -> [ByteMask] {
    var masks: [ByteMask] = []
    guard var chunks = ChunkReader(file, .dsdiff, at: start) else { return [] }
    while let chunk = try chunks.next(), chunk.size <= file.size - chunk.start {
      if ["ID3 ", "COMT", "DIIN"].contains(chunk.id) { masks.append(ByteMask(at: chunk.start, "skip")) }
    }
    return masks
  }

  /// Maximum size, in bytes, of the NIST SPHERE header shown to FFmpeg, which keeps each line as a tag.
  private static let sphereLimit = 8_192

  static func sphere(in file: ByteSource, at start: Int) throws(FileReadError) -> [ByteMask] {
    let text = try file.bytes(at: start + sphereLimit, count: 1_024)
    let size = try file.bytes(at: start + 8, count: 8).latin1.filter { $0 != " " && $0 != "\n" }
    guard let size = Int(size), size > sphereLimit + 1_024, let newline = text.firstIndex(of: 0x0a) else {
      return []
    }
    return [ByteMask(at: start + sphereLimit + newline + 1, "end_head")]
  }
}
