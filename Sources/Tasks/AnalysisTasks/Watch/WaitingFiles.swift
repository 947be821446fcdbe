internal import LibraryScan
internal import SystemPackage

/// The changed files that wait until they have not changed for some time.
struct WaitingFiles {
  private var changed: [FilePath: ContinuousClock.Instant] = [:]
  private let roots: [FilePath]
  private let candidates: CandidateRule
  private let quietPeriod: Duration
  /// Maximum number of folders that are due. If there are more, the roots are scanned instead.
  private static let maxFolders = 50

  init(_ roots: [FilePath], _ candidates: CandidateRule, quietPeriod: Duration) {
    self.roots = roots
    self.candidates = candidates
    self.quietPeriod = quietPeriod
  }

  var count: Int { changed.count }

  mutating func add(_ files: Set<FilePath>, at now: ContinuousClock.Instant = .now) {
    for file in files { changed[file] = now }
  }

  /// Makes all roots due immediately.
  mutating func addAll(at now: ContinuousClock.Instant = .now) {
    for root in roots { changed[root] = now - quietPeriod }
  }

  /// Removes the files that have not changed for long enough.
  /// - Returns: The folders that a run must scan, none of which contains another; `nil` if nothing is due.
  mutating func takeDue(at now: ContinuousClock.Instant = .now) -> [FilePath]? {
    let due = changed.filter { now - $0.value >= quietPeriod }.map(\.key)
    if due.isEmpty { return nil }
    for file in due { changed[file] = nil }
    var folders: Set<FilePath> = []
    for file in due {
      if let folder = folder(for: file) { folders.insert(folder) }
      if folders.count > Self.maxFolders { return roots }
    }
    let sorted = folders.sorted { $0.length < $1.length }
    var kept: [FilePath] = []
    for folder in sorted where !kept.contains(where: { folder.starts(with: $0) }) { kept.append(folder) }
    return kept.isEmpty ? nil : kept
  }

  /// Returns the nearest folder above a file that a run can scan separately, or the root if there is none; `nil` if the
  /// file is below no root. The folder must contain audio, so that missing files count as removed rather than as a sign
  /// of a missing drive. No folder above it may have a `.nocturneignore`.
  private func folder(for file: FilePath) -> FilePath? {
    guard let root = roots.filter({ file.starts(with: $0) }).max(by: { $0.length < $1.length }) else { return nil }
    var found: FilePath?
    var folder = file == root ? root : file.removingLastComponent()
    while true {
      let entries = FolderWatch.entries(of: folder)
      if found == nil,
        entries.contains(where: { !$0.isFolder && candidates.reasonToSkip(fileNamed: $0.name) == nil })
      {
        found = folder
      }
      if folder != found, entries.contains(where: { $0.name.elementsEqual(".nocturneignore".utf8) }) { found = root }
      if folder == root { return found ?? root }
      folder = folder.removingLastComponent()
    }
  }
}
