/// Numbers in half precision (IEEE 754 binary16, little-endian), packed as Base64 (RFC 4648) without padding: how source code can hold
/// some ten thousand of them and still be compiled at once.
public struct PackedFloats {
  public let values: [Float]

  public init(_ text: StaticString) {
    var values: [Float] = []
    values.reserveCapacity(text.utf8CodeUnitCount * 3 / 8)
    // Of the characters read so far: bits that do not make a number yet.
    var (bits, bitCount) = (UInt32(0), 0)
    text.withUTF8Buffer { characters in
      for character in unsafe characters {
        bits |= Self.value(of: character) << UInt32(26 - bitCount)
        bitCount += 6
        guard bitCount >= 16 else { continue }
        values.append(Float(Float16(bitPattern: UInt16(truncatingIfNeeded: bits >> 16).byteSwapped)))
        bits <<= 16
        bitCount -= 16
      }
    }
    self.values = values
  }

  private static func value(of character: UInt8) -> UInt32 {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: preconditionFailure("not Base64")
    }
  }
}
