/// A column of texts that many rows share. Each text is stored once.
struct DictionaryColumn {
  /// `true` to treat spellings that differ only in case or spaces as the same text. The first spelling is used.
  let isFolded: Bool
  /// The distinct texts, in order of first appearance.
  private(set) var texts: [String] = []
  private var places: [String: UInt32] = [:]
  private var indexes: [UInt32] = []
  private static let none = UInt32.max
  /// The text of the previous row, which the next row often repeats.
  private var last: (text: String, place: UInt32)?

  init(isFolded: Bool = false) {
    self.isFolded = isFolded
  }

  var count: Int { indexes.count }

  /// - Returns: The index of the text in `texts`.
  @discardableResult
  mutating func append(_ text: String?) -> Int? {
    guard let text else {
      indexes.append(Self.none)
      return nil
    }
    if let last, last.text == text {
      indexes.append(last.place)
      return Int(last.place)
    }
    let key = isFolded ? text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") : text
    let place = places[key] ?? UInt32(texts.count)
    if Int(place) == texts.count {
      texts.append(text)
      places[key] = place
    }
    last = (text, place)
    indexes.append(place)
    return Int(place)
  }

  /// Returns the index in `texts` of the text in a row; `nil` if the row has no text.
  func place(ofRow row: Int) -> Int? {
    indexes[row] == Self.none ? nil : Int(indexes[row])
  }

  func text(_ row: Int) -> String? { place(ofRow: row).map { texts[$0] } }

  /// Returns the texts in display order and, for each row, the index of its text among them.
  func sorted() -> (texts: [String], indexes: PackedColumn) {
    let order = SortKeys(texts.lazy.map { Array($0.utf8) }).order
    var ranks = [Int](repeating: 0, count: texts.count)
    for (rank, place) in order.enumerated() { ranks[Int(place)] = rank }
    var column = PackedColumn(width: PackedColumn.width(forCount: texts.count))
    for index in indexes { column.append(index: index == Self.none ? nil : ranks[Int(index)]) }
    return (order.map { texts[Int($0)] }, column)
  }
}
