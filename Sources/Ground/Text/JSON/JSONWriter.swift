/// Writes JSON text (RFC 8259) into a buffer, in the order of the calls. The writer inserts commas; the caller
/// alternates keys and values in objects.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init() {}

  /// The text written so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Discards the bytes written so far, after the caller has stored them. Writing can then continue.
  public mutating func removeBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// An object key with its quotes and colon, which is escaped only once.
  public struct Key: Hashable, Sendable {
    fileprivate let bytes: [UInt8]

    public init(_ name: String) {
      var writer = JSONWriter()
      writer.string(name)
      bytes = writer.bytes + [UInt8(ascii: ":")]
    }
  }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { close(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  public mutating func key(_ key: Key) {
    separate()
    bytes.append(contentsOf: key.bytes)
    needsComma = false
  }

  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func null() { literal("null") }
  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

  public mutating func integer(_ value: some BinaryInteger) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
    needsComma = true
  }

  /// Writes the shortest number that reads back as the same value, with a decimal point or exponent; `null` for values
  /// that are not finite, which JSON does not have.
  public mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
    needsComma = true
  }

  /// Writes a number rounded to `decimals` (at most 9), without trailing zeros except the first decimal.
  public mutating func number(_ value: Double, decimals: Int) {
    let scale = Self.powersOfTen[min(max(decimals, 0), Self.powersOfTen.count - 1)]
    let scaled = (value * scale).rounded()
    // A decimal number of up to 15 digits reads back as the same value, so it is also the shortest.
    guard abs(scaled) < 1e15 else { return number(value) }
    separate()
    needsComma = true
    let digits = UInt64(abs(scaled))
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    let divisor = UInt64(scale)
    appendDigits(of: digits / divisor)
    bytes.append(UInt8(ascii: "."))
    var fraction = digits % divisor
    var place = divisor / 10
    repeat {
      bytes.append(UInt8(ascii: "0") + (place > 0 ? UInt8(fraction / place) : 0))
      fraction = place > 0 ? fraction % place : 0
      place /= 10
    } while fraction > 0
  }

  public mutating func string(_ value: String) {
    separate()
    needsComma = true
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes any value. Object keys are in ascending order, so equal values result in equal text.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        key(name)
        self.value(member)
      }
      endObject()
    }
  }

  /// Inserts a line break between values, for human readers.
  public mutating func lineBreak() {
    if needsComma {
      bytes.append(UInt8(ascii: ","))
      needsComma = false
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Ends a text with a line break. The next value starts a new text.
  public mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func literal(_ text: StaticString) {
    separate()
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    needsComma = true
  }

  private mutating func appendDigits(of value: UInt64) {
    var divisor: UInt64 = 1
    while value / divisor >= 10 { divisor *= 10 }
    var rest = value
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// Escapes quotes, backslashes, control characters, and line and paragraph separators, at which some programs end a
  /// line. Copies everything else.
  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var index = 0
    while index < text.count {
      if index + 8 <= text.count,
        unsafe !Self.needsEscapes(UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
        continue
      }
      let byte = unsafe text[index]
      let length = unsafe Self.lengthOfEscaped(in: text, at: index)
      index += max(1, length)
      guard length > 0 else { continue }
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index - length]))
      start = index
      bytes.append(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
      case 0x08: bytes.append(UInt8(ascii: "b"))
      case 0x09: bytes.append(UInt8(ascii: "t"))
      case 0x0A: bytes.append(UInt8(ascii: "n"))
      case 0x0C: bytes.append(UInt8(ascii: "f"))
      case 0x0D: bytes.append(UInt8(ascii: "r"))
      default:
        // U+2028 and U+2029 differ only in their last byte, as C1 characters do.
        let last = unsafe text[index - 1]
        let scalar = length == 3 ? 0x2000 | UInt16(last & 0x7F) : UInt16(last)
        bytes.append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] {
          let digit = UInt8(scalar >> UInt16(shift) & 15)
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
      }
    }
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
  }

  /// Returns the length in bytes of the character at `index` if it must be escaped, otherwise 0.
  private static func lengthOfEscaped(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    switch unsafe text[index] {
    case 0..<0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"): return 1
    case 0xC2 where index + 1 < text.count:
      return unsafe text[index + 1] < 0xA0 ? 2 : 0
    case 0xE2 where index + 2 < text.count:
      return unsafe text[index + 1] == 0x80 && text[index + 2] & 0xFE == 0xA8 ? 3 : 0
    default: return 0
    }
  }

  /// Returns `true` if any of eight bytes is a control character, quote or backslash, or may begin another character
  /// that must be escaped. A byte `b` is below `n` (at most 0x80) if `b - n` borrows and `b` has no high bit. A false
  /// positive after a true one does no harm.
  private static func needsEscapes(_ bytes: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones << 7
    func below(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- ones &* limit) & ~bytes & highBits }
    let quotes = below(1, bytes ^ ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = below(1, bytes ^ ones &* UInt64(UInt8(ascii: "\\")))
    let others = below(1, bytes ^ ones &* 0x7F) | below(1, bytes ^ ones &* 0xC2) | below(1, bytes ^ ones &* 0xE2)
    return below(0x20, bytes) | quotes | backslashes | others != 0
  }
}
