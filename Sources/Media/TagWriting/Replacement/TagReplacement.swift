public import Analysis
internal import AudioDecoding
internal import Glibc
internal import MediaContainers
public import Platform
public import SystemPackage
internal import TagReading

/// Replaces a file with a copy whose tags differ.
///
/// The new file is created in the same folder, written to disk, checked, and then renamed. At any moment, either the
/// old or the new file exists completely, even if this process or the disk fails. A file that another program has
/// changed in the meantime is left alone (`LockedFile`). If the path is a symbolic link, its target is replaced.
public struct TagReplacement {
  public struct Options: Hashable, Sendable {
    /// `true` to give the new file the times of the old one.
    public var preservesTimes = false
    /// `true` to accept a file that has several hard links. Only this name gets the new file; the other names keep the
    /// old one.
    public var splitsHardLinks = false

    public init() {}
  }

  /// The path with all symbolic links resolved.
  public let path: FilePath
  public let file: TaggedFile
  /// The identity of the old file.
  public let identity: FileIdentity
  /// The tags that `TagReader` finds in the old file.
  public let tags: TagFinding
  private let options: Options

  /// Opens a file for replacement.
  ///
  /// - Throws: `TagWriteError` if the file cannot or must not be changed.
  public init(_ path: FilePath, _ options: Options) throws(TagWriteError) {
    do throws(Errno) {
      self.path = try path.resolved()
    } catch {
      throw TagWriteError(.inputOutput, "The file cannot be found: \(error).")
    }
    self.options = options
    guard let status = try? FileStatus(at: self.path, followingLinks: true),
      let identity = FileIdentity(self.path), identity.isRegularFile
    else { throw TagWriteError(.inputOutput, "This is not a regular file.") }
    self.identity = identity
    guard options.splitsHardLinks || status.linkCount <= 1 else {
      throw TagWriteError(
        .hardLinks,
        "The file has \(status.linkCount) names (hard links), and the others would keep the old tags. "
          + "Use --split-hard-links to give this name a file of its own.")
    }
    guard identity.permissions & 0o222 != 0, self.path.allows(.write) else {
      throw TagWriteError(.notWritable, "The file is read-only.")
    }
    // Root could still write there, but whoever removed the permission did not want that.
    let folder = self.path.removingLastComponent()
    guard let rights = FileIdentity(folder)?.permissions, rights & 0o222 != 0, folder.allows(.write) else {
      throw TagWriteError(.notWritable, "The folder is read-only.")
    }
    do throws(TagWriteError) {
      file = try TaggedFile(path: self.path)
      tags = try Self.tags(of: self.path)
    } catch {
      throw Self.cause(of: error, at: self.path, opened: identity)
    }
  }

  private static func tags(of path: FilePath) throws(TagWriteError) -> TagFinding {
    do throws(FileReadError) {
      return try TagReader.read(path: path)
    } catch {
      throw TagWriteError(.inputOutput, error.message)
    }
  }

  /// Information about a new file just before it replaces the old one.
  public struct Prepared {
    public var identity: FileIdentity
    /// Instructions for restoring the old file; `nil` if storing them would take too many bytes.
    public var reversal: FileReversal?
  }

  /// `true` if the file contains the audio that was analyzed, undamaged.
  public func hasAudio(_ id: ContentID) throws(TagWriteError) -> Bool {
    let content = try Self.content(of: path)
    return content.id == id && content.fault == nil
  }

