import Analysis
import ArgumentParser
import Fingerprinting
import Foundation
import Pipeline
import Recognition
import Records
import ResultStore
import SystemPackage
import Text

struct CatalogBuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Brings the catalog up to date with the database, and repairs it, without decoding anything.",
    discussion: """
      What was analyzed since the last time is added, changed tags are taken over, and what has vanished from the library \
      is removed. What catalog remove, add, merge and edited media items have changed stays as it is.
      """)

  @Argument(help: ArgumentHelp("Add only what lies here. Default: all that was analyzed.", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup
  var catalog: CatalogArguments

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal.")
  var verbose = false

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      catalog.apply(to: &settings)
      let store = try settings.openStoreForReading()
      let update = try CatalogUpdate(at: settings[Settings.catalog])
      let repair = try update.directory.repair()
      let terminal = Terminal()
      var build = try CatalogBuild(
        store, update, list: BuildList(in: update.directory.path, database: settings.database()),
        roots: paths.map(\.path), repair: repair)
      try build.perform { done, all in
        guard terminal.isInteractive, all > CatalogUpdate.batchSize else { return }
        Terminal.write("\r\(done) of \(all) tracks\(done == all ? "\n" : "")")
      }
      for line in build.repairs { Log.write(.warning, "catalog_repaired", line) }
      for line in build.complaints { Log.write(.warning, "track_left_out", line) }
      if terminal.isInteractive || verbose { Terminal.writeLine(build.summary) }
    }
  }
}

/// Brings a catalog up to date with a database.
private struct CatalogBuild {
  private struct Track {
    var id: ContentID
    var path: FilePath
    var digest: ContentID
  }

  private let store: ResultStore
  private let update: CatalogUpdate
  private var list: BuildList
  private let roots: [FilePath]
  private let repair: CatalogDirectory.Repair?
  /// Whether nothing is known of what earlier builds have added.
  private let hasLostList: Bool

  private var added = 0
  private var updated = 0
  private var removed = 0
  private var unchanged = 0
  /// Taken out or changed by hand.
  private var leftAlone = 0
  /// Tracks of which the list of builds did not tell, although a build has added them.
  private var recovered = 0
  /// Files with audio, but without a signature that this program can use.
  private var unsigned = 0

  init(
    _ store: ResultStore, _ update: CatalogUpdate, list: BuildList, roots: [FilePath],
    repair: CatalogDirectory.Repair?
  ) {
    self.store = store
    self.update = update
    self.list = list
    self.roots = roots
    self.repair = repair
    hasLostList =
      switch list.condition {
      case .whole: false
      case .damaged: true
      // Where another database has built, this one is new to the catalog.
      case .missing: !update.hasBuildLists
      }
  }

