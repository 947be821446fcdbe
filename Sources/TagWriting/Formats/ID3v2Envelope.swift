internal import MediaContainers
internal import TagReading

/// What stands around the frames of an ID3v2 tag (id3.org: ID3v2.2, 2.3, 2.4). A tag keeps its version.
struct ID3v2Envelope {
  /// The minor version: 2, 3 or 4.
  private let version: UInt8
  private let revision: UInt8
  private var flags: UInt8
  /// Bytes behind the header that there were for frames and padding.
  private let roomSize: Int

  private static let headerSize = 10
  private static let unsynchronization: UInt8 = 0x80
  /// Bytes left free for the next change, if the tag must grow.
  private static let newPadding = 1_024
  private static let largestTag = 1 << 28
  /// Tags that are taken apart in memory.
  private static let sizeLimit = 64 << 20
  /// Frames of text that are read; longer ones are none of those that are written here.
  private static let textLimit = 1 << 20

  /// A tag that is not there yet.
  init() {
    (version, revision, flags, roomSize) = (4, 0, 0, 0)
  }

  /// Takes a tag apart.
  /// - Parameter bytes: The whole tag.
  init(_ bytes: [UInt8], frames: inout [EditableTag.Entry]) throws(TagWriteError) {
    guard bytes.count >= Self.headerSize, bytes.count <= Self.sizeLimit, bytes.has("ID3"), (2...4).contains(bytes[3])
    else { throw Self.odd("is not one of version 2.2, 2.3 or 2.4") }
    (version, revision, flags) = (bytes[3], bytes[4], bytes[5])
    // Unsynchronization, and from 2.3 on the mark of an experiment.
    let allowed: UInt8 = version == 2 ? 0x80 : 0xA0
    guard flags & ~allowed == 0 else { throw Self.odd("has an extended header, a footer or unknown flags") }
    guard bytes[6..<10].allSatisfy({ $0 < 0x80 }), ID3v2Header.syncsafe(bytes[6..<10]) == bytes.count - Self.headerSize
    else { throw Self.odd("does not have the length that it claims") }
    roomSize = bytes.count - Self.headerSize
    var body = Array(bytes[Self.headerSize...])
    if flags & Self.unsynchronization != 0, version < 4 {
      body = ID3v2Tag.resynchronized(body)
      flags &= ~Self.unsynchronization
    }
    frames = try Self.frames(body, version: version, isUnsynchronized: flags & Self.unsynchronization != 0)
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "The ID3v2 tag \(what); such tags are not changed.")
  }

  // MARK: Frames

  private static let shortNames = ["TBP": "TBPM", "TKE": "TKEY", "TXX": "TXXX"]

  private static func frames(
    _ body: [UInt8], version: UInt8, isUnsynchronized: Bool
  ) throws(TagWriteError) -> [EditableTag.Entry] {
    let idLength = version == 2 ? 3 : 4
    let headerSize = version == 2 ? 6 : 10
    var frames: [EditableTag.Entry] = []
    var position = 0
    while position < body.count, body[position] != 0 {
      let header = body[position..<min(position + headerSize, body.count)]
      guard header.count == headerSize, isFrameID(header.prefix(idLength)) else {
        throw odd("is damaged after byte \(position)")
      }
      let sizeField = header.dropFirst(idLength).prefix(idLength)
      guard version < 4 || sizeField.allSatisfy({ $0 < 0x80 }) else { throw odd("has a frame with a wrong length") }
      let size = version == 4 ? ID3v2Header.syncsafe(sizeField) : Int(sizeField.bigEndianNumber)
      let end = position + headerSize + size
      guard end <= body.count else { throw odd("breaks off inside a frame") }
      let content = body[position + headerSize..<end]
      let flags =
        version == 2
        ? ID3v2FrameFlags() : ID3v2FrameFlags(header[header.startIndex + 9], version: Int(version))
      var entry = EditableTag.Entry(bytes: Array(body[position..<end]))
      if let (key, values) = text(
        String(decoding: header.prefix(idLength), as: UTF8.self), content, flags, isUnsynchronized: isUnsynchronized)
      {
        (entry.key, entry.values) = (key, values)
      }
      frames.append(entry)
      position = end
    }
    // What looks like padding may be the inside of a frame whose length was wrong.
    guard body[position...].allSatisfy({ $0 == 0 }) else { throw odd("has something other than zeros in its padding") }
    return frames
  }

  /// Three letters and a space or NUL are a slip of old programs, and kept.
  private static func isFrameID(_ bytes: ArraySlice<UInt8>) -> Bool {
    func isPart(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) }
    guard let last = bytes.last else { return false }
    return bytes.dropLast().allSatisfy(isPart) && (isPart(last) || bytes.count == 4 && (last == 0 || last == 0x20))
  }

  /// The key and the values of a frame of text.
  private static func text(
    _ id: String, _ content: ArraySlice<UInt8>, _ flags: ID3v2FrameFlags, isUnsynchronized: Bool
  ) -> (key: String, values: [String])? {
    let name = shortNames[id] ?? id
    guard name.hasPrefix("T"), name.utf8.count == 4, (1...textLimit).contains(content.count),
      !flags.isCompressed, !flags.isEncrypted, !flags.isGrouped,
      let body = flags.decoded(Array(content), unsynchronized: isUnsynchronized), let encoding = body.first,
      var text = ID3v2Text(encoding: encoding, body[1...])
    else { return nil }
    let key = name == "TXXX" ? "TXXX:" + text.next() : name
    return (key, text.all().filter { !$0.isEmpty })
  }

  /// A frame of text, in the encoding that takes least and that the version knows.
  func frame(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    let parts = key.split(separator: ":", maxSplits: 1)
    let name = String(parts.first ?? "")
    let texts = (name == "TXXX" ? [String(parts.dropFirst().first ?? "")] : []) + values
    let isLatin1 = texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value < 0x80 } }
    var body: [UInt8]
    if isLatin1 || version == 4 {
      body = [isLatin1 ? 0 : 3] + Array(texts.map { Array($0.utf8) }.joined(separator: [0]))
    } else {
      let wide = texts.map { [0xFF, 0xFE] + $0.utf16.flatMap(\.littleEndianBytes) }
      body = [1] + Array(wide.joined(separator: [0, 0]))
    }
    let size = body.count
    switch version {
    case 2:
      let id = Self.shortNames.first { $0.value == name }?.key ?? name
      body = Array(id.utf8) + UInt32(size).bigEndianBytes.dropFirst() + body
    case 3: body = Array(name.utf8) + UInt32(size).bigEndianBytes + [0, 0] + body
    default:
      // With the flag of the tag, frames have it too. ASCII and UTF-8 stay as they are under it.
      let flag: UInt8 = flags & Self.unsynchronization != 0 ? 2 : 0
      body = Array(name.utf8) + Self.syncsafe(size) + [0, flag] + body
    }
    return [body]
  }

  // MARK: The tag

  /// The tag with these frames; nothing if there are none, since a tag must have one.
  /// - Parameter isEven: Its length must be even, as that of a chunk.
  func tag(_ frames: EditableTag, isEven: Bool = false) throws(TagWriteError) -> [UInt8] {
    let content = frames.bytes
    guard !content.isEmpty else { return [] }
    var size = content.count <= roomSize ? roomSize : content.count + Self.newPadding
    if isEven { size += size % 2 }
    guard size < Self.largestTag else { throw TagWriteError(.noRoom, "The ID3v2 tag would become too large.") }
    return Array("ID3".utf8) + [version, revision, flags] + Self.syncsafe(size) + content
      + [UInt8](repeating: 0, count: size - content.count)
  }

  private static func syncsafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }
}
