/// A column of texts, one per row, in one block of memory.
struct TextColumn {
  private(set) var bytes: [UInt8] = []
  private var ends: [UInt32] = []

  var count: Int { ends.count }

  /// Appends a text. A missing value is stored as an empty text. So is a text that would make the total exceed 4 GB.
  mutating func append(_ text: some Sequence<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: text)
    if bytes.count > Int(UInt32.max) { bytes.removeLast(bytes.count - start) }
    ends.append(UInt32(bytes.count))
  }

  subscript(row: Int) -> ArraySlice<UInt8> {
    bytes[(row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])]
  }

  func text(_ row: Int) -> String { String(decoding: self[row], as: UTF8.self) }
}