  mutating func perform(_ progress: (_ done: Int, _ all: Int) -> Void) throws {
    let (tracks, there) = try survey()
    guard !tracks.isEmpty || !list.states.isEmpty else {
      throw CommandFailure(
        .fatal,
        roots.isEmpty
          ? "No file in the database \(store.path.string) has a signature. Analyze your music with the pipeline default, "
            + "or with any other that has the analyzer signature: analyze FOLDER"
          : "No file with a signature lies there, says the database \(store.path.string). Analyze it first: "
            + "analyze \(roots[0].string)")
    }
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

  /// The tracks of the library, one for each content, by the first of its paths; and the content of every file there is.
  private mutating func survey() throws -> (tracks: [Track], there: Set<ContentID>) {
    var tracks: [Track] = []
    var there: Set<ContentID> = []
    var taken: Set<ContentID> = []
    var unsigned = 0
    try store.forEachRecord { record in
      guard let id = record.contentID else { return }
      there.insert(id)
      guard roots.isEmpty || roots.contains(where: { record.path.starts(with: $0) }) else { return }
      guard let signature = record.signature, signature.version == Signature.version else {
        if record.status != .failed { unsigned += 1 }
        return
      }
      // Silence cannot be recognised.
      guard signature.landmarkCount > 0 else { return }
      guard taken.insert(id).inserted else { return }
      let item = LibraryItem.item(path: record.path, tags: record.tags)
      tracks.append(Track(id: id, path: record.path, digest: LibraryItem.digest(of: item)))
    }
    self.unsigned = unsigned
    return (tracks, there)
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
        recovered += 1
      }
      try list.write()
    }
    guard let repair, repair.hasLostList || !repair.lostSegments.isEmpty else { return }
    let present = catalog.present(list.states.keys.map(\.description))
    for id in list.states.keys where !present.contains(id.description) { list[id] = .begun }
  }

  private mutating func removeVanished(_ there: Set<ContentID>) throws {
    let vanished = list.states.keys.filter { !there.contains($0) }
    guard !vanished.isEmpty else { return }
    let names = vanished.map(\.description)
    removed = try update.directory.catalog().present(names).count
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
        added += 1
        changes.append(track)
      case nil where !isPresent:
        added += 1
        changes.append(track)
      case .done(let digest) where isPresent && digest != track.digest:
        updated += 1
        changes.append(track)
      case .done where isPresent: unchanged += 1
      default: leftAlone += 1
      }
    }
    return changes
  }

  private mutating func add(_ tracks: ArraySlice<Track>) throws {
    for track in tracks { list[track.id] = .begun }
    try list.write()
    var references: [Reference] = []
    for track in tracks {
      guard let finding = try store.signature(of: track.id), let record = try store.record(at: track.path) else {
        // Changed since the survey: the next build finds what it is now.
        continue
      }
      do {
        references.append(
          Reference(
            identifier: track.id.description, signature: try Signature(bytes: finding.data),
            items: [LibraryItem.item(path: track.path, tags: record.tags)]))
      } catch {
        throw CommandFailure(
          .fatal, "The database \(store.path.string) holds for \(track.path.string) \(error) with --force.")
      }
    }
    try update.directory.add(references)
    for track in tracks { list[track.id] = .done(track.digest) }
    try list.write()
  }

  // MARK: What to tell

  var repairs: [String] {
    let folder = printable(update.directory.path.string)
    let again = "\(added) \(added == 1 ? "track was" : "tracks were") added again from the database"
    var lines: [String] = []
    if let repair {
      if !repair.restoredSegments.isEmpty {
        lines.append("Repaired \(folder): the index of \(Self.joined(repair.restoredSegments)) was damaged and made again.")
      }
      if !repair.lostSegments.isEmpty {
        lines.append(
          "Repaired \(folder): \(Self.joined(repair.lostSegments)) could not be read; \(again). What `analyze catalog add` "
            + "or `merge` had put in there must be added again.")
      }
      if repair.hasLostList {
        lines.append(
          "Repaired \(folder): the list of segments, CATALOG, was damaged or missing and was made again; \(again). Tracks "
            + "that had been taken out with `analyze catalog remove` may be back.")
      }
    }
    let name = list.file.lastComponent?.string ?? ""
    if list.condition == .damaged {
      lines.append(
        "Repaired \(folder): \(name), the list of what was built, was damaged and was made again. Tracks that had been taken "
          + "out with `analyze catalog remove` may be back.")
    } else if recovered > 0 {
      lines.append(
        "There was no list of what was built in \(folder): \(recovered) tracks that are as in the database now count as built.")
    }
    return lines
  }

  private static func joined(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }

  var complaints: [String] {
    guard unsigned > 0 else { return [] }
    let files = "\(counted(unsigned, "file")) \(unsigned == 1 ? "has" : "have")"
    return [
      "\(files) no signature of this version and cannot be recognised: analyze the library again, with the pipeline default."
    ]
  }

  var summary: String {
    var parts = ["\(added) added", "\(updated) updated", "\(removed) removed", "\(unchanged) unchanged"]
    if leftAlone > 0 { parts.append("\(leftAlone) left as changed by hand") }
    return "catalog \(printable(update.directory.path.string)): \(parts.joined(separator: ", "))"
  }
}
