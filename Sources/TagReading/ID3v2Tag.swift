internal import Analysis
internal import CTagLib

/// An ID3v2 tag (id3.org: ID3v2.2, 2.3, 2.4), made harmless for TagLib 1.13: the frames of interest are undone of
/// unsynchronisation and compression within bounds, pictures are measured in place, and what is left goes to TagLib as
/// a plain tag.
struct ID3v2Tag {
  private let source: ByteSource
  private let offset: Int
  private let header: ID3v2Header
  private var version: Int { header.version }
  private var isUnsynchronised: Bool { header.flags & 0x80 != 0 }
  /// The same bit means compression of the whole tag in version 2.2, which nobody ever defined.
  private var hasExtendedHeader: Bool { version > 2 && header.flags & 0x40 != 0 }
  /// Length of everything between the header and the footer.
  private let bodySize: Int
  /// Where the file goes on after the tag, as the tag says.
  let end: Int

  private static let headerSize = 10

  /// The tag at `offset`; `nil` if there is none of a known version.
  init?(in source: ByteSource, at offset: Int) throws(TagReadError) {
    guard let header = try ID3v2Header(at: offset, in: source), header.isKnown, header.version >= 2 else { return nil }
    self.source = source
    self.offset = offset
    self.header = header
    bodySize = Int(header.bodySize)
    end = Int(header.end)
  }

  func read() throws(TagReadError) -> RawTag {
    var walk = Walk(tag: RawTag(.id3v2(version)), version: version)
    let start = offset + Self.headerSize
    if header.hasOddSize {
      walk.tag.remarks.append(
        "The size of the ID3v2 tag has bits set that must be zero; the tag was read as one of \(bodySize) bytes.")
    }
    if end > source.size {
      walk.tag.remarks.append("The ID3v2 tag claims to be longer than the file; what is there was read.")
    }
    if isUnsynchronised, version < 4 {
      // Sizes count the bytes after decoding here, so that the tag must be decoded as a whole.
      if bodySize > TagBlock.maximumSize {
        walk.tag.remarks.append("The ID3v2 tag claims \(bodySize) bytes; only the start of it was read.")
      }
      let body = try source.bytes(at: start, count: min(bodySize, TagBlock.maximumSize))
      let decoded = ByteSource(Self.resynchronised(body))
      try walk.frames(of: decoded, from: extendedHeaderSize(in: decoded, at: 0), to: decoded.size)
    } else {
      walk.allFramesAreUnsynchronised = isUnsynchronised
      let end = min(start + bodySize, source.size)
      try walk.frames(of: source, from: start + extendedHeaderSize(in: source, at: start), to: end)
    }
    walk.finish()
    return walk.tag
  }

  private func extendedHeaderSize(in source: ByteSource, at offset: Int) throws(TagReadError) -> Int {
    guard hasExtendedHeader else { return 0 }
    let bytes = try source.bytes(at: offset, count: 4)
    // Some writers set the flag and write no extended header.
    if Walk.isFrameID(bytes[...]) { return 0 }
    // Version 2.4 counts the four bytes of the size, 2.3 does not.
    return version == 4 ? Self.syncsafe(bytes[...]) ?? 0 : Int(bytes.bigEndian()) + 4
  }

  /// Four bytes of seven bits each; `nil` if one of them has an eighth.
  static func syncsafe(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return bytes.reduce(0) { $0 << 7 | Int($1) }
  }

  /// Undoes unsynchronisation: the zero after each 0xFF goes. Unsynchronised data never has a byte of 0xE0 or more
  /// after 0xFF; where it does, the flag was a lie and the data is taken as it stands.
  static func resynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if previous == 0xFF {
        if byte >= 0xE0 { return bytes }
        if byte == 0 {
          previous = 0
          continue
        }
      }
      decoded.append(byte)
      previous = byte
    }
    return decoded
  }
}

/// Goes through the frames of one tag.
private struct Walk {
  var tag: RawTag
  let version: Int
  var allFramesAreUnsynchronised = false
  /// Frames for TagLib, with plain flags.
  private var plain: [UInt8] = []
  private var plainCount = 0
  private var truncatedCount = 0
  private var refusedCount = 0
  private var hasOtherTimedTexts = false
  /// Bytes of the frames that are parsed here and not by TagLib.
  private var textBudget = TagBlock.maximumTextSize

  private var idLength: Int { version == 2 ? 3 : 4 }
  private var headerSize: Int { version == 2 ? 6 : 10 }

  init(tag: RawTag, version: Int) {
    self.tag = tag
    self.version = version
  }

