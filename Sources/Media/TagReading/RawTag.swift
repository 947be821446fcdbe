internal import Analysis

/// The content of one tag of a file, under the keys of its format.
struct RawTag {
  struct Entry: Hashable {
    var key: String
    var value: String
  }

  var format: TagFormat
  /// The entries in the order of the tag. A field with several values has one entry for each.
  private(set) var entries: [Entry] = []
  var pictures: [TagFinding.Picture] = []
  /// Lyrics with a language, a description or times; plain lyrics are in `entries`.
  var lyrics: [TagFinding.Lyrics] = []
  var chapters: [TagFinding.Chapter] = []
  /// Messages about parts of the tag that were left out.
  var remarks: [String] = []
  /// Number of values beyond `TagLimits.valueCount`, which were left out.
  private(set) var surplusCount = 0

  init(_ format: TagFormat) {
    self.format = format
  }

  var isEmpty: Bool { entries.isEmpty && pictures.isEmpty && lyrics.isEmpty && chapters.isEmpty }

  /// `true` if the tag accepts no more entries.
  var isFull: Bool { entries.count >= TagLimits.valueCount }

  /// Adds a value unless it is empty. If the tag is full, the value is only counted.
  mutating func add(_ key: String, _ value: String) {
    guard !value.isEmpty else { return }
    if isFull { surplusCount += 1 } else { entries.append(Entry(key: key, value: value)) }
  }

  /// Adds the text up to the first NUL, which ends the text in old formats.
  mutating func add(_ key: String, terminated value: String) {
    add(key, value.unicodeScalars.firstIndex(of: "\0").map { String(value[..<$0]) } ?? value)
  }
}
