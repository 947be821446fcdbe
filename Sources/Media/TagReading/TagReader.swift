public import Analysis
public import MediaContainers
public import SystemPackage

/// Reads the tags of audio files, whatever they are called: what a file is follows from its content.
///
/// A file may hold several tags. The container's own tag counts alone: the Vorbis comment of FLAC and Ogg, the items of
/// MP4, the attributes of ASF, the tags of Matroska; if there is none, or it only names the encoder, other tags are
/// taken. WAV, AIFF and DSDIFF have ID3v2 first and their text chunks after it. Everything else (MP3, AAC, APE,
/// WavPack, Musepack, TTA, …) has ID3v2 first, then APEv2, then ID3v1, then Lyrics3. A later tag gives only the fields
/// that no earlier one has. A remark names tags that are not read.
public enum TagReader {
  /// The tags of a file; empty if it has none, and for files that are no audio.
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

  /// False for what encoders write by themselves, which is no sign that the file was tagged.
  static func isWrittenByPeople(_ field: String) -> Bool {
    !field.hasPrefix(TagField.otherPrefix) && field != "encodedby" && field != "encodersettings"
  }
}

extension TagFinding {
  /// Fills in what no tag before this one had; with `formatOnly`, only says that there is a tag.
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
          "The \(tag.format.name) tag was left out, since the file has tags of its own; they lack "
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

  /// Bytes of lyrics that are kept of one file, times included.
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