  static func isFrameID(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
  }

  mutating func frames(of source: ByteSource, from start: Int, to end: Int) throws(TagReadError) {
    var position = start
    while position + headerSize < end, plainCount < TagBlock.maximumValueCount {
      let header = try source.bytes(at: position, count: headerSize)
      guard header.count == headerSize, let id = frameID(header) else {
        // Padding is zeros.
        if header.contains(where: { $0 != 0 }) {
          tag.remarks.append("The ID3v2 tag is damaged after byte \(position); the rest of it was not read.")
        }
        break
      }
      let size = try frameSize(header, of: source, at: position, end: end)
      let bodyStart = position + headerSize
      guard bodyStart + size <= end else {
        truncatedCount += 1
        break
      }
      position = bodyStart + size
      guard size > 0, let content = Content(id) else { continue }
      let flags = version == 2 ? FrameFlags() : FrameFlags(header[9], version: version)
      try frame(id, content, flags, of: source, at: bodyStart, size: size)
    }
    if plainCount == TagBlock.maximumValueCount {
      tag.remarks.append("The ID3v2 tag has more than \(plainCount) frames; the rest was left out.")
    }
  }

  /// What a frame holds that is of interest.
  private enum Content {
    case text, picture, lyrics, timedLyrics, people, chapter, podcast

    init?(_ id: String) {
      switch id {
      case "APIC", "PIC": self = .picture
      case "SYLT", "SLT": self = .timedLyrics
      case "USLT", "ULT": self = .lyrics
      case "IPLS", "IPL", "TIPL", "TMCL": self = .people
      case "CHAP": self = .chapter
      case "PCST": self = .podcast
      case "COMM", "COM", "UFID", "UFI", "POPM", "POP", "GRP1", "MVNM", "MVIN": self = .text
      case _ where id.hasPrefix("T") || id.hasPrefix("W"): self = .text
      default: return nil
      }
    }

    /// By this type and not by TagLib.
    var isParsedHere: Bool {
      switch self {
      case .lyrics, .timedLyrics, .people, .chapter: true
      case .text, .picture, .podcast: false
      }
    }
  }

