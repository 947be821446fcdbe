internal import Analysis
internal import Landmarks
package import Recognition
internal import Records
package import ResultStore
package import SystemPackage

/// Brings a catalog up to date with a database, and repairs it: adds what was analyzed since the last time, takes
/// changed tags over and removes what has vanished from the library. Changes by hand stay. Nothing is decoded.
package struct CatalogSynchronization {
  /// The folder of the catalog; it is made if it is not there.
  package var catalog: FilePath
  package var store: ResultStore
  /// Only what lies here is added; everything if there are none.
  package var roots: [FilePath]
  /// The part of the catalog that is built; `nil` for all of it. A folder remains what it was first built as.
  package var partition: CatalogPartition?

  package init(catalog: FilePath, store: ResultStore, roots: [FilePath] = [], partition: CatalogPartition? = nil) {
    self.catalog = catalog
    self.store = store
    self.roots = roots
    self.partition = partition
  }

  /// The result of an update.
  package struct Outcome: Sendable {
    package var added = 0
    package var updated = 0
    package var removed = 0
    package var unchanged = 0
    /// Taken out or changed by hand.
    package var leftAlone = 0
    /// Files with audio, but without a signature that this program can use.
    package var unsigned = 0
    /// Tracks that a build had added, but that were missing in the list of builds.
    package var recovered = 0
    /// Repairs of the catalog.
    package var repair: CatalogDirectory.Repair?
    /// The name of the list of what was built, if it was damaged and was rebuilt.
    package var repairedList: String?
  }

  /// - Parameter progress: Gets how many tracks of how many have been added, now and then.
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

/// One synchronization under way.
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
  /// Whether the list of what earlier builds have added is lost.
  private let hasLostList: Bool
  private(set) var outcome = CatalogSynchronization.Outcome()

  /// - Parameter isFirstBuild: Whether no database has built the catalog yet, as far as can be seen.
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
    // If another database has built it, this one is new to the catalog.
    case .missing: hasLostList = isFirstBuild
    }
    outcome.repair = repair
    if list.condition == .damaged { outcome.repairedList = list.file.lastComponent?.string ?? "" }
  }

  mutating func perform(_ progress: (_ done: Int, _ all: Int) -> Void) throws {
    let (tracks, there) = try survey()
    if hasLostList { try checkPartition(there) }
    try recoverList(tracks)
    try removeVanished(there)
    let changes = try changes(of: tracks)
    var next = changes.startIndex
    while next < changes.endIndex {
      let end = min(next + CatalogUpdate.batchSize, changes.endIndex)
      try add(changes[next..<end])
      next = end
      progress(next - changes.startIndex, changes.count)
    }
  }

  /// The tracks of this part of the library, one for each content, by the first of its paths; and the content of every
  /// file there is.
  private mutating func survey() throws -> (tracks: [Track], there: Set<ContentID>) {
    var tracks: [Track] = []
    var there: Set<ContentID> = []
    var taken: Set<ContentID> = []
    var unsigned = 0
    var areThereOthers = false
    try store.forEachRecord { record in
      guard let id = record.contentID else { return }
      there.insert(id)
      guard roots.isEmpty || roots.contains(where: { record.path.starts(with: $0) }) else { return }
      let isInPart = partition?.contains(id) ?? true
      guard let signature = record.signature, signature.version == Signature.version else {
        if isInPart, record.status != .failed { unsigned += 1 }
        return
      }
      // Silence cannot be recognized.
      guard signature.landmarkCount > 0 else { return }
      guard isInPart else {
        areThereOthers = true
        return
      }
      guard taken.insert(id).inserted else { return }
      let item = LibraryItem.item(path: record.path, tags: record.tags)
      tracks.append(Track(id: id, path: record.path, digest: LibraryItem.digest(of: item)))
    }
    outcome.unsigned = unsigned
    // A small library has no track for some parts.
    guard !tracks.isEmpty || areThereOthers || !list.states.isEmpty else {
      throw CatalogTaskError.noSignatures(database: store.path, root: roots.first)
    }
    return (tracks, there)
  }

  /// - Throws: If the folder holds tracks of the library that belong to other parts: it may have been one of these.
  private func checkPartition(_ there: Set<ContentID>) throws {
    guard let partition else { return }
    try update.directory.catalog().forEachEntry { entry in
      guard let id = ContentID(entry.identifier), there.contains(id), !partition.contains(id) else { return }
      throw CatalogTaskError.tracksOfOtherParts(update.directory.path, than: partition)
    }
  }

  /// After damage: notes which tracks this and earlier builds have added, as far as that can be seen, and that lost ones
  /// are to be added again.
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

  private mutating func removeVanished(_ there: Set<ContentID>) throws {
    let vanished = list.states.keys.filter { !there.contains($0) }
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
        // Changed since the survey: the next build finds what it is now.
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
