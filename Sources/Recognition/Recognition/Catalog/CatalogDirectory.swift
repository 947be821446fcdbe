internal import Analysis
internal import Landmarks
internal import Platform
public import SystemPackage

/// A catalog that grows: a directory of immutable segments and a small list of those that count.
///
/// Adding a night's tracks writes one new segment and a new list. Removing writes a new list only. Small segments are
/// merged into larger ones as they pile up (O'Neil et al., "The Log-Structured Merge-Tree", Acta Informatica 1996), so
/// a catalog of any size has a few of them and each track is rewritten now and then only. The list is replaced
/// as a whole: after a crash the catalog is what it was before or after the change. Readers are not disturbed by
/// writers; there is one writer at a time.
public struct CatalogDirectory: Sendable {
  public let path: FilePath

  /// Segments whose sizes are within this factor of each other are merged once there are as many.
  private static let fanIn = 8
  /// Some 150 hours. From there on a query reads many short lists of each segment, and they cost about as much whatever
  /// the segment's size.
  private static let largeColumnCount = 1 << 24

  public init(at path: FilePath) {
    self.path = path
  }

  /// The catalog as it is now. A directory that does not exist, or is empty, is an empty catalog.
  public func catalog() throws(CatalogError) -> CustomCatalog {
    // A writer may remove merged segments between our reading the list and opening them: then the list is a new one.
    for _ in 0..<3 {
      let list = try list()
      do {
        return try open(list)
      } catch {
        guard try self.list() != list else { throw error }
      }
    }
    return try open(list())
  }

  /// The file that is replaced with each change.
  package var listPath: FilePath { path.appending(CatalogList.name) }

  /// The list of segments.
  private func list() throws(CatalogError) -> CatalogList {
    do {
      if let list = try CatalogList(in: path) { return list }
    } catch {
      if case .notACatalog(let file) = error { throw .damaged(path: file, detail: "overwritten") }
      throw error
    }
    guard try segmentNames().isEmpty else {
      throw .damaged(path: listPath.string, detail: "missing")
    }
    return CatalogList()
  }

  /// All segments that lie there, in the order in which they were made.
  private func segmentNames() throws(CatalogError) -> [String] {
    let numbers = try names().compactMap { name in name.hasSuffix(".segment") ? Int(name.dropLast(8)) : nil }
    return numbers.sorted().map { "\($0).segment" }
  }

  private func open(_ list: CatalogList) throws(CatalogError) -> CustomCatalog {
    var segments: [Segment] = []
    for entry in list.entries { segments.append(try segment(entry)) }
    for (segment, entry) in zip(segments, list.entries)
    where entry.removed.contains(where: { $0 >= segment.trackCount }) {
      throw .damaged(path: listPath.string, detail: "removed tracks of \(entry.name)")
    }
    return CustomCatalog(segments: segments, removed: list.entries.map(\.removed))
  }

  /// Opens a segment of the list: whatever is not one is damaged.
  private func segment(_ entry: CatalogList.Entry) throws(CatalogError) -> Segment {
    let file = path.appending(entry.name)
    do {
      return try Segment(contentsOf: file)
    } catch {
      if case .notACatalog = error { throw .damaged(path: file.string, detail: "overwritten") }
      if file.isGone(followingLinks: true) {
        throw .damaged(path: file.string, detail: "missing")
      }
      throw error
    }
  }

  /// Adds references, in one step; those whose identifier is there already replace it. References that are there
  /// already as they are stay as they are.
  public func add(_ references: [ReferenceSignature]) throws(CatalogError) {
    guard !references.isEmpty else { return }
    try change { (list) throws(CatalogError) in
      var last: [String: ReferenceSignature] = [:]
      for reference in references { last[reference.identifier] = reference }
      let unique = references.filter { last[$0.identifier] == $0 && last.removeValue(forKey: $0.identifier) != nil }
      let unchanged = try open(list).unchanged(unique)
      let changed = unique.filter { !unchanged.contains($0.identifier) }
      guard !changed.isEmpty else { return }
      try remove(Set(changed.map { CustomCatalog.digest(of: $0.identifier) }), from: &list)
      let builder = try CustomCatalog.builder(for: changed)
      try append(to: &list) { (writer) throws(CatalogError) in try builder.write(with: writer) }
      try mergeSimilar(&list)
    }
  }

