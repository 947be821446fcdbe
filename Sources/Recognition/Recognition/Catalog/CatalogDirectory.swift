internal import Analysis
internal import Landmarks
internal import Platform
public import SystemPackage

/// A growing catalog: a directory of immutable segments and a short list of the ones in use.
///
/// Adding tracks writes one new segment and a new list; removing tracks writes only a new list. As small segments
/// accumulate, they are merged into larger ones (O'Neil et al., "The Log-Structured Merge-Tree", Acta Informatica
/// 1996), so even a large catalog has few segments, and a track is seldom rewritten. The list is replaced atomically,
/// so after a crash, the catalog is in the state before or after the change. Only one program can write at a time, and
/// the catalog can be read meanwhile.
public struct CatalogDirectory: Sendable {
  public let path: FilePath

  /// Number of segments that are merged at a time, and maximum ratio of their sizes.
  private static let fanIn = 8
  /// Minimum number of columns of a large segment, about 150 hours. In a large segment, a query reads many short lists,
  /// which cost about the same regardless of the segment's size, so searching one segment is faster than searching
  /// several.
  private static let largeColumnCount = 1 << 24

  public init(at path: FilePath) {
    self.path = path
  }

  /// Opens the current state of the catalog. A missing or empty directory is an empty catalog.
  public func catalog() throws(CatalogError) -> CustomCatalog {
    try current { (list) throws(CatalogError) in try open(list) }
  }

  /// Opens the segments that can be read. The others are recorded as losses.
  /// - Throws: `CatalogError` if no segment can be read.
  func readableCatalog() throws(CatalogError) -> CustomCatalog {
    do throws(CatalogError) {
      return try catalog()
    } catch {
      guard error.loss != nil else { throw error }
      return try current { (list) throws(CatalogError) in try openReadable(list) }
    }
  }

