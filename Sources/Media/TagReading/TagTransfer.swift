internal import Analysis

/// Determines the content of a new tag, so that programs that prefer its format still see everything in the file's
/// other tags.
package enum TagTransfer {
  package struct Item: Hashable, Sendable {
    /// A key of the new tag.
    package var key: String
    package var values: [String]
  }

  /// Returns the texts of all tags in other formats, except ratings, under the keys of the new tag. If several tags
  /// have a field, the first one takes precedence.
  ///
  /// - Parameter isKey: Returns `true` if the new tag can have an item with a given key.
  package static func items(
    of tags: SeparateTags, to space: KeySpace, where isKey: (String) -> Bool
  ) -> [Item] {
    var items: [Item] = []
    var known: Set<String> = []
    for tag in tags.own + tags.others where tag.format.keySpace != space {
      var own: [Item] = []
      for entry in tag.entries {
        guard let key = key(of: entry, tag.format.keySpace, to: space, where: isKey),
          !known.contains(key.uppercased())
        else { continue }
        let values = values(of: entry, tag.format.keySpace)
        if let place = own.firstIndex(where: { $0.key.uppercased() == key.uppercased() }) {
          own[place].values += values.filter { !own[place].values.contains($0) }
        } else if !values.isEmpty {
          own.append(Item(key: key, values: values))
        }
      }
      for lyrics in tag.lyrics.prefix(1) {
        guard let key = TagKeys.keys(of: "lyrics", in: space).first(where: isKey), !known.contains(key.uppercased())
        else {
          continue
        }
        own.append(Item(key: key, values: [lyrics.text]))
      }
      known.formUnion(own.map { $0.key.uppercased() })
      items += own
    }
    return items
  }

  private static func values(of entry: RawTag.Entry, _ space: KeySpace) -> [String] {
    let parts = entry.value.split(separator: "\0").map { TagValue.cleaned(String($0)) }.filter { !$0.isEmpty }
    guard space == .id3v2, entry.key == "TCON" else { return parts }
    return parts.flatMap { TagValue.genres($0) }
  }

  private static func key(
    of entry: RawTag.Entry, _ space: KeySpace, to target: KeySpace, where isKey: (String) -> Bool
  ) -> String? {
    if let field = TagKeys.meaning(of: entry.key, in: space)?.field {
      // Rating scales differ between tag formats.
      return field == "rating" ? nil : TagKeys.keys(of: field, in: target).first(where: isKey)
    }
    // In ID3v2, a custom key follows the name of the frame.
    let name = entry.key.split(separator: ":", maxSplits: 1).last.map(String.init) ?? entry.key
    let key = target == .id3v2 ? "TXXX:" + name : name
    return isKey(key) ? key : nil
  }
}