  /// Takes references out.
  public func remove(_ identifiers: some Sequence<String>) throws(CatalogError) {
    let digests = Set(identifiers.map { CustomCatalog.digest(of: $0) })
    try change { (list) throws(CatalogError) in try remove(digests, from: &list) }
  }

  /// Makes one segment of all, without what has been removed.
  public func compact() throws(CatalogError) {
    try change { (list) throws(CatalogError) in
      guard list.entries.count > 1 || list.entries.contains(where: { !$0.removed.isEmpty }) else { return }
      try merge(Array(list.entries.indices), of: &list)
    }
  }

  // MARK: Changes

  private func remove(_ digests: Set<ContentID>, from list: inout CatalogList) throws(CatalogError) {
    for index in list.entries.indices {
      let segment = try segment(list.entries[index])
      for track in 0..<segment.trackCount where digests.contains(segment.identifier(ofTrack: track)) {
        list.entries[index].removed.insert(track)
      }
    }
  }

  private func append(
    to list: inout CatalogList, _ write: (consuming SegmentWriter) throws(CatalogError) -> [UInt8]
  ) throws(CatalogError) {
    let name = "\(list.next).segment"
    list.next += 1
    let path = path.appending(name)
    try CatalogFile.replace(path) { (file) throws(CatalogError) in
      _ = try write(SegmentWriter(file: file, path: path.string))
    }
    list.entries.append(CatalogList.Entry(name: name, removed: []))
  }

  /// Merges segments while that is worth its while.
  private func mergeSimilar(_ list: inout CatalogList) throws(CatalogError) {
    while true {
      var columnCounts: [Int] = []
      for entry in list.entries { columnCounts.append(try segment(entry).columnCount) }
      guard let indices = Self.worthMerging(columnCounts) else { return }
      try merge(indices, of: &list)
    }
  }

  /// The segments to be merged next: the smallest of those of which there are too many of about one size. In a large
  /// catalog all of them, once the smaller ones together are half as large as the largest: then each track is written
  /// once more whenever the catalog has grown by a half, and queries find nearly all in one segment.
  static func worthMerging(_ columnCounts: [Int]) -> [Int]? {
    let order = columnCounts.indices.sorted { columnCounts[$0] < columnCounts[$1] }
    func total(_ indices: some Sequence<Int>) -> Int { indices.reduce(0) { $0 + columnCounts[$1] } }
    if let largest = order.last, columnCounts[largest] >= largeColumnCount,
      2 * total(order.dropLast()) >= columnCounts[largest], total(order) < SegmentFormat.maximumColumnCount
    {
      return order.sorted()
    }
    for first in order.indices {
      let group = order[first...].prefix(fanIn)
      guard group.count == fanIn, let smallest = group.first, let largest = group.last else { break }
      if columnCounts[largest] <= fanIn * max(columnCounts[smallest], 1),
        total(group) < SegmentFormat.maximumColumnCount
      {
        return group.sorted()
      }
    }
    return nil
  }

  private func merge(_ indices: [Int], of list: inout CatalogList) throws(CatalogError) {
    let entries = indices.map { list.entries[$0] }
    var segments: [Segment] = []
    for entry in entries {
      let segment = try segment(entry)
      // Copied data must be right: the checksums of the new segment would hide old damage.
      try segment.verify()
      segments.append(segment)
    }
    let merger = try SegmentMerger(segments, removed: entries.map(\.removed))
    for index in indices.reversed() { list.entries.remove(at: index) }
    try append(to: &list) { (writer) throws(CatalogError) in try merger.write(with: writer) }
  }

