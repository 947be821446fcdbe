internal import Analysis
internal import Landmarks
package import Recognition
internal import Records
package import ResultStore
package import SystemPackage

/// Synchronizes a catalog with a database, and repairs it. Newly analyzed tracks are added, changed tags are updated,
/// and tracks that have vanished from the library are removed. Manual changes are kept. Nothing is decoded.
package struct CatalogSynchronization {
  /// The folder of the catalog, which is created if it does not exist.
  package var catalog: FilePath
  package var store: ResultStore
  /// The paths below which tracks are added; empty for the whole library.
  package var roots: [FilePath]
  /// The part of the catalog to build; `nil` for all of it. A folder can be built again only as the same part.
  package var partition: CatalogPartition?

  package init(catalog: FilePath, store: ResultStore, roots: [FilePath] = [], partition: CatalogPartition? = nil) {
    self.catalog = catalog
    self.store = store
    self.roots = roots
    self.partition = partition
  }

  /// The outcome of a synchronization.
  package struct Outcome: Sendable {
    package var added = 0
    package var updated = 0
    package var removed = 0
    package var unchanged = 0
    /// Number of tracks that were removed or added by hand.
    package var leftAlone = 0
    /// Number of files that have audio but no usable signature.
    package var unsigned = 0
    /// Number of tracks that an earlier build had added, but that were missing from the build list.
    package var recovered = 0
    /// Repairs that were made to the catalog.
    package var repair: CatalogDirectory.Repair?
    /// Name of the build list if it was damaged and had to be rebuilt.
    package var repairedList: String?
  }

  /// - Parameter progress: Called from time to time with the number of tracks added so far and the total number of
  ///   tracks to add.
  /// - Throws: `CatalogTaskError`, `CatalogError`, `StoreError`.
  package func perform(progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) throws -> Outcome {
    let update = try CatalogUpdate(at: catalog)
    let built = try CatalogUpdate.builtPartitions(in: catalog)
    if let other = built.first(where: { $0 != partition }) {
      throw CatalogTaskError.otherPartition(catalog, built: other)
    }
    let repair = try update.directory.repair()
    let list = try BuildList(in: catalog, database: store.path, partition: partition)
    var synchronizer = Synchronizer(
      store, update, list: list, isFirstBuild: built.isEmpty, roots: roots, partition: partition, repair: repair)
    try synchronizer.perform(progress)
    return synchronizer.outcome
  }
}

/// A synchronization in progress.
private struct Synchronizer {
  private struct Track {
    var id: ContentID
    var path: FilePath
    var digest: ContentID
  }

  private let store: ResultStore
  private let update: CatalogUpdate
  private var list: BuildList
  private let roots: [FilePath]
  private let partition: CatalogPartition?
  /// `true` if it is unknown which tracks earlier builds have added.
  private let hasLostList: Bool
  private(set) var outcome = CatalogSynchronization.Outcome()

  /// - Parameter isFirstBuild: `true` if the folder does not contain a build list of any database.
  init(
    _ store: ResultStore, _ update: CatalogUpdate, list: BuildList, isFirstBuild: Bool, roots: [FilePath],
    partition: CatalogPartition?, repair: CatalogDirectory.Repair?
  ) {
    self.store = store
    self.update = update
    self.list = list
    self.roots = roots
    self.partition = partition
    switch list.condition {
    case .whole: hasLostList = false
    case .damaged: hasLostList = true
    // If the catalog was built from another database, nothing has been added from this one yet.
    case .missing: hasLostList = isFirstBuild
    }
    outcome.repair = repair
    if list.condition == .damaged { outcome.repairedList = list.file.lastComponent?.string ?? "" }
  }

  mutating func perform(_ progress: (_ done: Int, _ all: Int) -> Void) throws {
    let (tracks, existing) = try survey()
    if hasLostList { try checkPartition(existing) }
    try recoverList(tracks)
    try removeVanished(existing)
    let changes = try changes(of: tracks)
    var next = changes.startIndex
    while next < changes.endIndex {
      let end = min(next + CatalogUpdate.batchSize, changes.endIndex)
      try add(changes[next..<end])
      next = end
      progress(next - changes.startIndex, changes.count)
    }
  }