  /// The identifier, or `nil` where frames end (padding, junk). Lower-case letters are wrong, but some writers use
  /// them. iTunes puts identifiers of version 2.2, with a NUL, into tags of version 2.3.
  private func frameID(_ header: [UInt8]) -> String? {
    let id = header.prefix(idLength)
    if Self.isFrameID(ArraySlice(id.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 })) {
      // Frames of 2.4 were tried out in 2.3 with an X in front: sort names, and the original date.
      let isTrial = version == 3 && ["XSOP", "XSOA", "XSOT", "XDOR"].contains { id.elementsEqual($0.utf8) }
      return (isTrial ? "T" : "") + String(decoding: isTrial ? id.dropFirst() : id, as: UTF8.self)
    }
    guard version == 3, id.last == 0, Self.isFrameID(id.dropLast()) else { return nil }
    return String(decoding: id.dropLast(), as: UTF8.self)
  }

  /// Length of the frame's content. Version 2.4 has seven bits to a byte and the others eight, but writers (old iTunes
  /// among them) mix them up: the other reading counts if only with it another frame, padding or the end follows.
  private func frameSize(
    _ header: [UInt8], of source: ByteSource, at position: Int, end: Int
  ) throws(TagReadError) -> Int {
    if version == 2 { return Int(header[3...].bigEndian(3)) }
    let plain = Int(header[4...].bigEndian())
    let syncsafe = ID3v2Tag.syncsafe(header[4..<8])
    let (first, second) = version == 4 ? (syncsafe ?? plain, plain) : (plain, syncsafe ?? plain)
    if first == second { return first }
    for size in [first, second] {
      let next = position + headerSize + size
      if next == end { return size }
      guard next < end else { continue }
      let following = try source.bytes(at: next, count: min(headerSize, end - next))
      if following.first == 0 || following.count == headerSize && Self.isFrameID(following.prefix(3)) { return size }
    }
    return first
  }

  private mutating func frame(
    _ id: String, _ content: Content, _ flags: FrameFlags, of source: ByteSource, at start: Int, size: Int
  ) throws(TagReadError) {
    let isEncoded = flags.isEncoded || allFramesAreUnsynchronised
    switch content {
    case .podcast: tag.entries.append(RawTag.Entry(key: id, value: "1"))
    case .picture where !isEncoded:
      // The picture itself is not read.
      let head = try source.bytes(at: start, count: min(size, ByteSource.windowSize / 2))
      addPicture(id, head, size: size)
    case .picture where size > TagBlock.maximumSize: refusedCount += 1
    case .text where size > TagBlock.maximumTextSize - plain.count, _ where content.isParsedHere && size > textBudget:
      refusedCount += 1
    default:
      var body = try source.bytes(at: start, count: size)
      guard body.count == size else {
        truncatedCount += 1
        return
      }
      if isEncoded {
        guard let decoded = flags.decoded(body, unsynchronised: allFramesAreUnsynchronised) else {
          refusedCount += 1
          return
        }
        body = decoded
      }
      if content.isParsedHere {
        textBudget -= size
        if body.count > TagBlock.maximumTextSize || !parse(id, content, body) { refusedCount += 1 }
      } else if case .picture = content {
        addPicture(id, body, size: body.count)
      } else {
        add(id, body)
      }
    }
  }

  /// Takes what TagLib knows nothing of, or only half. False if the frame is damaged.
  private mutating func parse(_ id: String, _ content: Content, _ body: [UInt8]) -> Bool {
    guard tag.lyrics.count + tag.chapters.count < TagBlock.maximumValueCount else { return false }
    return switch content {
    case .lyrics: addLyrics(body)
    case .timedLyrics: addTimedLyrics(body)
    case .people: addPeople(id, body)
    case .chapter: addChapter(body)
    case .text, .picture, .podcast: true
    }
  }

  /// USLT (2.4 section 4.8): encoding, language, description, text.
  private mutating func addLyrics(_ body: [UInt8]) -> Bool {
    guard body.count > 4, var text = ID3v2Text(encoding: body[0], body[4...]) else { return false }
    let description = TagValue.cleaned(text.next())
    let words = TagValue.cleaned(text.next())
    guard !words.isEmpty else { return true }
    tag.lyrics.append(
      LyricsText.lyrics(
        words, language: Self.language(body[1..<4]), description: description.isEmpty ? nil : description))
    return true
  }

  /// Three letters, unless they say that there is none.
  private static func language(_ bytes: ArraySlice<UInt8>) -> String? {
    let code = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).lowercased()
    let isCode = code.utf8.count == 3 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    return isCode && code != "xxx" && code != "und" ? code : nil
  }

  /// SYLT (2.4 section 4.9): encoding, language, unit of time, kind of content, description, and then texts, each with
  /// its time. A text that starts with a line feed starts a line; if none does, each of them is one.
  private mutating func addTimedLyrics(_ body: [UInt8]) -> Bool {
    guard body.count > 6, (1...2).contains(body[4]), var text = ID3v2Text(encoding: body[0], body[6...]) else {
      return false
    }
    // Other kinds: names of movements, events, chords, trivia, addresses.
    guard body[5] <= 2 else {
      hasOtherTimedTexts = true
      return true
    }
    let description = TagValue.cleaned(text.next())
    var parts: [(text: String, seconds: Double)] = []
    while !text.isAtEnd {
      let words = text.next()
      let time = text.bytes(4)
      guard time.count == 4 else { break }
      parts.append((words, Double(time.bigEndian()) / 1000))
    }
    guard !parts.isEmpty else { return false }
    let hasLineFeeds = parts.contains { $0.text.first?.isNewline == true }
    var lines: [TagFinding.Lyrics.Line] = []
    for part in parts {
      let words = part.text.replacing("\r\n", with: "\n")
      if !hasLineFeeds || lines.isEmpty || words.first?.isNewline == true {
        lines.append(TagFinding.Lyrics.Line(seconds: part.seconds, text: words))
      } else {
        lines[lines.count - 1].text += words
      }
    }
    for index in lines.indices { lines[index].text = TagValue.cleaned(lines[index].text) }
    let words = lines.map(\.text).joined(separator: "\n")
    // Times that count frames of MPEG audio would need the audio to be of use.
    let isInMilliseconds = body[4] == 2
    if !isInMilliseconds {
      tag.remarks.append("Lyrics of the ID3v2 tag have times in MPEG frames, which were left out; the text was read.")
    }
    tag.lyrics.append(
      TagFinding.Lyrics(
        language: Self.language(body[1..<4]), description: description.isEmpty ? nil : description, text: words,
        lines: isInMilliseconds ? lines.sorted { $0.seconds < $1.seconds } : []))
    return true
  }

  /// TIPL and TMCL (2.4 section 4.2.2), IPLS (2.3 section 4.4): roles and names by turns. Who plays what stands in
  /// TMCL, and in the older IPLS among the others.
  private mutating func addPeople(_ id: String, _ body: [UInt8]) -> Bool {
    guard let encoding = body.first, TagBlock.isPlausible(body[1...], isWide: encoding == 1 || encoding == 2),
      var text = ID3v2Text(encoding: encoding, body[1...])
    else { return false }
    while !text.isAtEnd {
      let role = TagValue.cleaned(text.next())
      let name = TagValue.cleaned(text.next())
      guard !name.isEmpty, tag.entries.count < TagBlock.maximumValueCount else { continue }
      let key = "TIPL:" + role
      let isKnown = id != "TMCL" && TagKeys.meaning(of: key, in: .id3v2) != nil
      if isKnown || id == "TIPL" {
        tag.entries.append(RawTag.Entry(key: key, value: name))
      } else {
        tag.entries.append(RawTag.Entry(key: "TMCL", value: role.isEmpty ? name : "\(name) (\(role))"))
      }
    }
    return true
  }

  /// CHAP (id3.org: ID3v2 Chapter Frame Addendum): identifier, start and end in milliseconds and in bytes, then frames.
  private mutating func addChapter(_ body: [UInt8]) -> Bool {
    guard let idEnd = body.firstIndex(of: 0), body.count >= idEnd + 17 else { return false }
    let start = body[(idEnd + 1)...].bigEndian()
    let end = body[(idEnd + 5)...].bigEndian()
    var chapter = TagFinding.Chapter(startSeconds: Double(start) / 1000)
    if end > start, end != 0xFFFF_FFFF { chapter.endSeconds = Double(end) / 1000 }
    var position = idEnd + 17
    while position + headerSize < body.count, Self.isFrameID(body[position..<position + 4]) {
      let sizes = body[(position + 4)...]
      let size = version == 4 ? Int(ID3v2Header.syncsafe(sizes.prefix(4))) : Int(sizes.bigEndian())
      let content = body[(position + headerSize)...].prefix(size)
      if body[position...].has("TIT2"), let encoding = content.first,
        var text = ID3v2Text(encoding: encoding, content.dropFirst())
      {
        let title = TagValue.cleaned(text.next())
        if !title.isEmpty { chapter.title = title }
      }
      position += headerSize + size
    }
    tag.chapters.append(chapter)
    return true
  }

  private mutating func add(_ id: String, _ body: [UInt8]) {
    guard !body.isEmpty else { return }
    guard plain.count + body.count <= TagBlock.maximumTextSize else {
      refusedCount += 1
      return
    }
    guard let body = Self.readable(id, body) else {
      refusedCount += 1
      return
    }
    plain += id.utf8
    if id.utf8.count < idLength { plain.append(0) }
    let size = body.count
    switch version {
    case 2: plain += [UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
    case 3: plain += [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) }
    default: plain += [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
    }
    if version > 2 { plain += [0, 0] }
    plain += body
    plainCount += 1
  }

  mutating func finish() {
    if plainCount > 0 {
      let size = plain.count
      let header = Array("ID3".utf8) + [UInt8(version), 0, 0] + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
      TagBlock(kind: CTAGLIB_ID3V2, bytes: header + plain).parse(into: &tag)
    }
    if truncatedCount > 0 {
      tag.remarks.append("The ID3v2 tag breaks off inside a frame; what comes after it was not read.")
    }
    if hasOtherTimedTexts {
      tag.remarks.append(
        "The ID3v2 tag has synchronized texts that are no lyrics but chords, events or the like; they were left out.")
    }
    if refusedCount > 0 {
      tag.remarks.append(
        "\(refusedCount) ID3v2 frame(s) were left out: encrypted, damaged, or larger than any real one when unpacked.")
    }
  }

  /// The picture of an APIC or PIC frame (2.4 section 4.14, 2.2 section 4.15), of whose `size` bytes `body` may have
  /// only the first.
  private mutating func addPicture(_ id: String, _ body: [UInt8], size: Int) {
    guard let encoding = body.first else { return }
    var rest = body.dropFirst()
    let mime: ArraySlice<UInt8>
    if id == "PIC" {
      mime = rest.prefix(3)
      rest = rest.dropFirst(3)
    } else {
      mime = rest.prefix { $0 != 0 }
      rest = rest.dropFirst(mime.count + 1)
    }
    guard let type = rest.first else {
      truncatedCount += 1
      return
    }
    rest = rest.dropFirst()
    let isWide = encoding == 1 || encoding == 2
    guard let end = ID3v2Text.terminator(in: rest, isWide: isWide) else {
      refusedCount += 1
      return
    }
    let picture = rest[(end + (isWide ? 2 : 1))...]
    let pictureSize = size - (picture.startIndex - body.startIndex)
    guard pictureSize > 0 else { return }
    tag.pictures.append(
      Picture.described(
        type: Int(type), mime: String(decoding: mime, as: UTF8.self), start: picture.prefix(Picture.signatureLength),
        size: pictureSize))
  }

  /// The content of a frame as TagLib can read it; `nil` if its text begins with what is neither an encoding nor text,
  /// or has absurdly many values.
  private static func readable(_ id: String, _ body: [UInt8]) -> [UInt8]? {
    let start: Int
    switch id {
    case "COMM", "COM": start = 4
    case _ where id.hasPrefix("T"), "WXXX", "WXX", "GRP1", "MVNM", "MVIN": start = 1
    default: return body
    }
    guard TagBlock.isPlausible(body.dropFirst(start), isWide: body[0] == 1 || body[0] == 2) else { return nil }
    switch body[0] {
    case 0, 2: return body
    case 1: return body.count > start + 1 ? withByteOrderMarks(id, body, from: start) : body
    case 3:
      // TagLib gives nothing for text that is not the UTF-8 it claims to be; then it mostly is Latin-1.
      return String(validating: body[1...], as: UTF8.self) == nil ? [0] + body[1...] : body
    case 0x09...0x0D, 0x20...0x7E:
      // The writer has forgotten the encoding, and this is the text already.
      return start == 1 ? readable(id, [3] + body) : nil
    default: return nil
    }
  }

  /// Strings of encoding 1 shall begin with a byte order mark, and TagLib reads nothing without one. A string without
  /// gets the mark of the one before it, or, at the start, of the order that its zero bytes suggest.
  private static func withByteOrderMarks(_ id: String, _ body: [UInt8], from start: Int) -> [UInt8] {
    // The address of a WXXX frame is in Latin-1 whatever the encoding.
    let hasOnlyOneString = id == "WXXX" || id == "WXX"
    var marked = Array(body[..<start])
    var mark: [UInt8]?
    var rest = body[start...]
    while rest.count >= 2 {
      let end = ID3v2Text.terminator(in: rest, isWide: true) ?? rest.endIndex
      let text = rest[rest.startIndex..<end]
      if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
        mark = Array(text.prefix(2))
      } else if !text.isEmpty {
        let order: [UInt8] = mark ?? (ID3v2Text.zerosComeFirst(text) ? [0xFE, 0xFF] : [0xFF, 0xFE])
        mark = order
        marked += order
      }
      marked += text
      guard end < rest.endIndex else { return marked }
      marked += [0, 0]
      rest = rest[(end + 2)...]
      if hasOnlyOneString { break }
    }
    return marked + rest
  }
}

