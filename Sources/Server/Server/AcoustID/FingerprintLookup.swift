internal import Analysis
internal import Chromaprint
internal import LibraryStore
internal import Synchronization

/// Looks up fingerprints in the library. The index is in memory. The first lookup builds it, and later lookups update
/// it after the library has changed. The fingerprints themselves stay in the database.
final class FingerprintLookup: Sendable {
  /// The audio of a matching fingerprint.
  struct Hit: Sendable {
    var content: ContentID
    /// The score, from 0 to 1; see `Fingerprint.similarity(to:)`.
    var score: Double
  }

  private struct Index: Sendable {
    var hashes = FingerprintIndex()
    /// The audio and one of its files, by the number of the fingerprint; `nil` for audio that is no longer in the
    /// library.
    var audio: [(content: ContentID, file: Int64)?] = []
    var numbers: [ContentID: UInt32] = [:]
    var revision: Int64?
    var made: ContinuousClock.Instant?
  }

  private struct State {
    var index = Index()
    /// The update in progress.
    var update: Task<Void, any Error>?
  }

  private let services: Services
  /// Detects changes of the library; `nil` if the database cannot be opened a second time, in which case the library
  /// always counts as changed.
  private let revision: StoreRevision?
  private let state = Mutex(State())

  /// Maximum number of fingerprints compared with a query.
  private static let candidateLimit = 40
  /// Minimum score. Different music scores below 0.1, and the same recording in a poor encoding above 0.6.
  static let minScore = 0.5
  /// Number of fingerprints read from the database at a time.
  private static let batchSize = 1_000
  /// Minimum time between updates of a large index, which every lookup would otherwise update while a run is writing.
  private static let maxAge = Duration.seconds(30)

  init(_ services: Services) {
    self.services = services
    revision = try? StoreRevision(of: services.store)
  }

  /// Returns the audio that matches a fingerprint, most similar first.
  func lookup(_ fingerprint: Fingerprint, limit: Int) async throws -> [Hit] {
    try await bringUpToDate()
    return try await services.reading {
      let index = state.withLock { $0.index }
      let numbers = index.hashes.candidates(for: fingerprint, limit: Self.candidateLimit)
      let found = numbers.compactMap { index.audio[Int($0)] }
      let contents = Dictionary(found.map { ($0.file, $0.content) }) { first, _ in first }
      var hits: [Hit] = []
      try services.store.forEachFingerprint(ofFiles: found.map(\.file)) { file, finding in
        guard let content = contents[file], let other = Fingerprint(finding.value) else { return }
        let score = fingerprint.similarity(to: other)
        if score >= Self.minScore { hits.append(Hit(content: content, score: score)) }
      }
      return Array(hits.sorted { $0.score > $1.score }.prefix(limit))
    }
  }

  /// The number of fingerprints, and the size of the index in bytes.
  var size: (count: Int, bytes: Int) { state.withLock { ($0.index.numbers.count, $0.index.hashes.size) } }

  /// Updates the index if necessary. Waits while the index is first built, and for updates of a small index that this
  /// call starts. During other updates, the old index stays in use.
  private func bringUpToDate() async throws {
    let (update, isFirst) = state.withLock { state -> (Task<Void, any Error>?, Bool) in
      let isFirst = state.index.made == nil
      if let update = state.update { return (update, isFirst) }
      if let made = state.index.made {
        let isNew = ContinuousClock.now - made < Self.maxAge
        let isUnchanged = revision.map { $0.current() == state.index.revision } ?? false
        guard !isNew || state.index.audio.count < Self.batchSize, !isUnchanged else {
          return (nil, false)
        }
      }
      let update = Task {
        defer { self.state.withLock { $0.update = nil } }
        try await services.computing { try self.update() }
      }
      state.update = update
      return (update, isFirst || state.index.audio.count < Self.batchSize)
    }
    if isFirst { try await update?.value }
  }

  private func update() throws {
    var index = state.withLock { $0.index }
    let revision = revision?.current()
    let files = try services.store.audioFiles()
    for (content, number) in index.numbers {
      index.audio[Int(number)] = files[content].map { (content, $0) }
      if files[content] == nil { index.numbers[content] = nil }
    }
    let missing = files.filter { index.numbers[$0.key] == nil }.sorted { $0.value < $1.value }
    var start = 0
    while start < missing.count {
      let batch = missing[start..<min(start + Self.batchSize, missing.count)]
      start += batch.count
      let contents = Dictionary(batch.map { ($0.value, $0.key) }) { first, _ in first }
      var added: [(number: UInt32, fingerprint: Fingerprint)] = []
      try services.store.forEachFingerprint(ofFiles: batch.map(\.value)) { file, finding in
        guard let content = contents[file], let fingerprint = Fingerprint(finding.value) else { return }
        let number = UInt32(index.audio.count)
        index.audio.append((content, file))
        index.numbers[content] = number
        added.append((number, fingerprint))
      }
      index.hashes.add(added)
    }
    index.revision = revision
    index.made = .now
    state.withLock { [index] in $0.index = index }
  }
}
