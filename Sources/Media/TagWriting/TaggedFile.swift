internal import Analysis
internal import MediaContainers
public import SystemPackage
internal import TagReading

/// A file whose tags can be changed, with its structure and the positions of its tags.
///
/// Parsing is stricter than in the tag reader: files that deviate from the standard are left alone. Writing creates a
/// complete new file. Everything except the changed items keeps its bytes, apart from lengths, offsets and checksums
/// that depend on the length of a tag. A program that finds a tag in its preferred format does not read other tags, so
/// when the first item of such a tag is set, the content of all other tags is copied to it.
public struct TaggedFile {
  let source: ByteSource
  private var container: any TagContainer
  /// Items that `transfer` copied from other tags.
  private(set) var transferred: [TagTransfer.Item] = []

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

  /// `true` if the file stores gain as R 128 (RFC 7845) instead of ReplayGain.
  public var isOpus: Bool { (container as? OggFile)?.isOpus ?? false }

  /// Returns the values of a field in the file's tags, under all its keys. Tag readers use the first one.
  public func items(of field: String) -> [TagItem] {
    container.tags.flatMap { tag in
      tag.keys(of: field).map { TagItem(tag: tag.space.rawValue, key: $0, values: tag.values(of: $0)) }
    }
  }

  /// Returns the tag and key for a field that the file does not have yet; `nil` if there is no key for it.
  public func newKey(of field: String) -> (tag: String, key: String)? {
    guard let space = container.tags.first?.space, let key = TagKeys.newKey(of: field, in: space) else {
      return nil
    }
    return (space.rawValue, key)
  }

  /// Returns an item of the file, without values if the file does not contain it.
  public func item(tag: String, key: String) -> TagItem {
    TagItem(
      tag: tag, key: key, values: container.tags.first { $0.space.rawValue == tag }?.values(of: key) ?? [])
  }

  /// Sets an item, or removes it if it has no values.
  public mutating func set(_ item: TagItem) throws(TagWriteError) {
    guard let place = container.tags.firstIndex(where: { $0.space.rawValue == item.tag }) else {
      if item.values.isEmpty { return }
      throw TagWriteError(.oddStructure, "The file no longer has a tag of the kind \(item.tag).")
    }
    if place == 0, !item.values.isEmpty, container.tags[0].isSilent { try transfer() }
    try container.tags[place].set(item.key, to: item.values)
  }

  /// Copies the content of the file's other tags to the first tag, which does not contain any text yet.
  private mutating func transfer() throws(TagWriteError) {
    let space = container.tags[0].space
    let isKey: (String) -> Bool
    switch space {
    case .id3v2: isKey = ID3v2Envelope.hasFrame
    case .apev2: isKey = APEv2Items.isKey
    case .vorbis: isKey = VorbisCommentBody.isKey
    default: return
    }
    do {
      let items = TagTransfer.items(of: try SeparateTags(of: source), to: space, where: isKey)
      for item in items where container.tags[0].values(of: item.key).isEmpty {
        try container.tags[0].set(item.key, to: item.values)
        transferred.append(item)
      }
      for picture in try container.pictures(from: source) { container.tags[0].append(picture) }
    } catch let error as TagWriteError {
      throw error
    } catch {
      throw TagWriteError(.inputOutput, "\(error)")
    }
  }

  /// Returns the pieces of the new file.
  func splice() throws(TagWriteError) -> FileSplice { try container.splice() }

  /// Writes the new file.
  public func write(to file: FileDescriptor) throws(TagWriteError) {
    try splice().write(from: source, to: file)
  }

  /// Returns `true` if all items except the changed ones are the same in both files, byte for byte and in the same
  /// order.
  func hasSameOtherItems(as other: TaggedFile, than changed: [TagItem]) throws(TagWriteError) -> Bool {
    try others(than: changed) == other.others(than: changed)
  }

  /// Returns, for each tag format, the sizes of all items except the changed ones, and a digest of their bytes.
  private func others(than changed: [TagItem]) throws(TagWriteError) -> [KeySpace: OtherItems] {
    var others: [KeySpace: OtherItems] = [:]
    for tag in container.tags {
      let keys = changed.filter { $0.tag == tag.space.rawValue }.map(\.key)
      let pieces = tag.others(than: keys)
      guard !pieces.isEmpty else { continue }
      var splice = FileSplice()
      for piece in pieces { splice.add(piece) }
      others[tag.space] = OtherItems(sizes: pieces.map(\.size), digest: try splice.digest(from: source))
    }
    return others
  }

  private struct OtherItems: Equatable {
    var sizes: [Int]
    var digest: ContentID
  }

  private static func container(of source: ByteSource) throws -> any TagContainer {
    let leading = try TagRegions.leading(in: source)
    guard !leading.isBroken else {
      throw TagWriteError(.oddStructure, "The ID3 tag at the start claims an invalid length or version.")
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
    throw TagWriteError(.unsupportedFormat, "Tags cannot be written to files of this format.")
  }
}

/// A parsed file whose tags can be changed, in one file format.
protocol TagContainer {
  /// The tags in order of precedence for tag readers. New fields go into the first tag, which may be empty.
  var tags: [EditableTag] { get set }
  /// Returns the pieces of the file with these tags.
  func splice() throws(TagWriteError) -> FileSplice
  /// Returns the pictures of the other tags, as entries for the first tag.
  func pictures(from source: ByteSource) throws -> [EditableTag.Entry]
}

extension TagContainer {
  func pictures(from source: ByteSource) throws -> [EditableTag.Entry] { [] }
}
