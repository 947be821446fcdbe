internal import Analysis
internal import Duplicates
internal import LibraryStore
package import ResultStore

/// Finds the pairs of recordings in a library that sound alike, and stores them. Only audio that is new since the last
/// search is compared, with both old and new audio.
///
/// The keys of all audio are stored in the database, about 2 kB per track. The indexes of new keys are rebuilt each time.
package struct DuplicateSearch {
  package struct Outcome: Hashable, Sendable {
    /// Number of recordings that can be compared.
    package var soundCount = 0
    /// Number of new recordings, which were compared in this search.
    package var comparedCount = 0
    package var candidateCount = 0
    package var pairCount = 0
  }

  /// Version of the comparison. After an increment, all recordings are compared again.
  static let version = 3

  private let store: ResultStore

  package init(in store: ResultStore) { self.store = store }

  /// Updates the stored pairs.
  package func update() throws(StoreError) -> Outcome {
    var outcome = Outcome()
    var sounds = try LibrarySounds(in: store)
    try sounds.storeSketches()
    let (pairs, methods) = try newPairs(of: sounds, &outcome)
    if !methods.isEmpty { try store.storeDuplicates(pairs, methods: methods) }
    return outcome
  }

  /// Returns all pairs, including the pairs with new audio, without writing to the database.
  package func pairs() throws(StoreError) -> [StoredPair] {
    var outcome = Outcome()
    let (pairs, methods) = try newPairs(of: LibrarySounds(in: store), &outcome)
    let known = try store.duplicatePairs().filter { methods[$0.first] == nil && methods[$0.second] == nil }
    return known + pairs
  }

  /// Number of recordings not compared yet.
  package func waitingCount() throws(StoreError) -> Int {
    let sounds = try store.comparableAudio()
    return zip(sounds.compared, sounds.methods(version: Self.version)).count { $0 != $1 }
  }

  private func newPairs(
    of sounds: LibrarySounds, _ outcome: inout Outcome
  ) throws(StoreError) -> ([StoredPair], [ContentID: Int]) {
    let contents = sounds.stored.contents
    let methods = sounds.stored.methods(version: Self.version)
    let isNew = zip(sounds.stored.compared, methods).map { $0 != $1 }
    outcome.soundCount = contents.count
    outcome.comparedCount = isNew.count { $0 }
    guard outcome.comparedCount > 0 else { return ([], [:]) }
    let search = PairSearch(sounds)
    let candidates = try search.candidates { isNew[$0] }
    outcome.candidateCount = candidates.count
    var pairs: [StoredPair] = []
    try search.compare(candidates) { pair in
      guard let alignment = pair.alignment, let relation = pair.relation else { return }
      pairs.append(
        StoredPair(
          alignment, relation, first: contents[pair.candidate.first], second: contents[pair.candidate.second]))
    }
    outcome.pairCount = pairs.count
    var compared: [ContentID: Int] = [:]
    for (index, content) in contents.enumerated() where isNew[index] { compared[content] = methods[index] }
    return (pairs, compared)
  }
}

extension StoredPair {
  init(_ alignment: Alignment, _ relation: Relation, first: ContentID, second: ContentID) {
    self.init(
      first: first, second: second, relation: relation.rawValue, basis: alignment.basis.rawValue,
      coverage: alignment.coverage, agreement: alignment.agreement, speed: alignment.speed,
      stretches: alignment.stretches.map {
        [$0.first.lowerBound, $0.first.upperBound, $0.second.lowerBound, $0.second.upperBound]
      })
  }

  /// The same pair with first and second swapped.
  var reversed: StoredPair {
    StoredPair(
      first: second, second: first, relation: relation, basis: basis, coverage: coverage, agreement: agreement,
      speed: 1 / speed,
      stretches: stretches.map { [$0[2], $0[3], $0[0], $0[1]] }.sorted { $0[0] < $1[0] })
  }
}
