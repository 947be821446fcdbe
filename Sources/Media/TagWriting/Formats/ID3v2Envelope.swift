internal import MediaContainers
internal import TagReading

/// The parts of an ID3v2 tag that enclose its frames (id3.org: ID3v2.2, 2.3, 2.4). A tag keeps its version.
struct ID3v2Envelope {
  /// The minor version: 2, 3 or 4.
  private let version: UInt8
  private let revision: UInt8
  private var flags: UInt8
  /// Number of bytes that the original tag had for frames and padding.
  private let roomSize: Int

  private static let headerSize = 10
  private static let unsynchronization: UInt8 = 0x80
  /// Number of bytes of padding, for later changes, that are added when the tag has to grow.
  private static let newPadding = 1_024
  private static let maxTagSize = 1 << 28
  /// Maximum size of an unsynchronized tag, which is parsed in memory.
  private static let sizeLimit = 64 << 20
  private static let blockSize = 1 << 16
  /// Maximum number of bytes read from a text frame. Frames written by this module are shorter.
  private static let textLimit = 1 << 20

  /// Creates a tag for a file that does not have one yet.
  init() {
    (version, revision, flags, roomSize) = (4, 0, 0, 0)
  }

  /// Parses a tag.
  ///
  /// - Parameter region: The whole tag.
  init(_ source: ByteSource, _ region: Range<Int>, frames: inout [EditableTag.Entry]) throws {
    let header = try source.bytes(at: region.lowerBound, count: Self.headerSize)
    guard header.count == Self.headerSize, header.has("ID3"), (2...4).contains(header[3]) else {
      throw Self.odd("is not one of version 2.2, 2.3 or 2.4")
    }
    (version, revision, flags) = (header[3], header[4], header[5])
    // Only unsynchronization and, from 2.3 on, the experimental flag are allowed.
    let allowed: UInt8 = version == 2 ? 0x80 : 0xA0
    guard flags & ~allowed == 0 else { throw Self.odd("has an extended header, a footer or unknown flags") }
    guard header[6..<10].allSatisfy({ $0 < 0x80 }),
      ID3v2Header.syncsafe(header[6..<10]) == region.count - Self.headerSize
    else { throw Self.odd("does not have the length that it claims") }
    roomSize = region.count - Self.headerSize
    let body = region.dropFirst(Self.headerSize)
    if flags & Self.unsynchronization != 0, version < 4 {
      guard region.count <= Self.sizeLimit else { throw Self.odd("is larger than any real one that is unsynchronized") }
      flags &= ~Self.unsynchronization
      let bytes = ID3v2Tag.resynchronized(try source.bytes(at: body.lowerBound, count: body.count))
      frames = try Self.frames(ByteSource(bytes), 0..<bytes.count, version: version, isUnsynchronized: false)
      // The file does not contain the decoded bytes.
      for index in frames.indices {
        if case .original(let range) = frames[index].content { frames[index].content = .bytes(Array(bytes[range])) }
      }
    } else {
      frames = try Self.frames(
        source, body, version: version, isUnsynchronized: flags & Self.unsynchronization != 0)
    }
  }

  private static func odd(_ what: String) -> TagWriteError {
    TagWriteError(.oddStructure, "The ID3v2 tag \(what); such tags are not changed.")
  }

  // MARK: Frames

  private static let shortNames = ["TBP": "TBPM", "TKE": "TKEY", "TXX": "TXXX"]

  private static func frames(
    _ source: ByteSource, _ body: Range<Int>, version: UInt8, isUnsynchronized: Bool
  ) throws -> [EditableTag.Entry] {
    let idLength = version == 2 ? 3 : 4
    let headerSize = version == 2 ? 6 : 10
    var frames: [EditableTag.Entry] = []
    var position = body.lowerBound
    while position < body.upperBound {
      let header = try source.bytes(at: position, count: min(headerSize, body.upperBound - position))
      guard header.first != 0 else { break }
      guard header.count == headerSize, isFrameID(header.prefix(idLength)) else {
        throw odd("is damaged after byte \(position)")
      }
      let sizeField = header.dropFirst(idLength).prefix(idLength)
      guard version < 4 || sizeField.allSatisfy({ $0 < 0x80 }) else { throw odd("has a frame with a wrong length") }
      let size = version == 4 ? ID3v2Header.syncsafe(sizeField) : Int(sizeField.bigEndianNumber)
      let content = position + headerSize..<position + headerSize + size
      guard content.upperBound <= body.upperBound else { throw odd("breaks off inside a frame") }
      let flags = version == 2 ? ID3v2FrameFlags() : ID3v2FrameFlags(header[9], version: Int(version))
      let id = String(decoding: header.prefix(idLength), as: UTF8.self)
      var entry = EditableTag.Entry(
        isText: textMarks.contains { id.hasPrefix($0) }, content: .original(position..<content.upperBound))
      if mayBeText(id, size: size),
        let (key, values) = text(
          id, try source.bytes(at: content.lowerBound, count: size)[...], flags, isUnsynchronized: isUnsynchronized)
      {
        (entry.key, entry.values) = (key, values)
      }
      frames.append(entry)
      position = content.upperBound
    }
    // Bytes that look like padding may be part of a frame with a wrong length.
    while position < body.upperBound {
      let padding = try source.bytes(at: position, count: min(blockSize, body.upperBound - position))
      guard !padding.isEmpty, padding.allSatisfy({ $0 == 0 }) else {
        throw odd("has something other than zeros in its padding")
      }
      position += padding.count
    }
    return frames
  }

  /// Prefixes of the names of frames that programs show as text: texts, links, comments, lyrics, private data.
  private static let textMarks = ["T", "W", "COM", "USLT", "ULT", "PRIV"]

