public import Analysis
internal import AudioDecoding
internal import Glibc
internal import MediaContainers
public import Platform
public import SystemPackage
internal import TagReading

/// Puts a file with other tags in the place of a file.
///
/// The new file is made beside the old one, written to the disk, checked, and renamed: at any moment there is the old file or
/// the new one, whole, whatever happens to this process or to the disk. A symbolic link stays one: what it leads to is
/// replaced.
public struct TagReplacement {
  public struct Options: Hashable, Sendable {
    /// The new file gets the times of the old one.
    public var preservesTimes = false
    /// A file with several names is replaced under this name alone; the others keep the old file.
    public var splitsHardLinks = false

    public init() {}
  }

  /// Without symbolic links.
  public let path: FilePath
  public let file: TaggedFile
  /// The old file.
  public let identity: FileIdentity
  /// What readers of tags see in the old file.
  public let tags: TagFinding
  private let options: Options

  /// Looks at a file.
  /// - Throws: `TagWriteError` if it may not or cannot be changed.
  public init(_ path: FilePath, _ options: Options) throws(TagWriteError) {
    do throws(Errno) {
      self.path = try path.resolved()
    } catch {
      throw TagWriteError(.inputOutput, "The file cannot be found: \(error).")
    }
    self.options = options
    var status = stat()
    guard unsafe self.path.withPlatformString({ unsafe stat($0, &status) }) == 0,
      let identity = FileIdentity(self.path), identity.isRegularFile
    else { throw TagWriteError(.inputOutput, "This is no regular file.") }
    self.identity = identity
    guard options.splitsHardLinks || status.st_nlink <= 1 else {
      throw TagWriteError(
        .hardLinks,
        "The file has \(status.st_nlink) names (hard links), and the others would keep the old tags. "
          + "Use --split-hard-links to give this name a file of its own.")
    }
    guard identity.permissions & 0o222 != 0, self.path.allows(.write) else {
      throw TagWriteError(.notWritable, "The file is read-only.")
    }
    file = try TaggedFile(path: self.path)
    do throws(FileReadError) {
      tags = try TagReader.read(path: self.path)
    } catch {
      throw TagWriteError(.inputOutput, error.message)
    }
  }

  /// Replaces the file by one with other items.
  /// - Parameters:
  ///   - items: What to set; an item without values is taken out.
  ///   - fields: The canonical names of what is set. All other fields must stay as they are.
  ///   - expected: What readers must find in the new file, by canonical name.
  ///   - contentID: Of the audio, as it was analyzed.
  ///   - beforeRenaming: Called when the new file is complete and checked, with what it is; if it throws, nothing happens.
  /// - Throws: `TagWriteError`, or what `beforeRenaming` throws. The old file is then in its place.
  public func perform(
    _ items: [TagItem], of fields: Set<String>, expecting expected: [String: String] = [:], contentID: ContentID,
    beforeRenaming: (FileIdentity) throws -> Void
  ) throws {
    var changed = file
    for item in items { try changed.set(item) }
    let content = try Self.content(of: path)
    guard content.id == contentID else {
      throw TagWriteError(.changed, "The audio is not the one that was analyzed; run `analyze` again.")
    }
    let replacement: FileReplacement
    do throws(Errno) {
      replacement = try FileReplacement(path)
    } catch {
      throw TagWriteError(.notWritable, "No file can be made in its folder: \(error).")
    }
    try changed.write(to: replacement.descriptor)
    try keepAttributes(in: replacement)
    try check(replacement.temporaryPath, items, fields, expected, content)
    guard let new = FileIdentity(replacement.descriptor) else {
      throw TagWriteError(.inputOutput, "The new file cannot be examined.")
    }
    try beforeRenaming(new)
    guard FileIdentity(path) == identity else {
      throw TagWriteError(.changed, "The file was changed by another program meanwhile.")
    }
    do throws(Errno) {
      try replacement.commit()
    } catch {
      throw TagWriteError(.inputOutput, "The new file could not be put in its place: \(error).")
    }
  }

  private func keepAttributes(in replacement: FileReplacement) throws(TagWriteError) {
    do {
      let old = try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec])
      try old.closeAfter { try replacement.takeAttributes(of: old, includingTimes: options.preservesTimes) }
    } catch {
      throw TagWriteError(.rights, "Owner, rights or attributes of the file cannot be kept: \(error).")
    }
  }

  // MARK: Checks

  private static func content(of path: FilePath) throws(TagWriteError) -> AudioContent {
    do throws(DecodeError) {
      return try AudioContent(path: path)
    } catch {
      throw TagWriteError(.checkFailed, "The audio cannot be read: \(error.message)")
    }
  }

  /// Whether the new file is the old one with the new items.
  private func check(
    _ new: FilePath, _ items: [TagItem], _ fields: Set<String>, _ expected: [String: String],
    _ content: AudioContent
  ) throws(TagWriteError) {
    func fail(_ what: String) -> TagWriteError {
      TagWriteError(.checkFailed, "The new file was thrown away, since \(what).")
    }
    let newContent = try Self.content(of: new)
    guard newContent.id == content.id, newContent.decodingID == content.decodingID, newContent.fault == content.fault,
      newContent.remarks == content.remarks
    else { throw fail("its audio was not the same") }
    let written = try TaggedFile(path: new)
    guard written.hasSameOtherItems(as: file, than: items) else { throw fail("other items of its tags had changed") }
    for item in items where written.item(tag: item.tag, key: item.key).values != item.values {
      throw fail("\(item.key) did not have its value")
    }
    let found: TagFinding
    do throws(FileReadError) {
      found = try TagReader.read(path: new)
    } catch {
      throw fail("its tags could not be read")
    }
    // Under its own key the reader lists what has come second to another key of the same field.
    let keys = Set(items.map { (TagField.otherPrefix + $0.key).uppercased() })
    func others(_ tags: TagFinding) -> [String: [String]] {
      tags.fields.filter { !fields.contains($0.key) && !keys.contains($0.key.uppercased()) }
    }
    guard others(found) == others(tags), found.pictures == tags.pictures, found.lyrics == tags.lyrics,
      found.chapters == tags.chapters, found.remarks == tags.remarks
    else { throw fail("readers would see other tags than before, beside what was to be written") }
    for (field, value) in expected where found.fields[field]?.first != value {
      throw fail("readers would not find \(field)")
    }
  }
}
