internal import AudioAnalysis

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
  /// Synchronised lyrics, which are no text entry.
  var hasTimedLyrics = false
  /// What was left out.
  var remarks: [String] = []

  init(_ format: TagFormat) {
    self.format = format
  }

  var isEmpty: Bool { entries.isEmpty && pictures.isEmpty && !hasTimedLyrics }
}
