internal import Analysis

/// What one tag of a file holds, under the keys of its format.
struct RawTag {
  struct Entry: Hashable {
    var key: String
    var value: String
  }

  var format: TagFormat
  /// In the order of the tag; fields with several values come once for each.
  var entries: [Entry] = []
  var pictures: [TagFinding.Picture] = []
  /// Lyrics with a language, a description or times; others are entries.
  var lyrics: [TagFinding.Lyrics] = []
  var chapters: [TagFinding.Chapter] = []
  /// What was left out.
  var remarks: [String] = []

  init(_ format: TagFormat) {
    self.format = format
  }

  var isEmpty: Bool { entries.isEmpty && pictures.isEmpty && lyrics.isEmpty && chapters.isEmpty }
}
