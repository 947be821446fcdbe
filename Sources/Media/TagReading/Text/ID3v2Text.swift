internal import MediaContainers

/// The text in an ID3v2 frame: an encoding, and strings that end with NULs (id3.org: ID3v2.4, section 4).
package struct ID3v2Text {
  private let isWide: Bool
  private let decode: (ArraySlice<UInt8>, _ mark: inout ByteOrder?) -> String
  private var rest: ArraySlice<UInt8>
  private var mark: ByteOrder?

  private enum ByteOrder {
    case big, little
  }

  /// Returns `nil` if the encoding is undefined.
  package init?(encoding: UInt8, _ bytes: ArraySlice<UInt8>) {
    rest = bytes
    switch encoding {
    case 0: decode = { text, _ in text.latin1 }
    case 1, 2: decode = { text, mark in Self.wide(text, isBigEndian: encoding == 2, &mark) }
    case 3: decode = { text, _ in TagText.utf8(text) }
    default: return nil
    }
    isWide = encoding == 1 || encoding == 2
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Returns the string up to the next NUL, or to the end.
  package mutating func next() -> String {
    let end = Self.terminator(in: rest, isWide: isWide) ?? rest.endIndex
    let text = decode(rest[rest.startIndex..<end], &mark)
    rest = rest.dropFirst(end - rest.startIndex + (isWide ? 2 : 1))
    return text
  }

  /// Returns the remaining strings.
  package mutating func all() -> [String] {
    var texts: [String] = []
    while !isAtEnd { texts.append(next()) }
    return texts
  }

  /// Reads bytes that are not text.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Returns the position of the NUL that ends a string; `nil` if there is none. In UTF-16, it has two bytes.
  package static func terminator(in bytes: ArraySlice<UInt8>, isWide: Bool) -> Int? {
    guard isWide else { return bytes.firstIndex(of: 0) }
    return stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).first { bytes[$0] == 0 && bytes[$0 + 1] == 0 }
  }

  /// Decodes UTF-16. A string without a byte order mark is big-endian in encoding 2; in encoding 1, it has the byte
  /// order of the previous string. For the first string, the positions of its zero bytes decide.
  private static func wide(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool, _ mark: inout ByteOrder?) -> String {
    var text = bytes
    if text.starts(with: [0xFF, 0xFE]) {
      mark = .little
      text = text.dropFirst(2)
    } else if text.starts(with: [0xFE, 0xFF]) {
      mark = .big
      text = text.dropFirst(2)
    } else if isBigEndian {
      mark = .big
    }
    let order = mark ?? (zerosComeFirst(text) ? .big : .little)
    if !text.isEmpty { mark = order }
    return TagText.utf16(text, isBigEndian: order == .big)
  }

  /// Returns `true` if more zero bytes are in the first halves of characters than in the second halves.
  private static func zerosComeFirst(_ bytes: ArraySlice<UInt8>) -> Bool {
    var zeros = [0, 0]
    for (index, byte) in bytes.enumerated() where byte == 0 { zeros[index & 1] += 1 }
    return zeros[0] > zeros[1]
  }
}