  /// Collects the tracks of this part of the library, one per content id with the first of its paths. Also collects the
  /// content ids of all existing files.
  private mutating func survey() throws -> (tracks: [Track], existing: Set<ContentID>) {
    var tracks: [Track] = []
    var existing: Set<ContentID> = []
    var taken: Set<ContentID> = []
    var unsigned = 0
    var hasOtherParts = false
    try store.forEachRecord { record in
      guard let id = record.contentID else { return }
      existing.insert(id)
      guard roots.isEmpty || roots.contains(where: { record.path.starts(with: $0) }) else { return }
      let isInPart = partition?.contains(id) ?? true
      guard let signature = record.signature, signature.version == Signature.version else {
        if isInPart, record.status != .failed { unsigned += 1 }
        return
      }
      // Silence cannot be recognized.
      guard signature.landmarkCount > 0 else { return }
      guard isInPart else {
        hasOtherParts = true
        return
      }
      guard taken.insert(id).inserted else { return }
      let item = LibraryItem.item(path: record.path, tags: record.tags)
      tracks.append(Track(id: id, path: record.path, digest: LibraryItem.digest(of: item)))
    }
    outcome.unsigned = unsigned
    // In a small library, some parts may have no tracks.
    guard !tracks.isEmpty || hasOtherParts || !list.states.isEmpty else {
      throw CatalogTaskError.noSignatures(database: store.path, root: roots.first)
    }
    return (tracks, existing)
  }

  /// - Throws: `CatalogTaskError` if the folder contains tracks of the library that belong to other parts, because it
  ///   may have been built as one of those parts.
  private func checkPartition(_ existing: Set<ContentID>) throws {
    guard let partition else { return }
    try update.directory.catalog().forEachEntry { entry in
      guard let id = ContentID(entry.identifier), existing.contains(id), !partition.contains(id) else { return }
      throw CatalogTaskError.tracksOfOtherParts(update.directory.path, than: partition)
    }
  }

  /// Recovers from damage. The build list is restored from the catalog as far as possible, and lost tracks are marked
  /// to be added again.
  private mutating func recoverList(_ tracks: [Track]) throws {
    let catalog = try update.directory.catalog()
    if hasLostList {
      let digests = Dictionary(uniqueKeysWithValues: tracks.map { ($0.id.description, $0) })
      catalog.forEachEntry { entry in
        guard let track = digests[entry.identifier], entry.items.count == 1,
          LibraryItem.digest(of: entry.items[0]) == track.digest
        else { return }
        list[track.id] = .done(track.digest)
        outcome.recovered += 1
      }
      try list.write()
    }
    guard let repair = outcome.repair, repair.hasLostList || !repair.lostSegments.isEmpty else { return }
    let present = catalog.present(list.states.keys.map(\.description))
    for id in list.states.keys where !present.contains(id.description) { list[id] = .begun }
  }

  private mutating func removeVanished(_ existing: Set<ContentID>) throws {
    let vanished = list.states.keys.filter { !existing.contains($0) }
    guard !vanished.isEmpty else { return }
    let names = vanished.map(\.description)
    outcome.removed = try update.directory.catalog().present(names).count
    try update.directory.remove(names)
    for id in vanished { list[id] = nil }
    try list.write()
  }

  private mutating func changes(of tracks: [Track]) throws -> [Track] {
    let present = try update.directory.catalog().present(tracks.lazy.map(\.id.description))
    var changes: [Track] = []
    for track in tracks {
      let isPresent = present.contains(track.id.description)
      switch list[track.id] {
      case .begun:
        outcome.added += 1
        changes.append(track)
      case nil where !isPresent:
        outcome.added += 1
        changes.append(track)
      case .done(let digest) where isPresent && digest != track.digest:
        outcome.updated += 1
        changes.append(track)
      case .done where isPresent: outcome.unchanged += 1
      default: outcome.leftAlone += 1
      }
    }
    return changes
  }

  private mutating func add(_ tracks: ArraySlice<Track>) throws {
    for track in tracks { list[track.id] = .begun }
    try list.write()
    var references: [ReferenceSignature] = []
    for track in tracks {
      guard let finding = try store.signature(of: track.id), let record = try store.record(at: track.path) else {
        // The file has changed since the survey, so the next build will handle it.
        continue
      }
      do {
        references.append(
          ReferenceSignature(
            identifier: track.id.description, signature: try Signature(bytes: finding.data),
            items: [LibraryItem.item(path: track.path, tags: record.tags)]))
      } catch {
        throw CatalogTaskError.unusableSignature(database: store.path, of: track.path, error)
      }
    }
    try update.directory.add(references)
    for track in tracks { list[track.id] = .done(track.digest) }
    try list.write()
  }
}
