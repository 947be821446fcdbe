internal import Analysis
internal import MediaContainers

/// A Vorbis comment (xiph.org: Ogg Vorbis I format specification, comment field).
enum VorbisComment {
  /// - Parameter body: The comment, starting with the length of the vendor's name.
  static func read(_ body: [UInt8]) -> RawTag {
    var tag = RawTag(.vorbis)
    guard var entries = VorbisCommentEntries(body) else {
      tag.remarks.append("The Vorbis comment breaks off inside its header and was not read.")
      return tag
    }
    var coverMIME = ""
    var keptCount = 0
    var textSize = 0
    var droppedCount = 0
    while let entry = entries.next() {
      guard let end = entry.firstIndex(of: 0x3D) else { continue }
      let value = entry[(end + 1)...]
      switch key(entry[..<end]) {
      case nil: continue
      case "METADATA_BLOCK_PICTURE":
        if let picture = picture(inBlock: value) { tag.pictures.append(picture) }
      case "COVERARTMIME":
        coverMIME = TagText.utf8(value)
      case "COVERART":
        let start = Base64.decoded(value.prefix(4 * Picture.signatureLength)).prefix(Picture.signatureLength)
        let size = Base64.decodedSize(value)
        if size > 0 { tag.pictures.append(Picture.described(type: 0, mime: coverMIME, start: start, size: size)) }
      case let key?:
        guard keptCount < TagLimits.valueCount, textSize + entry.count <= TagLimits.textSize else {
          droppedCount += 1
          continue
        }
        keptCount += 1
        textSize += entry.count
        tag.add(key, terminated: TagText.utf8(value))
      }
    }
    if droppedCount > 0 {
      tag.remarks.append(
        "The Vorbis comment is larger than any real one; \(droppedCount) of its entries were left out.")
    }
    if entries.isCutShort {
      tag.remarks.append("The Vorbis comment is shorter than it claims; the existing part was read.")
    }
    return tag
  }

  /// Returns the key in upper case; `nil` if it is invalid: empty, or with a `~` or anything other than printable
  /// ASCII.
  private static func key(_ bytes: ArraySlice<UInt8>) -> String? {
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x20...0x7D).contains($0) }) else { return nil }
    return bytes.latin1.uppercased()
  }

  /// Returns the picture in a Base64-encoded FLAC PICTURE block; `nil` if the block is damaged. Only the part before
  /// the bytes of the picture is decoded.
  private static func picture(inBlock encoded: ArraySlice<UInt8>) -> TagFinding.Picture? {
    let size = Base64.decodedSize(encoded)
    return Picture.flac(Base64.decoded(encoded.prefix(1024)), size: size)
      ?? Picture.flac(Base64.decoded(encoded.prefix(128 * 1024)), size: size)
  }
}

/// A Base64 decoder (RFC 4648, section 4) that skips invalid characters.
enum Base64 {
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      guard let value = value(of: character) else { continue }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }

  /// Returns the number of bytes that `decoded` would return.
  static func decodedSize(_ text: ArraySlice<UInt8>) -> Int {
    text.reduce(0) { value(of: $1) == nil ? $0 : $0 + 1 } * 6 / 8
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x61 + 26
    case 0x30...0x39: UInt32(character) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