  /// Changes the list under the writers' lock, and then removes the files that nothing refers to any more.
  private func change(_ body: (inout CatalogList) throws(CatalogError) -> Void) throws(CatalogError) {
    try locked { () throws(CatalogError) in
      let old = try list()
      // From the first segment on there is a list: where it is missing, it has been lost.
      if old == CatalogList() { try old.write(in: path) }
      var list = old
      try body(&list)
      guard list != old else { return }
      try list.write(in: path)
      removeStrays(list)
    }
  }

  private func locked(_ body: () throws(CatalogError) -> Void) throws(CatalogError) {
    let lock: FileLock?
    do {
      if path.fileKind == nil { try path.makeLastFolder([.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute]) }
      lock = try FileLock(path.appending("LOCK"))
    } catch {
      throw .unwritable(path: path.string, reason: "\(error)")
    }
    guard let lock else { throw .locked(path: path.string) }
    try withExtendedLifetime(lock, body)
  }

  /// Removes segments that are not in the list: merged ones, and those of a run that was killed.
  private func removeStrays(_ list: CatalogList) {
    let current = Set(list.entries.map(\.name))
    for name in (try? names()) ?? [] where name.contains(".segment") && !current.contains(name) {
      try? path.appending(name).unlink()
    }
  }

  /// - Throws: If there is a folder that cannot be read: it may hold segments.
  private func names() throws(CatalogError) -> [String] {
    do {
      return try FolderListing.names(in: path).map(\.string)
    } catch .noSuchFileOrDirectory {
      return []
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
  }

  // MARK: Repair

  /// The damage in a catalog, which has been mended as far as possible.
  public struct Repair: Hashable, Sendable {
    /// Whether the list of segments was lost: tracks that had been removed since they were added may be back.
    public var hasLostList = false
    /// Segments whose index was made again, without any loss.
    public var restoredSegments: [String] = []
    /// Segments that could not be read; their tracks are no longer in the catalog.
    public var lostSegments: [String] = []
  }

  /// Reads everything and mends what is damaged. Parts that cannot be mended are left out, so the catalog can be used
  /// again and the tracks can be added again.
  /// - Returns: The repairs; `nil` if nothing was damaged.
  /// - Throws: `CatalogError.otherVersion` for what a newer program has written.
  public func repair() throws(CatalogError) -> Repair? {
    var repair = Repair()
    try locked { () throws(CatalogError) in
      var list = CatalogList()
      do throws(CatalogError) {
        list = try self.list()
      } catch {
        guard error.isDamage else { throw error }
        repair.hasLostList = true
        list = CatalogList(segments: try segmentNames())
      }
      for index in list.entries.indices.reversed() {
        let entry = list.entries[index]
        do throws(CatalogError) {
          let segment = try segment(entry)
          list.entries[index].removed = entry.removed.filter { $0 < segment.trackCount }
          try segment.verify()
        } catch {
          guard error.isDamage else { throw error }
          list.entries.remove(at: index)
          if let merger = try salvage(entry) {
            try append(to: &list) { (writer) throws(CatalogError) in try merger.write(with: writer) }
            repair.restoredSegments.append(entry.name)
          } else {
            repair.lostSegments.append(entry.name)
          }
        }
      }
      guard repair != Repair() else { return }
      if repair.hasLostList { try removeRepetitions(&list) }
      try list.write(in: path)
      removeStrays(list)
    }
    return repair == Repair() ? nil : repair
  }

  /// The tracks of a damaged segment, if only what is made of them is damaged.
  private func salvage(_ entry: CatalogList.Entry) throws(CatalogError) -> SegmentMerger? {
    guard
      let segment = try? Segment(
        SegmentBytes(mapping: path.appending(entry.name)), path: entry.name, isTracksOnly: true)
    else { return nil }
    return try SegmentMerger([segment], removed: [entry.removed])
  }

  /// Keeps only the last added copy of tracks that are in several segments.
  private func removeRepetitions(_ list: inout CatalogList) throws(CatalogError) {
    var seen: Set<ContentID> = []
    for index in list.entries.indices.reversed() {
      let segment = try segment(list.entries[index])
      for track in 0..<segment.trackCount where !seen.insert(segment.identifier(ofTrack: track)).inserted {
        list.entries[index].removed.insert(track)
      }
    }
  }
}
