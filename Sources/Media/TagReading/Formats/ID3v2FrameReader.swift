internal import Analysis
internal import MediaContainers

/// Reads the frames of one ID3v2 tag. The sizes of pictures are determined without reading them.
struct ID3v2FrameReader {
  var tag: RawTag
  let version: Int
  var allFramesAreUnsynchronized = false
  private var textFrameCount = 0
  private var truncatedCount = 0
  private var refusedCount = 0
  private var hasOtherTimedTexts = false
  /// Number of bytes of text that may still be read.
  private var textBudget = TagLimits.textSize
  private var dates = SplitDate()

  private var idLength: Int { version == 2 ? 3 : 4 }
  private var headerSize: Int { version == 2 ? 6 : 10 }

  init(version: Int) {
    tag = RawTag(.id3v2(version))
    self.version = version
  }

  static func isFrameID(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
  }

  mutating func read(of source: ByteSource, from start: Int, to end: Int) throws(FileReadError) {
    var position = start
    while position + headerSize < end, textFrameCount < TagLimits.valueCount {
      let header = try source.bytes(at: position, count: headerSize)
      guard header.count == headerSize, let id = frameID(header) else {
        // Padding consists of zeros.
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
      guard size > 0, let name = ID3v2FrameNames.current(id, version: version), let content = Content(name) else {
        continue
      }
      let flags = version == 2 ? ID3v2FrameFlags() : ID3v2FrameFlags(header[9], version: version)
      try frame(id, name, content, flags, of: source, at: bodyStart, size: size)
    }
    if textFrameCount == TagLimits.valueCount {
      tag.remarks.append("The ID3v2 tag has more than \(textFrameCount) frames; the rest was left out.")
    }
  }

  /// The kinds of frames that are read.
  private enum Content {
    case text, describedText, comment, link, describedLink, identifier, rating
    case picture, lyrics, timedLyrics, people, chapter, podcast

    /// - Parameter name: The name in version 2.4.
    init?(_ name: String) {
      switch name {
      case "APIC": self = .picture
      case "SYLT": self = .timedLyrics
      case "USLT": self = .lyrics
      case "IPLS", "TIPL", "TMCL": self = .people
      case "CHAP": self = .chapter
      case "PCST": self = .podcast
      case "COMM": self = .comment
      case "UFID": self = .identifier
      case "POPM": self = .rating
      case "TXXX": self = .describedText
      case "WXXX": self = .describedLink
      // These frames contain text although their names do not start with T.
      case "GRP1", "MVNM", "MVIN", "WFED": self = .text
      case _ where name.hasPrefix("T"): self = .text
      case _ where name.hasPrefix("W"): self = .link
      default: return nil
      }
    }
  }

  /// Returns the identifier; `nil` at the end of the frames (padding, junk). Lowercase letters are invalid, but some
  /// programs write them. In 2.3 tags, iTunes writes identifiers of version 2.2, followed by a NUL.
  private func frameID(_ header: [UInt8]) -> String? {
    let id = header.prefix(idLength)
    if Self.isFrameID(ArraySlice(id.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 })) {
      // Some 2.3 tags contain experimental versions of 2.4 frames, with an X in place of the T, for sort names and the
      // original date.
      let isTrial = version == 3 && ["XSOP", "XSOA", "XSOT", "XDOR"].contains { id.elementsEqual($0.utf8) }
      return (isTrial ? "T" : "") + String(decoding: isTrial ? id.dropFirst() : id, as: UTF8.self)
    }
    guard version == 3, id.last == 0, Self.isFrameID(id.dropLast()) else { return nil }
    return String(decoding: id.dropLast(), as: UTF8.self)
  }

  /// Returns the length of the frame's content. Version 2.4 uses seven bits per byte and the other versions eight, but
  /// some programs (including old versions of iTunes) confuse them. The other interpretation is used only if it leads
  /// to another frame, to padding or to the end, and the correct one does not.
  private func frameSize(
    _ header: [UInt8], of source: ByteSource, at position: Int, end: Int
  ) throws(FileReadError) -> Int {
    if version == 2 { return Int(header[3..<6].bigEndianNumber) }
    let plain = Int(header[4..<8].bigEndianNumber)
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
    _ id: String, _ name: String, _ content: Content, _ flags: ID3v2FrameFlags, of source: ByteSource, at start: Int,
    size: Int
  ) throws(FileReadError) {
    let isEncoded = flags.isEncoded || allFramesAreUnsynchronized
    let isPicture = content == .picture
    if content == .podcast {
      tag.add(name, "1")
      return
    }
    if isPicture, !isEncoded {
      // The picture itself is not read.
      let head = try source.bytes(at: start, count: min(size, ByteSource.windowSize / 2))
      addPicture(head, size: size, isShort: id.utf8.count == 3)
      return
    }
    guard size <= (isPicture ? TagLimits.size : textBudget) else {
      refusedCount += 1
      return
    }
    var body = try source.bytes(at: start, count: size)
    guard body.count == size else {
      truncatedCount += 1
      return
    }
    if isEncoded {
      guard let decoded = flags.decoded(body, unsynchronized: allFramesAreUnsynchronized) else {
        refusedCount += 1
        return
      }
      body = decoded
    }
    if isPicture {
      addPicture(body, size: body.count, isShort: id.utf8.count == 3)
    } else if body.count > textBudget {
      refusedCount += 1
    } else if !body.isEmpty {
      textBudget -= max(size, body.count)
      if !parse(name, content, body) { refusedCount += 1 }
    }
  }

