internal import Analysis
internal import MediaContainers

/// Describes pictures in the same way for all tag formats.
enum Picture {
  /// Number of bytes at the start of a picture that identify its format.
  static let signatureLength = 12

  /// The picture types of ID3v2's APIC frame (ID3v2.4 frames, section 4.14). FLAC, Ogg and ASF use the same numbers.
  private static let types = [
    "other", "file icon", "other file icon", "front cover", "back cover", "leaflet page", "media", "lead artist",
    "artist",
    "conductor", "band", "composer", "lyricist", "recording location", "during recording", "during performance",
    "video capture", "bright coloured fish", "illustration", "band logotype", "publisher logotype",
  ]

  /// - Parameter start: First bytes of the picture. They identify the format if the tag does not name a MIME type.
  static func described<Start: RandomAccessCollection<UInt8>>(
    type: Int, mime: String, start: Start, size: Int
  ) -> TagFinding.Picture where Start.Index == Int {
    TagFinding.Picture(
      type: types.indices.contains(type) ? types[type] : "other", mime: named(mime) ?? recognized(start) ?? "",
      sizeBytes: size)
  }

  private static func named(_ mime: String) -> String? {
    switch mime.lowercased() {
    case "", "image/": nil
    case "jpg", "jpeg", "image/jpg": "image/jpeg"
    case "png": "image/png"
    case let name: name
    }
  }

  static func recognized<Start: RandomAccessCollection<UInt8>>(
    _ start: Start
  ) -> String? where Start.Index == Int {
    if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if start.has("GIF8") { return "image/gif" }
    if start.has("BM") { return "image/bmp" }
    if start.has("RIFF"), start.has("WEBP", at: 8) { return "image/webp" }
    if start.starts(with: [0x49, 0x49, 0x2A, 0x00]) || start.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
      return "image/tiff"
    }
    return nil
  }

  /// Describes the picture in a FLAC PICTURE block (RFC 9639, section 8.8). `body` need not contain the bytes of the
  /// picture itself. Returns `nil` if the block is damaged.
  ///
  /// - Parameter size: Size of the whole block in bytes.
  static func flac(_ body: [UInt8], size: Int) -> TagFinding.Picture? {
    guard let type = body.bigEndian(UInt32.self), let mimeLength = body.bigEndian(UInt32.self, at: 4),
      let descriptionLength = body.bigEndian(UInt32.self, at: 8 + Int(mimeLength))
    else { return nil }
    let mime = body[8..<8 + Int(mimeLength)]
    // Width, height, depth and number of colors come between the description and the size of the picture.
    let dataStart = 8 + Int(mimeLength) + 4 + Int(descriptionLength) + 20
    guard size >= dataStart, let claimed = body.bigEndian(UInt32.self, at: dataStart - 4) else { return nil }
    return described(
      type: Int(type), mime: String(decoding: mime, as: UTF8.self),
      start: body.dropFirst(dataStart).prefix(signatureLength), size: min(Int(claimed), size - dataStart))
  }
}
