public import AudioAnalysis
internal import CTagLib
public import SystemPackage

/// Reads the tags of audio files, whatever they are called: what a file is follows from its content.
///
/// A file may hold several tags. Those of its own container count first, then ID3v2, APEv2, and ID3v1 last; a later tag
/// gives only the fields that no earlier one has.
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
    var finding = TagFinding()
    for tag in try tags(of: source) { finding.add(tag) }
    return finding
  }

  /// All tags, in order of precedence.
  private static func tags(of source: ByteSource) throws(TagReadError) -> [RawTag] {
    let (leading, audioStart) = try leadingTags(of: source)
    let container = try Container(of: source, at: audioStart)
    switch container {
    case .flac:
      let trailing = try TrailingTags(of: source)
      return [try FLACMetadata.read(from: source, at: audioStart)] + leading + [trailing.apev2, trailing.id3v1].compacted()
    case .ogg:
      return [try OggStream.read(from: source, at: audioStart)] + leading
    case .mp4:
      return [try MP4Items.read(from: source)].compacted() + leading
    case .asf:
      return [try asf(source, at: audioStart)] + leading
    case .riff, .rifx, .wave64, .aiff, .dsdiff:
      var file = ChunkedFile(source, at: audioStart, container: container)
      return try file.read() + leading
    case .dsf:
      // The position of the metadata stands in the header (Sony, DSF file format specification 1.01).
      let position = try source.bytes(at: audioStart + 20, count: 8).littleEndian(8)
      let tag = try ID3v2Tag(in: source, at: Int(exactly: position) ?? source.size)
      return try [tag?.read()].compacted() + leading
    case .mod, .s3m, .it, .xm:
      return [try tracker(source, container)].compacted()
    case .apeTagged:
      let trailing = try TrailingTags(of: source)
      return [trailing.apev2].compacted() + leading + [trailing.id3v1].compacted()
    case .other:
      let trailing = try TrailingTags(of: source)
      let leadingAPE = try TrailingTags.leadingAPEv2(of: source, at: audioStart)
      return leading + [trailing.apev2, leadingAPE, trailing.id3v1].compacted()
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

  private static func asf(_ source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag {
    var tag = RawTag(.asf)
    let size = try source.bytes(at: offset + 16, count: 8).littleEndian(8)
    let header = try source.bytes(at: offset, count: Int(clamping: min(size, UInt64(TagBlock.maximumSize))))
    TagBlock(kind: CTAGLIB_ASF_HEADER, bytes: header).parse(into: &tag)
    return tag
  }

  private static func tracker(_ source: ByteSource, _ container: Container) throws(TagReadError) -> RawTag? {
    let (kind, name): (ctaglib_kind, String)
    switch container {
    case .mod: (kind, name) = (CTAGLIB_MOD, "mod")
    case .s3m: (kind, name) = (CTAGLIB_S3M, "s3m")
    case .it: (kind, name) = (CTAGLIB_IT, "it")
    case .xm: (kind, name) = (CTAGLIB_XM, "xm")
    default: return nil
    }
    var tag = RawTag(.tracker(name))
    TagBlock(kind: kind, bytes: try source.bytes(at: 0, count: TagBlock.maximumSize)).parse(into: &tag)
    return tag
  }
}

extension TagFinding {
  /// Fills in what no tag before this one had.
  fileprivate mutating func add(_ tag: RawTag) {
    remarks += tag.remarks
    guard !tag.isEmpty else { return }
    let canonical = CanonicalTags(tag)
    if !formats.contains(tag.format.name) { formats.append(tag.format.name) }
    for (field, values) in canonical.fields where fields[field] == nil { fields[field] = values }
    for (key, values) in canonical.others where fields[TagField.otherPrefix + key] == nil {
      fields[TagField.otherPrefix + key] = values
    }
    if pictures.isEmpty { pictures = tag.pictures }
    hasLyrics = hasLyrics || canonical.hasLyrics
  }
}

extension Array {
  fileprivate func compacted<Wrapped>() -> [Wrapped] where Element == Wrapped? { compactMap { $0 } }
}