  /// Adds the content of a frame; returns `false` if it is damaged, or there are too many lyrics and chapters.
  private mutating func parse(_ name: String, _ content: Content, _ body: [UInt8]) -> Bool {
    switch content {
    case .lyrics, .timedLyrics, .chapter:
      guard tag.lyrics.count + tag.chapters.count < TagLimits.valueCount else { return false }
    case .people: break
    default: textFrameCount += 1
    }
    switch content {
    case .text: return addText(name, body)
    case .describedText: return addDescribedText(body)
    case .comment: return addComment(body)
    case .link: tag.add(name, body.prefix { $0 != 0 }.latin1)
    case .describedLink: return addDescribedLink(body)
    case .identifier: return addIdentifier(body)
    case .rating: return addRating(body)
    case .lyrics: return addLyrics(body)
    case .timedLyrics: return addTimedLyrics(body)
    case .people: return addPeople(name, body)
    case .chapter: return addChapter(body)
    case .picture, .podcast: break
    }
    return true
  }

  // MARK: Text

  /// Returns the text from `start` on. Its encoding is the first byte of the frame. `nil` if that byte is neither an
  /// encoding nor text, or if there are too many strings.
  private static func text(_ body: [UInt8], from start: Int = 1) -> ID3v2Text? {
    guard let encoding = body.first, body.count >= start else { return nil }
    switch encoding {
    case 0...3:
      let isWide = encoding == 1 || encoding == 2
      return TagLimits.isPlausible(body[start...], isWide: isWide)
        ? ID3v2Text(encoding: encoding, body[start...]) : nil
    case 0x09...0x0D, 0x20...0x7E:
      // The encoding byte is missing, so all of `body` is text.
      return start == 1 && TagLimits.isPlausible(body[...]) ? ID3v2Text(encoding: 3, body[...]) : nil
    default: return nil
    }
  }

  /// Text frames (2.4 section 4.2): one or more values.
  private mutating func addText(_ name: String, _ body: [UInt8]) -> Bool {
    guard var text = Self.text(body) else { return false }
    let values = text.all().filter { !$0.isEmpty }
    if version < 4, dates.take(name, values) { return true }
    for value in values { tag.add(name, value) }
    return true
  }

  /// TXXX (2.4 section 4.2.6): a description and values.
  private mutating func addDescribedText(_ body: [UInt8]) -> Bool {
    guard var text = Self.text(body) else { return false }
    let description = text.next()
    for value in text.all() { tag.add("TXXX:" + description, value) }
    return true
  }

  /// COMM (2.4 section 4.10): encoding, language, description, text.
  private mutating func addComment(_ body: [UInt8]) -> Bool {
    guard var text = Self.text(body, from: 4) else { return false }
    let description = text.next()
    tag.add(description.isEmpty ? "COMM" : "COMM:" + description, text.next())
    return true
  }

  /// WXXX (2.4 section 4.3.2): a description, and a URL that is always in Latin-1.
  private mutating func addDescribedLink(_ body: [UInt8]) -> Bool {
    guard var text = Self.text(body) else { return false }
    let description = text.next()
    tag.add("WXXX:" + description, text.bytes(body.count).prefix { $0 != 0 }.latin1)
    return true
  }

  /// UFID (2.4 section 4.1): the owner and the identifier.
  private mutating func addIdentifier(_ body: [UInt8]) -> Bool {
    guard let end = body.firstIndex(of: 0) else { return false }
    tag.add("UFID:" + body[..<end].latin1, body[(end + 1)...].prefix { $0 != 0 }.latin1)
    return true
  }

  /// POPM (2.4 section 4.17): the person, the rating and a play count.
  private mutating func addRating(_ body: [UInt8]) -> Bool {
    guard let end = body.firstIndex(of: 0), end + 1 < body.count else { return false }
    tag.add("POPM:" + body[..<end].latin1, String(body[end + 1]))
    return true
  }

  // MARK: Lyrics, people, chapters

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

