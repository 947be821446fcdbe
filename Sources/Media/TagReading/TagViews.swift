internal import Analysis
internal import MediaContainers

/// The values that other programs show for a file that has several tags. Some programs use the first non-empty tag in
/// their own order; others merge the tags.
package struct TagViews: Hashable, Sendable {
  package struct View: Hashable, Sendable {
    package var program: String
    package var fields: [String: [String]] = [:]
    /// Values that are not in `fields`: those of custom keys, under "", and those of a field's keys with lower
    /// precedence.
    var otherValues: [String: Set<String>] = [:]
    var pictureCount = 0
    var hasLyrics = false
  }

  package private(set) var views: [View] = []

  package init(_ tags: SeparateTags) {
    for (program, order, mergesAll) in Self.rules(tags.container) {
      var view = View(program: program)
      for name in order {
        guard let tag = (tags.own + tags.others).first(where: { $0.format.name.hasPrefix(name) && !$0.isEmpty }) else {
          continue
        }
        view.add(tag)
        if !mergesAll { break }
      }
      views.append(view)
    }
  }

  /// Describes the first value that a program showed before but no longer shows; `nil` if no value is lost.
  ///
  /// - Parameters:
  ///   - old: The views before anything was written.
  ///   - fields: Fields that were set or removed, which are not compared.
  package func loss(since old: TagViews, besides fields: Set<String>) -> String? {
    for (program, new) in zip(old.views, views) {
      for field in program.fields.keys where !fields.contains(field) {
        // If the tags contradict each other, a program may now show the value of another tag.
        let shown = old.views.compactMap { $0.fields[field] }
        guard let now = new.fields[field], shown.contains(where: { Self.isSame(now, $0) }) else {
          return "\(program.program) would not show \(field)"
        }
      }
      let all = Set(new.fields.values.flatMap(\.self)).union(new.otherValues.values.flatMap(\.self))
      let others = program.otherValues.filter { !fields.contains($0.key) }.values.flatMap(\.self)
      if let lost = others.first(where: { !all.contains($0) }) {
        return "\(program.program) would not show “\(lost.prefix(40))”"
      }
      if new.pictureCount < program.pictureCount { return "\(program.program) would not show all pictures" }
      if program.hasLyrics, !new.hasLyrics { return "\(program.program) would not show the lyrics" }
    }
    return nil
  }

  /// ID3v1 truncates texts, so a longer text with the same start counts as equal.
  private static func isSame(_ new: [String], _ old: [String]) -> Bool {
    old.allSatisfy { old in new.contains { $0.hasPrefix(old) } }
  }

  /// Returns the formats that each program reads, according to the sources of TagLib, FFmpeg and mutagen. TagLib's
  /// properties come from the first non-empty tag; FFmpeg drops a leading ID3v2 tag if the demuxer finds other tags.
  private static func rules(_ container: Container) -> [(program: String, order: [String], mergesAll: Bool)] {
    switch container {
    case .unknown:
      [
        ("TagLib", ["id3v2", "apev2", "id3v1"], false), ("FFmpeg", ["id3v2", "id3v1"], false),
        ("mutagen", ["id3v2", "id3v1"], true),
      ]
    case .monkeysAudio, .wavPack, .musepack7, .musepack8:
      [
        ("TagLib", ["apev2", "id3v1"], false), ("FFmpeg", ["apev2", "id3v2", "id3v1"], false),
        ("mutagen", ["apev2"], false),
      ]
    case .wav, .aiff:
      [
        ("TagLib", ["id3v2", "riff_info"], false), ("FFmpeg", ["id3v2", "riff_info", "aiff"], true),
        ("mutagen", ["id3v2"], false),
      ]
    case .flac:
      [
        ("TagLib", ["vorbis", "id3v2", "id3v1"], false), ("FFmpeg", ["vorbis", "id3v2"], false),
        ("mutagen", ["vorbis"], false),
      ]
    case .ogg: [("FFmpeg", ["vorbis", "id3v2"], true)]
    case .mp4: [("FFmpeg", ["mp4", "id3v2"], false)]
    case .asf: [("FFmpeg", ["asf", "id3v2"], false)]
    default: []
    }
  }
}

extension TagViews.View {
  /// Adds the fields that no earlier tag had, and the other values, pictures and lyrics of the tag.
  fileprivate mutating func add(_ tag: RawTag) {
    let canonical = CanonicalTags(tag)
    fields.merge(canonical.fields) { first, _ in first }
    for (key, values) in canonical.others {
      let field = TagKeys.meaning(of: key, in: tag.format.keySpace)?.field ?? ""
      otherValues[field, default: []].formUnion(values)
    }
    pictureCount += tag.pictures.count
    hasLyrics = hasLyrics || !canonical.lyrics.isEmpty
  }
}