  private static func mayBeText(_ id: String, size: Int) -> Bool {
    let name = shortNames[id] ?? id
    return name.hasPrefix("T") && name.utf8.count == 4 && (1...textLimit).contains(size)
  }

  /// Also accepts three letters followed by a space or NUL, which old programs write.
  private static func isFrameID(_ bytes: ArraySlice<UInt8>) -> Bool {
    func isPart(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) }
    guard let last = bytes.last else { return false }
    return bytes.dropLast().allSatisfy(isPart) && (isPart(last) || bytes.count == 4 && (last == 0 || last == 0x20))
  }

  /// Returns the key and the values of a text frame; `nil` if it is compressed, encrypted, grouped or damaged.
  private static func text(
    _ id: String, _ content: ArraySlice<UInt8>, _ flags: ID3v2FrameFlags, isUnsynchronized: Bool
  ) -> (key: String, values: [String])? {
    let name = shortNames[id] ?? id
    guard !flags.isCompressed, !flags.isEncrypted, !flags.isGrouped,
      let body = flags.decoded(Array(content), unsynchronized: isUnsynchronized), let encoding = body.first,
      var text = ID3v2Text(encoding: encoding, body[1...])
    else { return nil }
    let key = name == "TXXX" ? "TXXX:" + text.next() : name
    return (key, text.all().filter { !$0.isEmpty })
  }

  /// Returns `true` if a frame can be created for the key.
  static func hasFrame(for key: String) -> Bool {
    key == "COMM" || key == "USLT" || key.hasPrefix("UFID:")
      || key.hasPrefix("T") && (key.utf8.count == 4 && key != "TMCL" && key != "TIPL" || key.hasPrefix("TXXX:"))
  }

  /// Creates the frames for a key, with text in the most compact encoding that the tag's version supports.
  func frame(_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]] {
    let parts = key.split(separator: ":", maxSplits: 1)
    let name = String(parts.first ?? "")
    let description = String(parts.dropFirst().first ?? "")
    switch name {
    case "UFID":
      return try values.map { value throws(TagWriteError) in
        try frame(name, [Array(description.utf8) + [0] + Array(value.utf8)])
      }
    case "COMM", "USLT":
      // Each frame contains one text, with an unknown language and no description.
      return try values.map { value throws(TagWriteError) in
        let (encoding, texts) = encoded(["", value])
        return try frame(name, [[encoding] + Array("XXX".utf8) + texts])
      }
    default:
      let (encoding, texts) = encoded((name == "TXXX" ? [description] : []) + values)
      return [try frame(name, [[encoding] + texts])]
    }
  }

  /// Returns the start of an attached picture (2.4 section 4.14), up to the data of the picture; `nil` if the tag
  /// cannot store it unchanged.
  func pictureHead(type: UInt8, mime: String, description: String, size: Int) -> [UInt8]? {
    guard version > 2, flags & Self.unsynchronization == 0 else { return nil }
    let (encoding, text) = encoded([description])
    let body = [encoding] + Array(mime.utf8) + [0, type] + text + [UInt8](repeating: 0, count: encoding == 1 ? 2 : 1)
    return try? frame("APIC", [body], dataSize: size)
  }

  private func encoded(_ texts: [String]) -> (encoding: UInt8, bytes: [UInt8]) {
    let isASCII = texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value < 0x80 } }
    if isASCII || version == 4 { return (isASCII ? 0 : 3, Array(texts.map { Array($0.utf8) }.joined(separator: [0]))) }
    let wide = texts.map { [0xFF, 0xFE] + $0.utf16.flatMap(\.littleEndianBytes) }
    return (1, Array(wide.joined(separator: [0, 0])))
  }

  /// - Parameter dataSize: Number of bytes that will follow the bytes created here.
  private func frame(_ name: String, _ parts: [[UInt8]], dataSize: Int = 0) throws(TagWriteError) -> [UInt8] {
    let body = parts.flatMap(\.self)
    let size = body.count + dataSize
    switch version {
    case 2:
      guard let id = Self.shortNames.first(where: { $0.value == name })?.key else {
        throw TagWriteError(.noRoom, "\(name) cannot be written to an ID3v2.2 tag.")
      }
      return Array(id.utf8) + UInt32(size).bigEndianBytes.dropFirst() + body
    case 3: return Array(name.utf8) + UInt32(size).bigEndianBytes + [0, 0] + body
    default:
      // If the flag is set for the tag, it must be set for its frames, too. Unsynchronization does not change ASCII and
      // UTF-8.
      let flag: UInt8 = flags & Self.unsynchronization != 0 ? 2 : 0
      return Array(name.utf8) + Self.syncsafe(size) + [0, flag] + body
    }
  }

  // MARK: Tag

  /// Returns the tag with these frames; empty if there are none, because a tag needs at least one frame.
  ///
  /// - Parameter isEven: `true` if the length must be even, as in a chunk.
  func tag(_ frames: EditableTag, isEven: Bool = false) throws(TagWriteError) -> FileSplice {
    var splice = FileSplice()
    let content = frames.content
    let count = content.size
    guard count > 0 else { return splice }
    var size = count <= roomSize ? roomSize : count + Self.newPadding
    if isEven { size += size % 2 }
    guard size < Self.maxTagSize else { throw TagWriteError(.noRoom, "The ID3v2 tag would become too large.") }
    splice.add(Array("ID3".utf8) + [version, revision, flags] + Self.syncsafe(size))
    splice.add(content)
    splice.add(zeros: size - count)
    return splice
  }

  private static func syncsafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
  }
}