  /// Opens the segments in the current list, and tries again if they cannot be opened but the list has changed in the
  /// meantime: a writer may have removed merged segments after the list was read but before they were opened.
  private func current(
    _ open: (CatalogList) throws(CatalogError) -> CustomCatalog
  ) throws(CatalogError) -> CustomCatalog {
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

  /// Path of the list of segments. Each change replaces this file.
  package var listPath: FilePath { path.appending(CatalogList.name) }

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

  /// Returns the names of all segments in the directory, oldest first.
  private func segmentNames() throws(CatalogError) -> [String] {
    let numbers = try names().compactMap { name in name.hasSuffix(".segment") ? Int(name.dropLast(8)) : nil }
    return numbers.sorted().map { "\($0).segment" }
  }

  private func open(_ list: CatalogList) throws(CatalogError) -> CustomCatalog {
    var segments: [Segment] = []
    for entry in list.entries { segments.append(try listedSegment(entry)) }
    return CustomCatalog(segments: segments, removed: list.entries.map(\.removed))
  }

  private func openReadable(_ list: CatalogList) throws(CatalogError) -> CustomCatalog {
    var segments: [Segment] = []
    var removed: [Set<Int>] = []
    var losses: [MissingCatalog] = []
    var firstError: CatalogError?
    for entry in list.entries {
      do throws(CatalogError) {
        segments.append(try listedSegment(entry))
        removed.append(entry.removed)
      } catch {
        guard let loss = error.loss else { throw error }
        losses.append(loss)
        firstError = firstError ?? error
      }
    }
    if segments.isEmpty, let firstError { throw firstError }
    return CustomCatalog(segments: segments, removed: removed, losses: losses)
  }

  /// Opens a segment, and checks that it agrees with the list.
  private func listedSegment(_ entry: CatalogList.Entry) throws(CatalogError) -> Segment {
    let segment = try segment(entry)
    guard entry.removed.allSatisfy({ $0 < segment.trackCount }) else {
      throw .damaged(path: listPath.string, detail: "removed tracks of \(entry.name)")
    }
    return segment
  }

  /// Opens a segment in the list. A file that is not a segment counts as damaged.
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

  /// Adds references in one step, replacing those with the same identifiers. References that have not changed are not
  /// rewritten.
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

  public func remove(_ identifiers: some Sequence<String>) throws(CatalogError) {
    let digests = Set(identifiers.map { CustomCatalog.digest(of: $0) })
    try change { (list) throws(CatalogError) in try remove(digests, from: &list) }
  }

  /// Merges all segments into one that no longer contains the removed references.
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

  /// Merges segments until none are worth merging.
  private func mergeSimilar(_ list: inout CatalogList) throws(CatalogError) {
    while true {
      var columnCounts: [Int] = []
      for entry in list.entries { columnCounts.append(try segment(entry).columnCount) }
      guard let indices = Self.worthMerging(columnCounts) else { return }
      try merge(indices, of: &list)
    }
  }

  /// Returns the segments to merge next, or `nil` if there are none: the smallest `fanIn` segments of similar size. In
  /// a large catalog, returns all segments once the smaller ones together are half as large as the largest. Each track
  /// is then rewritten once whenever the catalog has grown by half, and queries find nearly all tracks in one segment.
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
      // Without this check, the checksums of the new segment would hide existing damage.
      try segment.verify()
      segments.append(segment)
    }
    let merger = try SegmentMerger(segments, removed: entries.map(\.removed))
    for index in indices.reversed() { list.entries.remove(at: index) }
    try append(to: &list) { (writer) throws(CatalogError) in try merger.write(with: writer) }
  }

  /// Changes the list while holding the writers' lock, then removes unreferenced files.
  private func change(_ body: (inout CatalogList) throws(CatalogError) -> Void) throws(CatalogError) {
    try locked { () throws(CatalogError) in
      let old = try list()
      // The list is written before the first segment, so segments without a list mean that the list was lost.
      if old == CatalogList() { try old.write(in: path) }
      removeStrays(old)
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
      if path.fileKind == nil {
        try path.makeLastFolder([.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
      }
      lock = try FileLock(path.appending("LOCK"))
    } catch {
      throw .unwritable(path: path.string, reason: "\(error)")
    }
    guard let lock else { throw .locked(path: path.string) }
    try withExtendedLifetime(lock, body)
  }

  /// Removes the segments that are not in the list: merged segments, and complete or incomplete leftovers of a killed
  /// program.
  private func removeStrays(_ list: CatalogList) {
    FileReplacement.removeAllLeftovers(in: path)
    let current = Set(list.entries.map(\.name))
    for name in (try? names()) ?? [] where name.contains(".segment") && !current.contains(name) {
      try? path.appending(name).unlink()
    }
  }

  /// - Throws: `CatalogError` if the folder exists but cannot be read, because it may contain segments.
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

  /// Damage that was found in a catalog and repaired as far as possible.
  public struct Repair: Hashable, Sendable {
    /// `true` if the list of segments was lost, in which case removed tracks may be back.
    public var hasLostList = false
    /// Segments whose index was rebuilt without loss.
    public var restoredSegments: [String] = []
    /// Segments that could not be read; their tracks are no longer in the catalog.
    public var lostSegments: [String] = []
  }

  /// Reads the whole catalog and repairs damage. Segments that cannot be repaired are dropped. The catalog is then
  /// usable again, and the tracks of these segments can be added again.
  /// - Returns: The repairs; `nil` if there was no damage.
  /// - Throws: `CatalogError.otherVersion` if the catalog was written by a newer program.
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
      guard repair != Repair() else { return removeStrays(list) }
      if repair.hasLostList { try removeRepetitions(&list) }
      try list.write(in: path)
      removeStrays(list)
    }
    return repair == Repair() ? nil : repair
  }

  /// Returns a merger that rebuilds a damaged segment from its tracks; `nil` if the tracks are damaged, too.
  private func salvage(_ entry: CatalogList.Entry) throws(CatalogError) -> SegmentMerger? {
    guard
      let segment = try? Segment(
        SegmentBytes(mapping: path.appending(entry.name)), path: entry.name, isTracksOnly: true)
    else { return nil }
    return try SegmentMerger([segment], removed: [entry.removed])
  }

  /// If a track is in several segments, keeps only the newest copy.
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
