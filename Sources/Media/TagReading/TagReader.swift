public import Analysis
public import MediaContainers
public import SystemPackage

/// Reads the tags of audio files. The format is detected from the content, not the file name.
///
/// A file may have several tags. The container's own tag takes precedence over all others: the Vorbis comment of FLAC
/// and Ogg, the items of MP4, the attributes of ASF, and the tags of Matroska. Other tags are used only if the
/// container's own tag is missing or only names the encoder. In WAV, AIFF and DSDIFF, ID3v2 comes before the text
/// chunks. In all other formats (MP3, AAC, APE, WavPack, Musepack, TTA, …), the order is ID3v2, APEv2, ID3v1, Lyrics3.
/// A later tag only adds fields that earlier tags do not have. A remark lists the fields that only an unused tag has.
public enum TagReader {
  /// Reads the tags of a file. The finding is empty if the file has no tags, or is not an audio file.
  ///
  /// - Throws: `FileReadError` if the file cannot be opened or read.
  public static func read(path: FilePath) throws(FileReadError) -> TagFinding {
    try read(ByteSource(path: path, budget: TagLimits.readBudget))
  }

  static func read(_ source: ByteSource) throws(FileReadError) -> TagFinding {
    let tags = try SeparateTags(of: source)
    var finding = TagFinding()
    for tag in tags.own { finding.add(tag) }
    let isComplete = !finding.pictures.isEmpty || finding.fields.keys.contains(where: Self.isWrittenByPeople)
    for tag in tags.others { finding.add(tag, formatOnly: isComplete) }
    finding.remarks += tags.remarks
    finding.keepWithinBounds()
    if source.isExhausted {
      finding.remarks.append(
        "The tags are larger than any real ones; after \(TagLimits.readBudget >> 20) MB the rest was not read.")
    }
    return finding
  }

  /// Returns `false` for fields that encoders add without being asked, and for unknown fields: a file that has only
  /// these was never tagged.
  static func isWrittenByPeople(_ field: String) -> Bool {
    !field.hasPrefix(TagField.otherPrefix) && field != "encodedby" && field != "encodersettings"
  }
}

extension TagFinding {
  /// Adds everything that earlier tags do not have. If `formatOnly` is `true`, adds only the name of the format, and
  /// remarks.
  fileprivate mutating func add(_ tag: RawTag, formatOnly: Bool = false) {
    if !tag.isEmpty, !formats.contains(tag.format.name) { formats.append(tag.format.name) }
    remarks += tag.remarks
    if tag.surplusCount > 0 {
      remarks.append("The \(tag.format.name) tag has \(tag.surplusCount) values too many; they were left out.")
    }
    let canonical = CanonicalTags(tag)
    if formatOnly {
      var left = canonical.fields.keys.filter { fields[$0] == nil }.sorted()
      if pictures.isEmpty, !tag.pictures.isEmpty { left.append("pictures") }
      if lyrics.isEmpty, !canonical.lyrics.isEmpty { left.append("lyrics") }
      if chapters.isEmpty, !canonical.chapters.isEmpty { left.append("chapters") }
      if !left.isEmpty {
        remarks.append(
          "The \(tag.format.name) tag was left out, because the file also has the usual tags for its format; they lack "
            + left.joined(separator: ", ") + ".")
      }
      return
    }
    remarks += canonical.remarks
    for (field, values) in canonical.fields where fields[field] == nil { fields[field] = values }
    for (key, values) in canonical.others where fields[TagField.otherPrefix + key] == nil {
      fields[TagField.otherPrefix + key] = values
    }
    if pictures.isEmpty { pictures = tag.pictures }
    if lyrics.isEmpty { lyrics = canonical.lyrics }
    if chapters.isEmpty { chapters = canonical.chapters }
  }

  /// Maximum number of bytes of lyrics kept from one file, including their times.
  private static let maximumLyricsSize = 1 << 20
  private static let maximumChapterCount = 10_000

  fileprivate mutating func keepWithinBounds() {
    hasLyrics = !lyrics.isEmpty
    var size = 0
    let all = lyrics
    lyrics = all.filter { entry in
      let own = entry.text.utf8.count + entry.lines.reduce(0) { $0 + $1.text.utf8.count + 16 }
      guard size + own <= Self.maximumLyricsSize else { return false }
      size += own
      return true
    }
    if lyrics.count < all.count {
      remarks.append("Some lyrics were left out: together they exceed 1 MB.")
    }
    if chapters.count > Self.maximumChapterCount {
      remarks.append("Of \(chapters.count) chapters only the first \(Self.maximumChapterCount) were kept.")
      chapters.removeLast(chapters.count - Self.maximumChapterCount)
    }
  }
}
