internal import TagReading

/// The items of one tag, in file order. Items that are not changed keep their bytes, whether their keys are known or
/// not.
struct EditableTag {
  struct Entry: Hashable {
    /// The key; empty if the entry is not text, or has an encoding that this module does not write.
    var key = ""
    var values: [String] = []
    /// `true` if programs show the entry as text, under any key.
    var isText = false
    /// The bytes of the entry.
    var content: FileSplice.Piece
  }

  let space: KeySpace
  private(set) var entries: [Entry]
  /// Renders one or more entries for a key. It is always called with at least one value.
  private let render: (_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]]

  init(
    _ space: KeySpace, _ entries: [Entry],
    render: @escaping (_ key: String, _ values: [String]) throws(TagWriteError) -> [[UInt8]]
  ) {
    self.space = space
    self.entries = entries
    self.render = render
  }

  /// The bytes of all entries.
  var content: FileSplice {
    var splice = FileSplice()
    for entry in entries { splice.add(entry.content) }
    return splice
  }

  /// `true` if programs see no text in the tag, and so may read another tag of the file instead.
  var isSilent: Bool { !entries.contains(where: \.isText) }

  func values(of key: String) -> [String] {
    entries.filter { Self.isSame($0.key, key) }.flatMap(\.values)
  }

  /// Returns the keys of a field that exist in the tag, as spelled there.
  func keys(of field: String) -> [String] {
    var found: [String] = []
    for key in TagKeys.keys(of: field, in: space) {
      guard let entry = entries.first(where: { Self.isSame($0.key, key) }) else { continue }
      if !found.contains(entry.key) { found.append(entry.key) }
    }
    return found
  }

  /// Replaces the values of a key, at the position of its first entry, or adds them at the end. If there are no values,
  /// removes the key.
  mutating func set(_ key: String, to values: [String]) throws(TagWriteError) {
    let places = entries.indices.filter { Self.isSame(entries[$0].key, key) }
    let spelled = places.first.map { entries[$0].key } ?? key
    var new: [Entry] = []
    if !values.isEmpty {
      let rendered = try render(spelled, values)
      for (index, bytes) in rendered.enumerated() {
        new.append(
          Entry(
            key: spelled, values: rendered.count == 1 ? values : [values[index]], isText: true, content: .bytes(bytes)))
      }
    }
    let first = places.first ?? entries.endIndex
    for place in places.reversed() { entries.remove(at: place) }
    entries.insert(contentsOf: new, at: first)
  }

  /// Adds an entry that is not text.
  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Returns the bytes of all entries except those with the given keys.
  func others(than keys: [String]) -> [FileSplice.Piece] {
    entries.filter { entry in !keys.contains { Self.isSame($0, entry.key) } }.map(\.content)
  }

  private static func isSame(_ a: String, _ b: String) -> Bool { !a.isEmpty && a.uppercased() == b.uppercased() }
}