  /// Replaces the file with a copy in which some items are set or removed.
  ///
  /// - Parameters:
  ///   - items: The items to set; an item without values is removed.
  ///   - fields: The canonical names of the fields that are set. No other field may change.
  ///   - expected: The values that `TagReader` must find in the new file, by canonical field name.
  ///   - contentID: The id of the analyzed audio.
  ///   - beforeRenaming: Called when the new file is complete and has been checked. If it throws, the file is not
  ///     replaced.
  /// - Returns: The identity of the new file.
  /// - Throws: `TagWriteError`, or the error of `beforeRenaming`. The old file is then unchanged.
  @discardableResult
  public func perform(
    _ items: [TagItem], of fields: Set<String>, expecting expected: [String: String] = [:], contentID: ContentID,
    beforeRenaming: (Prepared) throws -> Void
  ) throws -> FileIdentity {
    let old = try lock()
    let (changed, content) = try unlessChanging {
      var changed = file
      for item in items { try changed.set(item) }
      let content = try Self.content(of: path)
      guard content.id == contentID else {
        throw TagWriteError(.changed, "The audio has changed since it was analyzed; run `analyze` again.")
      }
      return (changed, content)
    }
    return try replace(old, by: changed.splice()) { new in
      try check(new, items, fields, expected, content, against: changed)
    } beforeRenaming: {
      try beforeRenaming($0)
    }
  }

