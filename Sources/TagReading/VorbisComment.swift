internal import Analysis
internal import CTagLib

/// A Vorbis comment (xiph.org: Ogg Vorbis I format specification, comment field), with the pictures taken out of it
/// before TagLib sees it.
enum VorbisComment {
  /// - Parameter body: from the length of the vendor string on.
  static func read(_ body: [UInt8]) -> RawTag {
    var tag = RawTag(.vorbis)
    let vendorLength = Int(body.prefix(4).littleEndian())
    let countStart = 4 + vendorLength
    guard body.count >= countStart + 4 else {
      tag.remarks.append("The Vorbis comment breaks off inside its header and was not read.")
      return tag
    }
    let claimed = Int(body.dropFirst(countStart).littleEndian())
    // Without the name of the encoder's vendor, which is no tag.
    var plain: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    plain.reserveCapacity(min(body.count, TagBlock.maximumTextSize))
    var kept: UInt32 = 0
    var position = countStart + 4
    var coverMIME = ""
    var isCutShort = false
    var droppedCount = 0
    for _ in 0..<claimed {
      let length = Int(body[min(position, body.count)...].littleEndian())
      guard position + 4 + length <= body.count else {
        isCutShort = true
        break
      }
      let comment = body[position + 4..<position + 4 + length]
      position += 4 + length
      switch key(of: comment) {
      case "METADATA_BLOCK_PICTURE":
        if let picture = picture(inBlock: value(of: comment)) { tag.pictures.append(picture) }
      case "COVERARTMIME":
        coverMIME = String(decoding: value(of: comment), as: UTF8.self)
      case "COVERART":
        let encoded = value(of: comment)
        let start = Base64.decoded(encoded.prefix(4 * Picture.signatureLength)).prefix(Picture.signatureLength)
        let size = Base64.decodedSize(encoded)
        if size > 0 { tag.pictures.append(Picture.described(type: 0, mime: coverMIME, start: start, size: size)) }
      default:
        guard kept < TagBlock.maximumValueCount, plain.count + length <= TagBlock.maximumTextSize else {
          droppedCount += 1
          continue
        }
        if String(validating: comment, as: UTF8.self) != nil {
          plain += body[position - 4 - length..<position]
        } else {
          // TagLib gives nothing for text that is not UTF-8; then it mostly is Latin-1.
          let text = comment.latin1
          plain += (0..<4).map { UInt8(truncatingIfNeeded: text.utf8.count >> (8 * $0)) } + text.utf8
        }
        kept += 1
      }
    }
    plain.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: kept >> (8 * $0)) })
    if kept > 0 { TagBlock(kind: CTAGLIB_VORBIS_COMMENT, bytes: plain).parse(into: &tag) }
    if droppedCount > 0 {
      tag.remarks.append(
        "The Vorbis comment is larger than any real one; \(droppedCount) of its entries were left out.")
    }
    if isCutShort {
      tag.remarks.append("The Vorbis comment is shorter than it says; what is there was read.")
    }
    return tag
  }

  /// The key in upper case if it is one of those that are looked for here.
  private static func key(of comment: ArraySlice<UInt8>) -> String? {
    // Shortest and longest of the three keys.
    guard let first = comment.first, first | 0x20 == 0x6D || first | 0x20 == 0x63,
      let end = comment.prefix(23).firstIndex(of: 0x3D)
    else { return nil }
    return String(decoding: comment[..<end], as: UTF8.self).uppercased()
  }

  private static func value(of comment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let end = comment.firstIndex(of: 0x3D) else { return [] }
    return comment[(end + 1)...]
  }

  /// The picture in a FLAC PICTURE block in Base64; only as much of it is decoded as stands before the picture's bytes.
  private static func picture(inBlock encoded: ArraySlice<UInt8>) -> TagFinding.Picture? {
    let size = Base64.decodedSize(encoded)
    return Picture.flac(Base64.decoded(encoded.prefix(1024)), size: size)
      ?? Picture.flac(Base64.decoded(encoded.prefix(128 * 1024)), size: size)
  }
}

/// RFC 4648, section 4; characters that do not belong are skipped.
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

  /// Length of what `decoded` would give.
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
