internal import Foundation

/// The collation order of names. Case and accents are ignored, and sequences of digits are compared by numeric value.
struct SortKeys {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(_ texts: some Sequence<[UInt8]>) {
    for text in texts {
      append(text)
      ends.append(bytes.count)
    }
  }

  private func range(_ index: UInt32) -> Range<Int> { (index == 0 ? 0 : ends[Int(index) - 1])..<ends[Int(index)] }

  /// The indexes of the texts in sorted order. Equal keys keep their original order.
  var order: [UInt32] {
    bytes.withUnsafeBytes { bytes in
      (0..<UInt32(ends.count)).sorted { first, second in
        let comparison = unsafe Self.compare(bytes[range(first)], bytes[range(second)])
        return comparison == 0 ? first < second : comparison < 0
      }
    }
  }

  /// For each text, the number of distinct keys that sort before its key. Texts with equal keys have the same rank.
  var ranks: [Int] {
    var ranks = [Int](repeating: 0, count: ends.count)
    let order = order
    var rank = 0
    for (position, index) in order.enumerated() {
      if position > 0, !bytes[range(order[position - 1])].elementsEqual(bytes[range(index)]) { rank += 1 }
      ranks[Int(index)] = rank
    }
    return ranks
  }

  private static func compare(_ first: Slice<UnsafeRawBufferPointer>, _ second: Slice<UnsafeRawBufferPointer>) -> Int {
    let (first, second) = unsafe (UnsafeRawBufferPointer(rebasing: first), UnsafeRawBufferPointer(rebasing: second))
    let common = min(first.count, second.count)
    if common > 0, let start = first.baseAddress, let other = second.baseAddress {
      let order = unsafe memcmp(start, other, common)
      if order != 0 { return Int(order) }
    }
    return first.count - second.count
  }

  private mutating func append(_ text: [UInt8]) {
    if text.contains(where: { $0 >= 0x80 }) {
      let folded = String(decoding: text, as: UTF8.self)
        .folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      appendFolded(Array(folded.utf8))
    } else {
      appendFolded(text)
    }
  }

  private mutating func appendFolded(_ text: [UInt8]) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        while index < text.count, text[index] == UInt8(ascii: "0") { index += 1 }
        let start = index
        while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) { index += 1 }
        // A number with more digits is larger, so the number of digits comes first. It follows a 0, which sorts the
        // number among ASCII digits.
        bytes.append(UInt8(ascii: "0"))
        bytes.append(UInt8(min(index - start, 255)))
        bytes.append(contentsOf: text[start..<index])
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        bytes.append(byte | 0x20)
        index += 1
      default:
        bytes.append(byte)
        index += 1
      }
    }
  }
}
