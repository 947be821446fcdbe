// Builds tags and files byte by byte, from their specifications and independently of the code under test.

typealias Bytes = [UInt8]

func big(_ value: Int, _ count: Int) -> Bytes {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func little(_ value: Int, _ count: Int) -> Bytes {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

func syncsafe(_ value: Int) -> Bytes {
  [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
}

func utf16(_ text: String, bigEndian: Bool = false) -> Bytes {
  text.utf16.flatMap { bigEndian ? big(Int($0), 2) : little(Int($0), 2) }
}

func wide(_ text: String) -> Bytes { [0xFF, 0xFE] + utf16(text) }

extension Bytes {
  static func + (bytes: Bytes, text: String) -> Bytes { bytes + Array(text.utf8) }
  static func + (text: String, bytes: Bytes) -> Bytes { Array(text.utf8) + bytes }
}

/// ID3v2.
enum ID3 {
  static func tag(_ version: Int, _ frames: Bytes..., flags: UInt8 = 0, size: Int? = nil) -> Bytes {
    let body = frames.flatMap { $0 }
    return "ID3" + ([UInt8(version), 0, flags] + syncsafe(size ?? body.count) + body)
  }

  /// - Parameter flags: The second byte of the frame's flags.
  static func frame(_ id: String, _ version: Int, _ body: Bytes, flags: UInt8 = 0, size: Int? = nil) -> Bytes {
    let size = size ?? body.count
    switch version {
    case 2: return id + (big(size, 3) + body)
    case 3: return id + (big(size, 4) + [0, flags] + body)
    default: return id + (syncsafe(size) + [0, flags] + body)
    }
  }

  /// A text frame in Latin-1 or, from 2.4 on, UTF-8.
  static func text(_ id: String, _ version: Int, _ text: String) -> Bytes {
    frame(id, version, [version == 4 ? 3 : 0] + text)
  }

  static func unsynchronized(_ bytes: Bytes) -> Bytes {
    var result: Bytes = []
    for (index, byte) in bytes.enumerated() {
      result.append(byte)
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if byte == 0xFF, next == 0 || next >= 0xE0 { result.append(0) }
    }
    return result
  }
}

/// ID3v1.1.
func id3v1(
  title: String, artist: String = "", comment: String = "", year: String = "", track: UInt8 = 0, genre: UInt8 = 255
) -> Bytes {
  func field(_ text: String, _ size: Int) -> Bytes {
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return Array((bytes + Bytes(repeating: 0, count: size)).prefix(size))
  }
  return "TAG"
    + (field(title, 30) + field(artist, 30) + field("", 30) + field(year, 4) + field(comment, 28) + [0, track, genre])
}

/// Vorbis comments, FLAC and Ogg.
enum Xiph {
  static func comment(_ comments: [Bytes], count: Int? = nil) -> Bytes {
    little(6, 4) + "vendor" + (little(count ?? comments.count, 4) + comments.flatMap { little($0.count, 4) + $0 })
  }

  static func comment(_ comments: String...) -> Bytes { comment(comments.map { Bytes($0.utf8) }) }

  static func picture(type: Int = 3, mime: String = "image/png", description: String = "", data: Bytes) -> Bytes {
    let fields = big(type, 4) + big(mime.utf8.count, 4) + mime + big(description.utf8.count, 4) + description
    return fields + Bytes(repeating: 0, count: 16) + big(data.count, 4) + data
  }

  static func flac(_ blocks: [(UInt8, Bytes)]) -> Bytes {
    var file = Bytes("fLaC".utf8) + [0] + big(34, 3) + Bytes(repeating: 0, count: 34)
    for (index, (kind, body)) in blocks.enumerated() {
      file += [kind | (index == blocks.count - 1 ? 0x80 : 0)] + big(body.count, 3) + body
    }
    return file
  }

  /// Pages that carry whole packets, from page `sequence` on.
  static func pages(serial: Int, sequence: Int, packets: [Bytes], isFirst: Bool = false) -> Bytes {
    var segments: [Bytes] = []
    var lacing: Bytes = []
    for packet in packets {
      var rest = packet[...]
      repeat {
        let segment = Bytes(rest.prefix(255))
        rest = rest.dropFirst(255)
        segments.append(segment)
        lacing.append(UInt8(segment.count))
      } while lacing.last == 255
    }
    var pages: Bytes = []
    for (number, start) in stride(from: 0, to: lacing.count, by: 255).enumerated() {
      let part = start..<min(start + 255, lacing.count)
      pages +=
        "OggS" + ([0, isFirst ? 2 : 0] + big(0, 8) + little(serial, 4) + little(sequence + number, 4) + big(0, 4))
      pages += [UInt8(part.count)] + lacing[part] + segments[part].flatMap { $0 }
    }
    return pages
  }

  static func ogg(_ identification: Bytes, _ headers: [Bytes], serial: Int = 7) -> Bytes {
    pages(serial: serial, sequence: 0, packets: [identification], isFirst: true)
      + pages(serial: serial, sequence: 1, packets: headers)
  }
}

/// MP4.
enum MP4 {
  static func atom(_ name: String, _ body: Bytes) -> Bytes {
    big(body.count + 8, 4) + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + body
  }

  static func data(_ type: Int, _ value: Bytes) -> Bytes { atom("data", big(type, 4) + big(0, 4) + value) }

  static func text(_ name: String, _ values: String...) -> Bytes {
    atom(name, values.flatMap { data(1, Bytes($0.utf8)) })
  }

  static func free(_ name: String, _ values: String..., mean: String = "com.apple.iTunes") -> Bytes {
    let head = atom("mean", big(0, 4) + mean) + atom("name", big(0, 4) + name)
    return atom("----", head + values.flatMap { data(1, Bytes($0.utf8)) })
  }

  static func file(_ items: Bytes...) -> Bytes {
    let list = atom("ilst", items.flatMap { $0 })
    let meta = atom("meta", big(0, 4) + atom("hdlr", Bytes(repeating: 0, count: 25)) + list)
    return atom("ftyp", Bytes("M4A \0\0\0\0".utf8)) + atom("moov", atom("mvhd", big(0, 100)) + atom("udta", meta))
  }
}

/// APEv2.
enum APE {
  static func item(_ key: String, _ value: Bytes, isBinary: Bool = false) -> Bytes {
    little(value.count, 4) + little(isBinary ? 2 : 0, 4) + key + ([0] + value)
  }

  static func tag(_ items: Bytes..., count: Int? = nil, size: Int? = nil) -> Bytes {
    let body = items.flatMap { $0 }
    return body + "APETAGEX" + little(2000, 4) + little(size ?? body.count + 32, 4) + little(count ?? items.count, 4)
      + Bytes(repeating: 0, count: 12)
  }
}

/// ASF.
enum ASF {
  private static let tail: Bytes = [0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C]
  private static let header: Bytes = [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11] + tail
  private static let contentDescription: Bytes = [0x33, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11] + tail
  private static let extendedContentDescription: Bytes = [
    0x40, 0xA4, 0xD0, 0xD2, 0x07, 0xE3, 0xD2, 0x11, 0x97, 0xF0, 0x00, 0xA0, 0xC9, 0x5E, 0xA8, 0x50,
  ]
  private static let headerExtension: Bytes = [
    0xB5, 0x03, 0xBF, 0x5F, 0x2E, 0xA9, 0xCF, 0x11, 0x8E, 0xE3, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]
  private static let metadataLibrary: Bytes = [
    0x94, 0x1C, 0x23, 0x44, 0x98, 0x94, 0xD1, 0x49, 0xA1, 0x41, 0x1D, 0x13, 0x4E, 0x45, 0x70, 0x54,
  ]

  private static func object(_ id: Bytes, _ body: Bytes) -> Bytes { id + little(body.count + 24, 8) + body }

  static func description(title: String, author: String, comment: String) -> Bytes {
    let texts = [title, author, "", comment, ""].map { utf16($0) + [0, 0] }
    return object(contentDescription, texts.flatMap { little($0.count, 2) } + texts.flatMap { $0 })
  }

  static func extended(_ attributes: [(String, Int, Bytes)], count: Int? = nil) -> Bytes {
    let entries = attributes.flatMap { name, type, value -> Bytes in
      let name = utf16(name) + [0, 0]
      return little(name.count, 2) + name + little(type, 2) + little(value.count, 2) + value
    }
    return object(extendedContentDescription, little(count ?? attributes.count, 2) + entries)
  }

  static func library(_ attributes: [(String, Int, Bytes)]) -> Bytes {
    let entries = attributes.flatMap { name, type, value -> Bytes in
      let name = utf16(name) + [0, 0]
      return big(0, 4) + little(name.count, 2) + little(type, 2) + little(value.count, 4) + name + value
    }
    let inner = object(metadataLibrary, little(attributes.count, 2) + entries)
    return object(headerExtension, Bytes(repeating: 0, count: 18) + little(inner.count, 4) + inner)
  }

  static func file(_ objects: Bytes...) -> Bytes {
    object(header, little(objects.count, 4) + [1, 2] + objects.flatMap { $0 })
  }
}

/// EBML and Matroska.
enum Matroska {
  /// - Parameter size: Eight bytes; `nil` for the true size.
  static func element(_ id: Int, _ body: Bytes, size: Bytes? = nil) -> Bytes {
    let idLength = id > 0xFF_FFFF ? 4 : id > 0xFFFF ? 3 : id > 0xFF ? 2 : 1
    return big(id, idLength) + (size ?? [1] + big(body.count, 7)) + body
  }

  static func text(_ id: Int, _ text: String) -> Bytes { element(id, Bytes(text.utf8)) }

  static func simpleTag(_ name: String, _ value: String) -> Bytes {
    element(0x67C8, text(0x45A3, name) + text(0x4487, value))
  }

  /// - Parameter level: 50 for the album, 30 for the track.
  static func tag(level: Int?, _ simpleTags: Bytes...) -> Bytes {
    let targets = element(0x63C0, level.map { element(0x68CA, [UInt8($0)]) } ?? [])
    return element(0x7373, targets + simpleTags.flatMap { $0 })
  }

  static func chapter(_ start: Int, _ end: Int?, _ title: String) -> Bytes {
    let display = element(0x80, text(0x85, title))
    return element(0xB6, element(0x91, big(start, 8)) + (end.map { element(0x92, big($0, 8)) } ?? []) + display)
  }

  static func file(_ elements: Bytes..., size: Bytes? = nil) -> Bytes {
    element(0x1A45_DFA3, text(0x4282, "matroska")) + element(0x1853_8067, elements.flatMap { $0 }, size: size)
  }
}

/// RIFF and AIFF.
enum Chunks {
  static func chunk(_ id: String, _ body: Bytes, bigEndian: Bool = false, size: Int? = nil) -> Bytes {
    let size = size ?? body.count
    return id + ((bigEndian ? big(size, 4) : little(size, 4)) + body + (body.count % 2 == 1 ? [0] : []))
  }

  static func info(_ fields: [(String, String)]) -> Bytes {
    chunk("LIST", "INFO" + fields.flatMap { chunk($0, Bytes($1.utf8) + [0]) })
  }

  static func wav(_ chunks: Bytes..., id: String = "RIFF") -> Bytes {
    let body = "WAVE" + (chunk("fmt ", Bytes(repeating: 0, count: 16)) + chunks.flatMap { $0 })
    return id + (little(body.count, 4) + body)
  }

  static func aiff(_ chunks: Bytes...) -> Bytes {
    let body = "AIFF" + (chunk("COMM", Bytes(repeating: 0, count: 18), bigEndian: true) + chunks.flatMap { $0 })
    return "FORM" + (big(body.count, 4) + body)
  }
}

/// Resembles the start of MPEG audio, so the data after a tag looks like a file.
let audio: Bytes = [0xFF, 0xFB, 0x90, 0x64] + Bytes(repeating: 0, count: 413)

let png: Bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 1, 2, 3]
let jpeg: Bytes = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46]

/// A zlib stream (RFC 1950, 1951) of stored blocks.
func stored(_ content: Bytes) -> Bytes {
  precondition(content.count < 65_536)
  let size = content.count
  return [0x78, 0x01, 1] + little(size, 2) + little(~size & 0xFFFF, 2) + content + big(adler32(content), 4)
}

/// A zlib stream that repeats one byte for about `count` bytes, in one block with fixed codes: a literal, then matches
/// of length 258 at distance 1, each in 13 bits.
func bomb(_ count: Int) -> Bytes {
  var bytes: Bytes = [0x78, 0x01]
  var bits = 0
  var bitCount = 0
  func put(_ value: Int, _ count: Int) {
    bits |= value << bitCount
    bitCount += count
    while bitCount >= 8 {
      bytes.append(UInt8(bits & 0xFF))
      bits >>= 8
      bitCount -= 8
    }
  }
  // Codes are written from the most significant bit: 'A' is 0x71 in 8 bits, length 258 is 0xC5 in 8, distance 1 is 0 in
  // 5.
  put(1, 1)
  put(1, 2)
  put(0b1000_1110, 8)
  for _ in 0..<(count / 258) {
    put(0b1010_0011, 8)
    put(0, 5)
  }
  put(0, 7)
  put(0, 7)
  return bytes + big(0, 4)
}

private func adler32(_ bytes: Bytes) -> Int {
  var a = 1
  var b = 0
  for byte in bytes {
    a = (a + Int(byte)) % 65_521
    b = (b + a) % 65_521
  }
  return b << 16 | a
}
