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
    /// Number of pairs that were compared.
    package var candidateCount = 0
    package var pairCount = 0
  }

  /// The version of the comparison. After it is incremented, all recordings are compared again.
  static let version = 4

  private let store: ResultStore

  package init(in store: ResultStore) { self.store = store }

  /// Updates the stored pairs.
  package func update() throws(StoreError) -> Outcome {
    var outcome = Outcome()
    var sounds = try LibrarySounds(in: store)
    try sounds.storeSketches()
    let update = try update(of: sounds, &outcome)
    if !update.methods.isEmpty {
      try store.storeDuplicates(update.pairs, methods: update.methods, forgetting: update.lost)
    }
    return outcome
  }

  /// Returns all pairs, including the pairs with new audio, without writing to the database.
  package func pairs() throws(StoreError) -> [StoredPair] {
    var outcome = Outcome()
    let update = try update(of: LibrarySounds(in: store), &outcome)
    let known = try store.duplicatePairs()
      .filter { update.methods[$0.first] == nil && update.methods[$0.second] == nil }
    return known + update.pairs
  }

  /// Returns the number of recordings that have not been compared yet.
  package func waitingCount() throws(StoreError) -> Int {
    let sounds = try store.comparableAudio()
    return zip(sounds.compared, sounds.methods(version: Self.version)).count { $0 != $1 }
  }

  /// The results of a search.
  private struct Update {
    var pairs: [StoredPair] = []
    /// The method by which each recording was compared.
    var methods: [ContentID: Int] = [:]
    /// Audio that is not in the library anymore, and whose copies were compared again.
    var lost: Set<ContentID> = []
  }

  private func update(of sounds: LibrarySounds, _ outcome: inout Outcome) throws(StoreError) -> Update {
    let contents = sounds.stored.contents
    let methods = sounds.stored.methods(version: Self.version)
    var isNew = zip(sounds.stored.compared, methods).map { $0 != $1 }
    outcome.soundCount = contents.count
    let known = try KnownDuplicates(store.duplicatePairs(), among: contents)
    for number in known.numbersWithoutLeaders { isNew[number] = true }
    outcome.comparedCount = isNew.count { $0 }
    var update = Update()
    guard outcome.comparedCount > 0 else { return update }
    update.lost = known.lostLeaders
    let search = PairSearch(sounds)
    let candidates = try search.candidates { isNew[$0] }
    let old = known.numbers.filter { !isNew[$0.first] && !isNew[$0.second] }
    try search.compare(candidates, known: old) { pair in
      outcome.candidateCount += 1
      guard let alignment = pair.alignment, let relation = pair.relation else { return }
      update.pairs.append(
        StoredPair(
          alignment, relation, first: contents[pair.candidate.first], second: contents[pair.candidate.second]))
    }
    outcome.pairCount = update.pairs.count
    for (index, content) in contents.enumerated() where isNew[index] { update.methods[content] = methods[index] }
    return update
  }
}

/// The stored pairs of duplicates, by the numbers of the recordings in the library.
private struct KnownDuplicates {
  private(set) var numbers: [(first: Int, second: Int)] = []
  /// Recordings that very many copies were compared with, and that are not in the library anymore.
  private(set) var lostLeaders: Set<ContentID> = []
  /// Copies of these, which need other recordings to be compared with.
  private(set) var numbersWithoutLeaders: Set<Int> = []

  init(_ pairs: [StoredPair], among contents: [ContentID]) {
    let pairs = pairs.filter { Relation(rawValue: $0.relation)?.makesDuplicates ?? false }
    guard !pairs.isEmpty else { return }
    let numberOf = Dictionary(contents.enumerated().map { ($1, $0) }) { one, _ in one }
    var lost: [ContentID: [Int]] = [:]
    for pair in pairs {
      switch (numberOf[pair.first], numberOf[pair.second]) {
      case (let first?, let second?): numbers.append((first, second))
      case (let number?, nil): lost[pair.second, default: []].append(number)
      case (nil, let number?): lost[pair.first, default: []].append(number)
      case (nil, nil): break
      }
    }
    for (content, copies) in lost where copies.count > KnownCopies.manyCount {
      lostLeaders.insert(content)
      numbersWithoutLeaders.formUnion(copies)
    }
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