  /// Runs `body`. If that fails and the file has changed since it was opened, throws an error about the change.
  func unlessChanging<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as TagWriteError {
      throw Self.cause(of: error, at: path, opened: identity)
    }
  }

  /// Returns the error itself or, if the file has changed since it was opened, one about the change: another program
  /// may have been writing while the data was read, so the file itself need not be faulty.
  private static func cause(
    of error: TagWriteError, at path: FilePath, opened identity: FileIdentity
  ) -> TagWriteError {
    FileIdentity(path) == identity || error.canBeRetried ? error : TagWriteError(LockedFile.Failure.changed)
  }

  /// Restores the old file, byte for byte.
  ///
  /// - Returns: The identity of the restored file; `nil`, with nothing done, if the current file is not the
  ///   replacement, or `reversal` is inconsistent.
  /// - Throws: `TagWriteError`. The file is then unchanged.
  public func reverse(_ reversal: FileReversal) throws -> FileIdentity? {
    let old = try lock()
    guard reversal.isConsistent, try FileDigest(file.source) == reversal.new else { return nil }
    return try replace(old, by: reversal.splice) { new in
      guard let source = try? ByteSource(path: new), (try? FileDigest(source)) == reversal.old else {
        throw TagWriteError(.checkFailed, "The new file was discarded because it was not identical to the old one.")
      }
    } beforeRenaming: { _ in
    }
  }

  /// Locks the file, which must still be the one that `init` opened.
  private func lock() throws(TagWriteError) -> LockedFile {
    do throws(LockedFile.Failure) {
      let file = try LockedFile(path)
      guard file.identity == identity else { throw .changed }
      return file
    } catch {
      throw TagWriteError(error)
    }
  }

  private func replace(
    _ old: LockedFile, by splice: FileSplice, check: (FilePath) throws -> Void,
    beforeRenaming: (Prepared) throws -> Void
  ) throws -> FileIdentity {
    let oldDigest = try FileDigest(file.source)
    let replacement: FileReplacement
    do {
      replacement = try FileReplacement(path)
    } catch {
      throw TagWriteError(.notWritable, "No file can be created in its folder: \(error).")
    }
    let newDigest = FileDigest(
      size: splice.size, digest: try splice.write(from: file.source, to: replacement.descriptor))
    try keepAttributes(of: old, in: replacement)
    try unlessChanging { try check(replacement.temporaryPath) }
    do throws(Errno) {
      try replacement.flush()
    } catch {
      throw TagWriteError(.inputOutput, "The new file could not be written: \(error).")
    }
    guard let new = FileIdentity(replacement.descriptor) else {
      throw TagWriteError(.inputOutput, "The new file cannot be examined.")
    }
    try beforeRenaming(
      Prepared(
        identity: new,
        reversal: try FileReversal.of(splice, source: file.source, old: oldDigest, new: newDigest)))
    do {
      try replacement.commit(replacing: old) { try FileDigest(file.source) == oldDigest }
    } catch let failure as LockedFile.Failure {
      throw TagWriteError(failure)
    }
    return new
  }

  private func keepAttributes(of old: LockedFile, in replacement: FileReplacement) throws(TagWriteError) {
    do throws(Errno) {
      try replacement.takeAttributes(of: old.descriptor, includingTimes: options.preservesTimes)
    } catch {
      throw TagWriteError(.rights, "Owner, permissions or attributes of the file cannot be preserved: \(error).")
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

  /// Throws an error unless the new file equals the old file with the new items.
  private func check(
    _ new: FilePath, _ items: [TagItem], _ fields: Set<String>, _ expected: [String: String],
    _ content: AudioContent, against changed: TaggedFile
  ) throws(TagWriteError) {
    func fail(_ what: String) -> TagWriteError {
      TagWriteError(.checkFailed, "The new file was discarded because \(what).")
    }
    let newContent = try Self.content(of: new)
    guard newContent.id == content.id, newContent.decodingID == content.decodingID, newContent.fault == content.fault,
      newContent.remarks == content.remarks
    else { throw fail("its audio was not the same") }
    let written = try TaggedFile(path: new)
    guard try written.hasSameOtherItems(as: changed, than: items) else {
      throw fail("other items of its tags had changed")
    }
    for item in items where written.item(tag: item.tag, key: item.key).values != item.values {
      throw fail("\(item.key) did not have its value")
    }
    let found: TagFinding
    do throws(FileReadError) {
      found = try TagReader.read(path: new)
    } catch {
      throw fail("its tags could not be read")
    }
    guard Self.isSame(found, tags, besides: fields, items, changed.transferred) else {
      throw fail("readers would see changes in other tags")
    }
    if let loss = try Self.views(of: written).loss(since: Self.views(of: file), besides: fields) { throw fail(loss) }
    for (field, value) in expected where found.fields[field]?.first != value {
      throw fail("readers would not find \(field)")
    }
  }

  /// Returns `true` if `TagReader` finds the same tags, except for the given fields. Fields copied from another tag may
  /// have a different key.
  private static func isSame(
    _ new: TagFinding, _ old: TagFinding, besides fields: Set<String>, _ items: [TagItem],
    _ transferred: [TagTransfer.Item]
  ) -> Bool {
    // `TagReader` lists a value under its own key if another key of the same field takes precedence.
    let keys = Set(items.map { (TagField.otherPrefix + $0.key).uppercased() })
    func others(_ tags: TagFinding, _ isOther: Bool) -> [String: [String]] {
      tags.fields.filter { field, _ in
        field.hasPrefix(TagField.otherPrefix) == isOther && !fields.contains(field)
          && !keys.contains(field.uppercased())
      }
    }
    guard others(new, false) == others(old, false), new.pictures == old.pictures, new.chapters == old.chapters,
      new.remarks == old.remarks
    else { return false }
    if transferred.isEmpty { return others(new, true) == others(old, true) && new.lyrics == old.lyrics }
    let values = Set(new.fields.values.flatMap(\.self))
    return others(old, true).values.allSatisfy { values.isSuperset(of: $0) }
      && new.lyrics.map(\.text) == old.lyrics.map(\.text)
  }

  private static func views(of file: TaggedFile) throws(TagWriteError) -> TagViews {
    do throws(FileReadError) {
      return TagViews(try SeparateTags(of: file.source))
    } catch {
      throw TagWriteError(.inputOutput, error.message)
    }
  }
}

extension TagWriteError {
  fileprivate init(_ failure: LockedFile.Failure) {
    switch failure {
    case .locked: self.init(.inUse, "Another program has locked the file; try again later.")
    case .openForWriting: self.init(.inUse, "Another program is writing to the file; try again later.")
    case .changed:
      self.init(.changed, "Another program changed the file in the meantime; its change was kept.")
      canBeRetried = true
    case .conflict(let other):
      self.init(
        .changed,
        "Two other programs changed the file at once; one version was kept as \(other.lastComponent?.string ?? "")."
      )
    case .system(let error): self.init(.inputOutput, "The new file could not be put in its place: \(error).")
    }
  }
}
