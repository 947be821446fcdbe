internal import Text

extension TagFinding {
  public static let declaration = FindingDeclaration<TagFinding>(
    "tags", table: "tag_summary", "Tags under canonical names; null if they were not read.",
    fields: TagField.all.map { tag in
      .entry(tag.name, of: \.fields, tag.type, tag.summary) { tag.value($0) }
    } + [
      .derived("other", "Tags without a canonical name, under the file's own names.") { tags, _ in
        tags.others
      },
      .rows("fields", \.fields, "Every tag under its name.", table: "tag", isReported: false),
      .field("pictures", \.pictures, "Embedded pictures.", nullIfEmpty: true),
      .field("has_lyrics", \.hasLyrics, "The tags contain lyrics."),
      .field("formats", \.formats, "The tag formats found: id3v2.4, vorbis, mp4, apev2, …", nullIfEmpty: true),
      .rows(
        "lyrics", \.lyrics, "Lyrics; null unless the report includes lyrics.", table: "lyrics", long: "lyrics"),
      .rows(
        "chapters", \.chapters, "Chapters; null unless the report includes chapters.", table: "chapter",
        long: "chapters"),
    ],
    lines: { tags, _ in
      TagField.all.compactMap { field in
        tags.fields[field.name].flatMap(ListText.joined).map { FindingLine(field.name, $0) }
      }
        + tags.lyrics.map { FindingLine("lyrics", $0.heading, details: $0.words) }
        + tags.chapters.map {
          FindingLine(
            "chapter", [clockText($0.startSeconds, decimals: 2), $0.title].compactMap(\.self).joined(separator: " "))
        } + [FindingLine("pictures", tags.pictures.map { "\($0.type) (\($0.mime))" }.joined(separator: ", "))]
    })

  /// Values of tags without a canonical name, by their names in the file.
  private var others: [String: [String]] {
    var others: [String: [String]] = [:]
    for (name, values) in fields where name.hasPrefix(TagField.otherPrefix) {
      others[String(name.dropFirst(TagField.otherPrefix.count))] = values
    }
    return others
  }
}

extension TagFinding.Lyrics {
  fileprivate var heading: String {
    let kind = lines.isEmpty ? "without times" : "with times"
    return [language, description, kind].compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var words: [String] {
    if !lines.isEmpty { return lines.map { "\(clockText($0.seconds, decimals: 2)) \($0.text)" } }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