/// The second byte of a frame's flags: how its content is packed.
private struct FrameFlags {
  var isCompressed = false
  var isEncrypted = false
  var isGrouped = false
  var isUnsynchronised = false
  var hasDataLength = false

  init() {}

  init(_ byte: UInt8, version: Int) {
    if version == 4 {
      isGrouped = byte & 0x40 != 0
      isCompressed = byte & 0x08 != 0
      isEncrypted = byte & 0x04 != 0
      isUnsynchronised = byte & 0x02 != 0
      hasDataLength = byte & 0x01 != 0
    } else {
      isCompressed = byte & 0x80 != 0
      isEncrypted = byte & 0x40 != 0
      isGrouped = byte & 0x20 != 0
      // The length after decompression stands in front of compressed frames.
      hasDataLength = isCompressed
    }
  }

  var isEncoded: Bool { isCompressed || isEncrypted || isGrouped || isUnsynchronised || hasDataLength }

  /// The largest size that a frame is unpacked to.
  private static let maximumSize = 16 * 1024 * 1024

  /// The plain content; `nil` if it cannot be had.
  func decoded(_ body: [UInt8], unsynchronised: Bool) -> [UInt8]? {
    let extra = (isGrouped ? 1 : 0) + (hasDataLength ? 4 : 0)
    guard !isEncrypted, body.count >= extra else { return nil }
    var content = Array(body.dropFirst(extra))
    if isUnsynchronised || unsynchronised { content = ID3v2Tag.resynchronised(content) }
    guard isCompressed else { return content }
    // Deflate never gains more than a factor of 1032 (zlib technical details).
    let capacity = min(content.count * 1032, Self.maximumSize)
    var length = -1
    let inflated = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      length = unsafe content.withUnsafeBufferPointer {
        ctaglib_inflate($0.baseAddress, $0.count, buffer.baseAddress, capacity)
      }
      filled = max(length, 0)
    }
    return length < 0 ? nil : inflated
  }
}
