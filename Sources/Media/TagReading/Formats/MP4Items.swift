internal import Analysis
internal import MediaContainers

/// The item list `moov.udta.meta.ilst` of an MP4 file (Apple's extension of ISO/IEC 14496-12). The sizes of pictures
/// are determined without reading them.
enum MP4Items {
  static func read(from source: ByteSource) throws(FileReadError) -> RawTag? {
    guard let moov = try MP4Box(file: source, from: 0).child("moov", in: source) else { return nil }
    var tag = RawTag(.mp4)
    tag.chapters = try chapters(of: moov, in: source)
    guard let list = try itemList(of: moov, in: source) else { return tag.isEmpty ? nil : tag }
    var textSize = 0
    var names: Set<String> = []
    var position = list.body
    for _ in 0..<TagLimits.valueCount {
      guard let item = try MP4Box(at: position, end: list.end, in: source) else { break }
      position = item.end
      if item.name == "covr" {
        try readPictures(of: item, in: source, into: &tag)
      } else if numbers.contains(item.name) {
        try readNumber(item, in: source, into: &tag)
      } else if textSize + item.end - item.start > TagLimits.textSize {
        tag.remarks.append("An item of the MP4 tag is larger than any real one and was left out.")
      } else {
        textSize += item.end - item.start
        guard let (key, values) = try texts(item, in: source), names.insert(key).inserted else { continue }
        for value in values { tag.add(key, terminated: value) }
      }
    }
    if try MP4Box(at: position, end: list.end, in: source) != nil {
      tag.remarks.append(
        "The MP4 tag has more than \(TagLimits.valueCount) items; the rest was left out.")
    } else if position < list.end {
      tag.remarks.append("The MP4 tag is damaged after byte \(position); the rest was not read.")
    }
    return tag
  }

  private static func itemList(of moov: MP4Box, in source: ByteSource) throws(FileReadError) -> MP4Box? {
    var position = moov.body
    while let udta = try moov.child("udta", in: source, from: position) {
      if let list = try udta.descendant("meta", "ilst", in: source) { return list }
      position = udta.end
    }
    return nil
  }

  // MARK: Text

  /// The type code of UTF-8 values (“well-known types” in Apple, QuickTime File Format Specification).
  private static let utf8: UInt32 = 1
  /// Items that are read as text regardless of their type.
  private static let untyped: Set<String> = ["purl", "egid"]

  /// Returns the key of an item and its texts; `nil` if it has no text. If items have the same key, `read` keeps only
  /// the first.
  private static func texts(
    _ item: MP4Box, in source: ByteSource
  ) throws(FileReadError) -> (key: String, values: [String])? {
    var key = item.name
    var position = item.body
    let isFree = item.name == "----"
    if isFree {
      // The key consists of `mean` and `name`, each preceded by a version and flags.
      guard let mean = try MP4Box(at: position, end: item.end, in: source), mean.name == "mean",
        let name = try MP4Box(at: mean.end, end: item.end, in: source), name.name == "name"
      else { return nil }
      position = name.end
      let parts = [
        try source.bytes(at: mean.body + 4, count: mean.end - mean.body - 4),
        try source.bytes(at: name.body + 4, count: name.end - name.body - 4),
      ]
      key = MP4ItemName.key(mean: parts[0], name: parts[1])
    }
    var values: [String] = []
    var firstType: UInt32?
    while let data = try MP4Box(at: position, end: item.end, in: source), data.name == "data" {
      position = data.end
      // The value follows its type and locale.
      guard let type = try source.bytes(at: data.body, count: 4).bigEndian(UInt32.self) else { break }
      firstType = firstType ?? type
      guard isFree ? type == firstType : type == utf8 || untyped.contains(item.name) else {
        if isFree { break } else { continue }
      }
      let value = try source.bytes(at: data.body + 8, count: data.end - data.body - 8)
      // Some programs do not set the text type of free-form items. Values that contain zeros are not text.
      if type != utf8, isFree, value.contains(0) { continue }
      values.append(TagText.utf8(value[...]))
    }
    return values.isEmpty ? nil : (key, values)
  }

  // MARK: Numbers

  private static let numbers: Set<String> = [
    "trkn", "disk", "tmpo", "cpil", "pgap", "pcst", "hdvd", "shwm", "stik", "rtng", "akID", "tvsn", "tves", "cnID",
    "sfID",
    "atID", "geID", "cmID", "plID", "gnre", "©mvi", "©mvc",
  ]

  private static func readNumber(_ item: MP4Box, in source: ByteSource, into tag: inout RawTag) throws(FileReadError) {
    guard let data = try item.child("data", in: source) else { return }
    // The value follows its type and locale.
    let value = try source.bytes(at: data.body + 8, count: min(data.end - data.body - 8, 8))
    switch item.name {
    case "trkn", "disk":
      guard let number = value.bigEndian(UInt16.self, at: 2) else { return }
      tag.add(item.name, "\(number)/\(value.bigEndian(UInt16.self, at: 4) ?? 0)")
    case "gnre":
      // The value is one more than the genre number of ID3v1.
      if let number = value.bigEndian(UInt16.self), let genre = GenreNames.name(Int(number) - 1) {
        tag.add("©gen", genre)
      }
    default:
      if !value.isEmpty { tag.add(item.name, String(value.bigEndianNumber)) }
    }
  }

  // MARK: Pictures

  private static func readPictures(
    of cover: MP4Box, in source: ByteSource, into tag: inout RawTag
  ) throws(FileReadError) {
    var position = cover.body
    for _ in 0..<TagLimits.valueCount {
      guard let data = try MP4Box(at: position, end: cover.end, in: source) else { return }
      position = data.end
      // The picture follows its type and locale.
      let size = data.end - data.body - 8
      guard data.name == "data", size > 0 else { continue }
      let start = try source.bytes(at: data.body + 8, count: min(size, Picture.signatureLength))
      let type = try source.bytes(at: data.body, count: 4).bigEndianNumber
      tag.pictures.append(Picture.described(type: 3, mime: mime(ofType: type), start: start, size: size))
    }
  }

  /// Returns the MIME type for a type code of metadata values (“well-known types” in Apple, QuickTime File Format
  /// Specification); empty for other codes.
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

/// Forms the keys of free-form items, whose boxes are named `----`.
package enum MP4ItemName {
  /// Returns `----`, `mean` and `name`, separated by colons, as in Picard. aacgain ends `mean` and `name` with a NUL,
  /// like C strings.
  package static func key(mean: [UInt8], name: [UInt8]) -> String {
    "----:" + [mean, name].map { TagText.utf8($0.prefix { $0 != 0 }) }.joined(separator: ":")
  }
}