  /// Returns a three-letter language code; `nil` if it is invalid or means undefined.
  private static func language(_ bytes: ArraySlice<UInt8>) -> String? {
    let code = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).lowercased()
    let isCode = code.utf8.count == 3 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    return isCode && code != "xxx" && code != "und" ? code : nil
  }

  /// SYLT (2.4 section 4.9): encoding, language, unit of time, content type, description, then texts, each with a time.
  /// A text that starts with a line feed begins a line; if no text does, each text is a line.
  private mutating func addTimedLyrics(_ body: [UInt8]) -> Bool {
    guard body.count > 6, (1...2).contains(body[4]), var text = ID3v2Text(encoding: body[0], body[6...]) else {
      return false
    }
    // The other types are names of movements, events, chords, trivia and addresses.
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
      parts.append((words, Double(time.bigEndianNumber) / 1000))
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
    // Times in MPEG audio frames could be converted only by reading the audio.
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

  /// TIPL and TMCL (2.4 section 4.2.2), IPLS (2.3 section 4.4): roles and names, alternating. Musicians and their
  /// instruments are in TMCL, or among the other people in the older IPLS.
  private mutating func addPeople(_ name: String, _ body: [UInt8]) -> Bool {
    guard (0...3).contains(body[0]), var text = Self.text(body) else { return false }
    while !text.isAtEnd {
      let role = TagValue.cleaned(text.next())
      let person = TagValue.cleaned(text.next())
      guard !person.isEmpty else { continue }
      let key = "TIPL:" + role
      let isKnown = name != "TMCL" && TagKeys.meaning(of: key, in: .id3v2) != nil
      if isKnown || name == "TIPL" {
        tag.add(key, person)
      } else {
        tag.add("TMCL", role.isEmpty ? person : "\(person) (\(role))")
      }
    }
    return true
  }

  /// CHAP (id3.org: ID3v2 Chapter Frame Addendum): an identifier, the start and end in milliseconds and in bytes, then
  /// frames.
  private mutating func addChapter(_ body: [UInt8]) -> Bool {
    guard let idEnd = body.firstIndex(of: 0), body.count >= idEnd + 17 else { return false }
    let start = body[(idEnd + 1)..<(idEnd + 5)].bigEndianNumber
    let end = body[(idEnd + 5)..<(idEnd + 9)].bigEndianNumber
    var chapter = TagFinding.Chapter(startSeconds: Double(start) / 1000)
    if end > start, end != 0xFFFF_FFFF { chapter.endSeconds = Double(end) / 1000 }
    var position = idEnd + 17
    while position + headerSize < body.count, Self.isFrameID(body[position..<position + 4]) {
      let sizes = body[(position + 4)..<(position + 8)]
      let size = version == 4 ? ID3v2Header.syncsafe(sizes) : Int(sizes.bigEndianNumber)
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

  // MARK: End

  /// Returns the tag once all frames are read.
  consuming func finished() -> RawTag {
    for date in dates.merged { tag.add("TDRC", date) }
    if truncatedCount > 0 {
      tag.remarks.append("The ID3v2 tag breaks off inside a frame; the rest was not read.")
    }
    if hasOtherTimedTexts {
      tag.remarks.append(
        "The ID3v2 tag has synchronized texts that are not lyrics but chords, events or the like; they were left out.")
    }
    if refusedCount > 0 {
      tag.remarks.append(
        "\(refusedCount) ID3v2 frame(s) were left out: encrypted, damaged, or larger than any real one when unpacked.")
    }
    return tag
  }

  // MARK: Pictures

  /// Adds the picture of an APIC or PIC frame (2.4 section 4.14, 2.2 section 4.15). `body` may be shorter than `size`
  /// bytes, because only the start is needed.
  ///
  /// - Parameter isShort: `true` for version 2.2, where three letters name the format of the picture.
  private mutating func addPicture(_ body: [UInt8], size: Int, isShort: Bool) {
    guard let encoding = body.first else { return }
    var rest = body.dropFirst()
    let mime: ArraySlice<UInt8>
    if isShort {
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
}

/// The date in versions 2.2 and 2.3, which has up to three frames: the year, day and month as `DDMM`, and the time as
/// `HHMM`.
private struct SplitDate {
  private var years: [[String]] = []
  private var days: [String] = []
  private var times: [String] = []

  /// Returns `false` for frames that are not part of the date.
  mutating func take(_ name: String, _ values: [String]) -> Bool {
    switch name {
    case "TDRC": years.append(values)
    case "TDAT": days += values
    case "TIME": times += values
    default: return false
    }
    return true
  }

  /// The combined date; only the years, unless there is exactly one year and one day.
  var merged: [String] {
    guard years.count == 1, years[0].count == 1, years[0][0].count == 4, days.count == 1, Self.areDigits(days[0]) else {
      return years.flatMap { $0 }
    }
    let date = "\(years[0][0])-\(days[0].suffix(2))-\(days[0].prefix(2))"
    guard times.count == 1, Self.areDigits(times[0]) else { return [date] }
    return ["\(date)T\(times[0].prefix(2)):\(times[0].suffix(2))"]
  }

  private static func areDigits(_ text: String) -> Bool {
    text.utf8.count == 4 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
