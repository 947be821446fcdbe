public import AudioAnalysis
internal import CTagLib
public import SystemPackage

/// Reads the tags of audio files, whatever they are called: what a file is follows from its content.
///
/// A file may hold several tags. What stands in its container's own tag counts alone: the Vorbis comment of FLAC and
/// Ogg, the items of MP4, the attributes of ASF; if there is none, what else is found is taken. WAV, AIFF and DSDIFF
/// have ID3v2 first and their text chunks after it. Everything else (MP3, AAC, APE, WavPack, Musepack, TTA, …) has
/// ID3v2 first, then APEv2, then ID3v1. A later tag gives only the fields that no earlier one has.
public enum TagReader {
  /// The tags of a file; empty if it has none, and for files that are no audio.
  /// - Throws: `TagReadError` if the file cannot be opened or read.
  public static func read(path: FilePath) throws(TagReadError) -> TagFinding {
    let file: FileDescriptor
    do {
      // Opening a FIFO would wait for a writer without `.nonBlocking`.
      file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
    } catch {
      throw TagReadError(.unreadable, "The file cannot be opened: \(error as? Errno ?? .ioError).")
    }
    defer { try? file.close() }
    return try read(ByteSource(file: file))
  }

  static func read(_ source: ByteSource) throws(TagReadError) -> TagFinding {
    let (leading, audioStart) = try leadingTags(of: source)
    let container = try Container(of: source, at: audioStart)
    let own = try ownTags(of: source, container, at: audioStart)
    var finding = TagFinding()
    for tag in own { finding.add(tag) }
    let isComplete = !finding.fields.isEmpty || !finding.pictures.isEmpty
    var others = leading
    if container == .flac || container == .other {
      let trailing = try TrailingTags(of: source)
      let early = try container == .other ? APEv2Tag(in: source, startingAt: audioStart)?.read() : nil
      others += [trailing.apev2, early, trailing.id3v1].compactMap { $0 }
    }
    for tag in others { finding.add(tag, formatOnly: isComplete) }
    return finding
  }

  /// The tags that belong to the container itself, in order of precedence.
  private static func ownTags(
    of source: ByteSource, _ container: Container, at audioStart: Int
  ) throws(TagReadError) -> [RawTag] {
    switch container {
    case .flac: return [try FLACMetadata.read(from: source, at: audioStart)]
    case .ogg: return [try OggStream.read(from: source, at: audioStart)]
    case .mp4: return try MP4Items.read(from: source).map { [$0] } ?? []
    case .asf: return [try ASFHeader.read(from: source, at: audioStart)]
    case .riff, .rifx, .wave64, .aiff, .dsdiff:
      var file = ChunkedFile(source, at: audioStart, container: container)
      return try file.read()
    case .dsf:
      // The position of the metadata stands in the header (Sony, DSF file format specification 1.01).
      let position = try source.bytes(at: audioStart + 20, count: 8).littleEndian(8)
      guard let tag = try ID3v2Tag(in: source, at: Int(exactly: position) ?? source.size) else { return [] }
      return [try tag.read()]
    case .mod: return [try tracker(CTAGLIB_MOD, "mod", source)]
    case .s3m: return [try tracker(CTAGLIB_S3M, "s3m", source)]
    case .it: return [try tracker(CTAGLIB_IT, "it", source)]
    case .xm: return [try tracker(CTAGLIB_XM, "xm", source)]
    case .other: return []
    }
  }

  private static let maximumLeadingTagCount = 1_000

  /// ID3v2 tags at the start, of which the first that holds anything counts, and where the file goes on after them.
  private static func leadingTags(of source: ByteSource) throws(TagReadError) -> ([RawTag], end: Int) {
    var position = 0
    var tags: [RawTag] = []
    for _ in 0..<maximumLeadingTagCount {
      guard let tag = try ID3v2Tag(in: source, at: position) else { break }
      position = tag.end
      if tags.first?.isEmpty ?? true { tags = [try tag.read()] }
    }
    return (tags, position)
  }

  private static func tracker(
    _ kind: ctaglib_kind, _ name: String, _ source: ByteSource
  ) throws(TagReadError) -> RawTag {
    var tag = RawTag(.tracker(name))
    TagBlock(kind: kind, bytes: try source.bytes(at: 0, count: TagBlock.maximumSize)).parse(into: &tag)
    return tag
  }
}

extension TagFinding {
  /// Fills in what no tag before this one had; with `formatOnly`, only says that there is a tag.
  fileprivate mutating func add(_ tag: RawTag, formatOnly: Bool = false) {
    if !tag.isEmpty, !formats.contains(tag.format.name) { formats.append(tag.format.name) }
    if formatOnly { return }
    remarks += tag.remarks
    let canonical = CanonicalTags(tag)
    remarks += canonical.remarks
    for (field, values) in canonical.fields where fields[field] == nil { fields[field] = values }
    for (key, values) in canonical.others where fields[TagField.otherPrefix + key] == nil {
      fields[TagField.otherPrefix + key] = values
    }
    if pictures.isEmpty { pictures = tag.pictures }
    hasLyrics = hasLyrics || canonical.hasLyrics
  }
}
