internal import MediaContainers
public import SystemPackage
internal import TagReading

/// A file whose tags can be changed: what it is made of, and where its tags stand.
///
/// It is taken apart more strictly than by the reader of tags: what is not exactly as the standard says is not touched.
/// Writing makes a whole new file, in which everything but the items that were set has the bytes of the old one (with the
/// lengths, offsets and checksums that follow from a tag of another length).
public struct TaggedFile {
  private let source: ByteSource
  private var container: any TagContainer

  /// - Throws: `TagWriteError`: `unsupportedFormat`, `oddStructure` or `inputOutput`.
  public init(path: FilePath) throws(TagWriteError) {
    do throws(FileReadError) {
      source = try ByteSource(path: path)
    } catch {
      throw TagWriteError(.inputOutput, error.message)
    }
    do {
      container = try Self.container(of: source)
    } catch let error as TagWriteError {
      throw error
    } catch {
      throw TagWriteError(.inputOutput, "\(error)")
    }
  }

  /// Gain is kept as R 128 has it (RFC 7845), not as ReplayGain.
  public var isOpus: Bool { (container as? OggFile)?.isOpus ?? false }

  /// What the tags of the file hold for a field, under all its keys; of several the first is the one that readers take.
  public func items(of field: String) -> [TagItem] {
    container.tags.flatMap { tag in
      tag.keys(of: field).map { TagItem(tag: tag.space.rawValue, key: $0, values: tag.values(of: $0)) }
    }
  }

  /// Where a field goes that the file does not have yet; `nil` if there is no key for it.
  public func newKey(of field: String) -> (tag: String, key: String)? {
    guard let space = container.tags.first?.space, let key = TagKeys.keys(of: field, in: space).first else {
      return nil
    }
    return (space.rawValue, key)
  }

  /// An item as the file has it; without values if it does not.
  public func item(tag: String, key: String) -> TagItem {
    TagItem(
      tag: tag, key: key, values: container.tags.first { $0.space.rawValue == tag }?.values(of: key) ?? [])
  }

  /// Sets an item, or takes it out if it has no values.
  public mutating func set(_ item: TagItem) throws(TagWriteError) {
    guard let place = container.tags.firstIndex(where: { $0.space.rawValue == item.tag }) else {
      if item.values.isEmpty { return }
      throw TagWriteError(.oddStructure, "The file no longer has a tag of the kind \(item.tag).")
    }
    try container.tags[place].set(item.key, to: item.values)
  }

  /// Bytes of the new file.
  public func newSize() throws(TagWriteError) -> Int { try container.splice().size }

  /// Writes the new file.
  public func write(to file: FileDescriptor) throws(TagWriteError) {
    try container.splice().write(from: source, to: file)
  }

  /// Whether all items but those of some keys are the same in both, byte for byte and in the same order.
  func hasSameOtherItems(as other: TaggedFile, than changed: [TagItem]) -> Bool {
    func rest(_ file: TaggedFile) -> [KeySpace: [[UInt8]]] {
      var rest: [KeySpace: [[UInt8]]] = [:]
      for tag in file.container.tags {
        let keys = changed.filter { $0.tag == tag.space.rawValue }.map(\.key)
        let others = tag.others(than: keys)
        if !others.isEmpty { rest[tag.space] = others }
      }
      return rest
    }
    return rest(self) == rest(other)
  }

  private static func container(of source: ByteSource) throws -> any TagContainer {
    let leading = try TagRegions.leading(in: source)
    guard !leading.isBroken else {
      throw TagWriteError(.oddStructure, "The ID3 tag in front claims a length or a version that it cannot have.")
    }
    let container = try Container(of: source, at: leading.end)
    switch container {
    case .flac: return try FLACFile(source, at: leading.end)
    case .ogg: return try OggFile(source, at: leading.end)
    case .mp4: return try MP4File(source, at: leading.end)
    case .asf: return try ASFFile(source, at: leading.end)
    case .wav, .aiff: return try ChunkFile(source, container, at: leading.end)
    case .monkeysAudio, .wavPack, .musepack7, .musepack8:
      return try EncodedAudioFile(source, leading, prefersID3v2: false)
    case .unknown:
      guard try MPEGStream(in: source, from: leading.end) != nil else { break }
      return try EncodedAudioFile(source, leading, prefersID3v2: true)
    default: break
    }
    throw TagWriteError(.unsupportedFormat, "Tags are not written in files of this format.")
  }
}

/// A file of one kind, taken apart.
protocol TagContainer {
  /// In the order in which readers take them. New fields go into the first one, which may be empty.
  var tags: [EditableTag] { get set }
  /// The file with these tags.
  func splice() throws(TagWriteError) -> FileSplice
}
