internal import Analysis
internal import Duplicates
internal import LibraryStore
package import ResultStore

/// Finds the pairs of recordings in a library that sound alike, and stores them. Only audio that is new since the last
/// search is compared, with both old and new audio.
///
/// The keys of all audio are stored in the database and take about 2 kB per track. The indexes of new keys are built
/// again for each search.
package struct DuplicateSearch {
  package struct Outcome: Hashable, Sendable {
    /// Number of recordings that can be compared.
    package var soundCount = 0
    /// Number of new recordings, which were compared in this search.
    package var comparedCount = 0
    package var candidateCount = 0
    package var pairCount = 0
  }

  /// The version of the comparison. After it is incremented, all recordings are compared again.
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

  /// Returns the number of recordings that have not been compared yet.
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

  /// The same pair with the first and second recordings swapped.
  var reversed: StoredPair {
    StoredPair(
      first: second, second: first, relation: relation, basis: basis, coverage: coverage, agreement: agreement,
      speed: 1 / speed,
      stretches: stretches.map { [$0[2], $0[3], $0[0], $0[1]] }.sorted { $0[0] < $1[0] })
  }

  /// Position of the relation when all relations are ordered by closeness, the closest first.
  var rank: Int { Relation.allCases.firstIndex { $0.rawValue == relation } ?? Relation.allCases.count }

  /// Returns the pair of A and C, where this is the pair of A and B, and `next` is the pair of B and C; `nil` if the
  /// two pairs have no stretch of B in common.
  func joined(to next: StoredPair) -> StoredPair? {
    func place(_ time: Double, from: ArraySlice<Double>, to: ArraySlice<Double>) -> Double {
      guard let start = from.first, let end = from.last, let first = to.first, let last = to.last, end > start else {
        return 0
      }
      return first + (time - start) / (end - start) * (last - first)
    }
    let common = stretches.flatMap { one in
      next.stretches.compactMap { other -> [Double]? in
        let (start, end) = (max(one[2], other[0]), min(one[3], other[1]))
        guard start < end else { return nil }
        return [start, end].map { place($0, from: one[2...3], to: one[0...1]) }
          + [start, end].map { place($0, from: other[0...1], to: other[2...3]) }
      }
    }
    guard !common.isEmpty else { return nil }
    return StoredPair(
      first: first, second: next.second, relation: rank > next.rank ? relation : next.relation,
      basis: [basis, next.basis].contains(Alignment.Basis.fingerprint.rawValue)
        ? Alignment.Basis.fingerprint.rawValue : basis,
      coverage: min(coverage, next.coverage), agreement: min(agreement, next.agreement), speed: speed * next.speed,
      stretches: common.sorted { $0[0] < $1[0] })
  }
}
