internal import Analysis
internal import Duplicates
internal import Landmarks
internal import LibraryStore
package import ResultStore

/// Finds the pairs of recordings in a library that sound alike, and stores them. Only audio that is new since the last time
/// is compared: with all other audio.
///
/// The indexes are made again each time and not kept: to read the fingerprints of a library takes a few seconds, and an
/// index beside the database could disagree with it.
package struct DuplicateSearch {
  package struct Outcome: Hashable, Sendable {
    /// Recordings that can be compared.
    package var soundCount = 0
    /// Those that were compared now, since they are new.
    package var comparedCount = 0
    package var candidateCount = 0
    package var pairCount = 0
  }

  /// The number of this way of comparing: raised when pairs are to be found again.
  static let version = 1

  private let store: ResultStore

  package init(in store: ResultStore) { self.store = store }

  /// Brings the pairs that are stored up to date.
  package func update() throws(StoreError) -> Outcome {
    var outcome = Outcome()
    let (pairs, methods) = try newPairs(&outcome)
    if !methods.isEmpty { try store.storeDuplicates(pairs, methods: methods) }
    return outcome
  }

  /// All pairs, those of new audio included, of a database that may not be written.
  package func pairs() throws(StoreError) -> [StoredPair] {
    var outcome = Outcome()
    let (pairs, methods) = try newPairs(&outcome)
    let known = try store.duplicatePairs().filter { methods[$0.first] == nil && methods[$0.second] == nil }
    return known + pairs
  }

  /// How many recordings were not compared with the others yet.
  package func waitingCount() throws(StoreError) -> Int {
    let sounds = try store.sounds()
    let known = try store.comparedSounds()
    return zip(sounds.contents, methods(of: sounds)).count { known[$0] != $1 }
  }

  private func methods(of sounds: StoredSounds) -> [Int] {
    zip(sounds.hasFingerprint, sounds.hasSignature).map(Self.method)
  }

  private func newPairs(_ outcome: inout Outcome) throws(StoreError) -> ([StoredPair], [ContentID: Int]) {
    let sounds = try LibrarySounds(in: store)
    let known = try store.comparedSounds()
    let contents = sounds.stored.contents
    let methods = methods(of: sounds.stored)
    let isNew = zip(contents, methods).map { known[$0] != $1 }
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

  /// What is compared belongs to the method: audio that gets a signature later is compared again.
  private static func method(hasFingerprint: Bool, hasSignature: Bool) -> Int {
    (version * 100 + Signature.version) * 4 + (hasFingerprint ? 1 : 0) + (hasSignature ? 2 : 0)
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

  /// The same seen from the second one.
  var reversed: StoredPair {
    StoredPair(
      first: second, second: first, relation: relation, basis: basis, coverage: coverage, agreement: agreement,
      speed: 1 / speed,
      stretches: stretches.map { [$0[2], $0[3], $0[0], $0[1]] }.sorted { $0[0] < $1[0] })
  }
}
