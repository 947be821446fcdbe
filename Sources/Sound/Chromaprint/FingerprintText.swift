/// Decodes AcoustID's fingerprint text. It is URL-safe Base64 of the algorithm (one byte), the number of items (three
/// bytes), and the bits in which each item differs from the previous one. Each of these bits is encoded as its distance
/// from the previous one, in three bits, low bits first, with a zero after each item. A distance of seven or more is
/// encoded as seven, and the rest in five additional bits, which come after all three-bit codes.
///
/// libchromaprint's decoder is not used, because it prints to standard error if the input is damaged.
enum FingerprintText {
  private static let headerSize = 4
  private static let codeBits = 3
  private static let longCode = 7
  private static let restBits = 5

  /// Decodes the items; `nil` if the text is invalid or truncated.
  static func items(of text: String) -> [UInt32]? {
    guard let bytes = decoded(text), bytes.count >= headerSize else { return nil }
    let count = Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
    let body = bytes[headerSize...]
    // Each item has at least one code: the zero at its end.
    guard count * codeBits <= body.count * 8 else { return nil }
    guard let (codes, longCount) = codes(in: body, itemCount: count) else { return nil }
    let restStart = headerSize + (codes.count * codeBits + 7) / 8
    guard restStart <= bytes.count, (bytes.count - restStart) * 8 >= longCount * restBits else { return nil }
    return items(from: codes, rests: BitReader(bytes[restStart...]))
  }

  /// Reads the codes of `itemCount` items, and counts the codes that have additional bits; `nil` if `body` ends early.
  private static func codes(in body: ArraySlice<UInt8>, itemCount: Int) -> (codes: [UInt8], longCount: Int)? {
    var reader = BitReader(body)
    var codes: [UInt8] = []
    codes.reserveCapacity(body.count * 8 / codeBits)
    var (ends, longCount) = (0, 0)
    while ends < itemCount {
      guard let code = reader.next(codeBits) else { return nil }
      codes.append(UInt8(code))
      if code == 0 { ends += 1 }
      if code == longCode { longCount += 1 }
    }
    return (codes, longCount)
  }

  private static func items(from codes: [UInt8], rests: BitReader) -> [UInt32]? {
    var rests = rests
    var items: [UInt32] = []
    var (last, difference, place): (UInt32, UInt32, Int) = (0, 0, 0)
    for code in codes {
      guard code != 0 else {
        last ^= difference
        items.append(last)
        (difference, place) = (0, 0)
        continue
      }
      place += Int(code)
      if code == longCode {
        guard let rest = rests.next(restBits) else { return nil }
        place += rest
      }
      guard place <= UInt32.bitWidth else { return nil }
      difference |= 1 << UInt32(place - 1)
    }
    return items
  }

  /// Decodes URL-safe Base64 without padding; `nil` if there are other characters.
  private static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var (buffer, bits): (UInt32, UInt32) = (0, 0)
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Reads numbers of a few bits each, low bits first.
private struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  private var buffer = 0
  private var count = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  /// Reads the next number; `nil` at the end.
  mutating func next(_ bits: Int) -> Int? {
    while count < bits {
      guard place < bytes.endIndex else { return nil }
      buffer |= Int(bytes[place]) << count
      count += 8
      place += 1
    }
    defer {
      buffer >>= bits
      count -= bits
    }
    return buffer & (1 << bits - 1)
  }
}
