internal import Analysis
internal import Duplicates
package import Filters
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore

/// The duplicates in a library: groups of files that contain the same recording, files that contain other recordings,
/// and other versions.
package struct LibraryDuplicates: Sendable {
  /// The groups, starting with those whose `spare` files have the most bytes.
  package private(set) var groups: [DuplicateGroup] = []
  package private(set) var longerFiles: [LongerFile] = []
  /// Other versions, sorted by path.
  package private(set) var otherVersions: [OtherVersion] = []

  package var spareBytes: Int64 { groups.reduce(0) { $0 + $1.spareBytes } }
  package var spareCount: Int { groups.reduce(0) { $0 + $1.spareCount } }

  init(groups: [DuplicateGroup]) { self.groups = groups }

  /// - Parameters:
  ///   - pairs: Pairs from `DuplicateSearch` or from the store.
  ///   - filter: A filter that at least one file of a group must match; `nil` for all groups.
  ///   - preferred: Rules that take precedence over the standard rules.
  package init(
    _ pairs: [StoredPair], in store: ResultStore, matching filter: TrackFilter? = nil,
    preferring preferred: [KeepingRule] = []
  ) throws(StoreError) {
    let matching = try filter.map { filter throws(StoreError) in
      Set(try store.tracks(matching: filter, limit: nil).map(\.fileID))
    }
    let library = try Contents(pairs, in: store)
    for contents in library.groups {
      let files = contents.flatMap { library.files[$0] ?? [] }
      guard files.count > 1, matching.map({ files.contains(where: $0.contains) }) ?? true else { continue }
      groups.append(try library.group(contents, by: KeepingRule.order(preferring: preferred), in: store))
    }
    groups.sort { $0.spareBytes != $1.spareBytes ? $0.spareBytes > $1.spareBytes : $0.id < $1.id }
    longerFiles = try library.longerFiles(in: store, matching: matching)
    otherVersions = try library.otherVersions(in: store, matching: matching)
  }
}

/// The related audio in a library, by content id.
private struct Contents {
  let files: [ContentID: [Int64]]
  let groups: [[ContentID]]
  private let pairs: [Set<ContentID>: StoredPair]
  /// The audio that was found to be the same recording, by content id.
  private let partners: [ContentID: [ContentID]]
  private let wanted: Set<ContentID>
  private let parts: [StoredPair]
  private let versions: [StoredPair]

  init(_ all: [StoredPair], in store: ResultStore) throws(StoreError) {
    let files = try store.filesByContent(wanted: Set(all.flatMap { [$0.first, $0.second] }))
    let present = all.filter { files[$0.first] != nil && files[$0.second] != nil }
    var distinct: Set<Set<ContentID>> = []
    var wanted: Set<ContentID> = []
    for decision in try store.duplicateDecisions() {
      switch decision.subject {
      case .distinct(let one, let other): distinct.insert([one, other])
      case .keep(let content): wanted.insert(content)
      }
    }
    let related = present.compactMap { pair in
      Relation(rawValue: pair.relation).map {
        RelatedPair(
          first: Key(pair.first), second: Key(pair.second), relation: $0, strength: pair.coverage * pair.agreement)
      }
    }
    let decided = Set(distinct.joined())
    let found = RecordingGroups(related) { one, other in
      decided.contains(one.content) && decided.contains(other.content)
        && distinct.contains([one.content, other.content])
    }.groups.map { $0.map(\.content) }
    let grouped = Set(found.joined())
    let copies = files.filter { $0.value.count > 1 && !grouped.contains($0.key) }.map { [$0.key] }
    self.files = files
    self.wanted = wanted
    groups = found + copies
    pairs = Dictionary(present.map { ([$0.first, $0.second], $0) }) { one, _ in one }
    var partners: [ContentID: [ContentID]] = [:]
    for pair in related where pair.relation.makesDuplicates {
      partners[pair.first.content, default: []].append(pair.second.content)
      partners[pair.second.content, default: []].append(pair.first.content)
    }
    self.partners = partners
    let undecided = present.filter { !distinct.contains([$0.first, $0.second]) }
    parts = undecided.filter { $0.relation == Relation.part.rawValue }
    // Versions in the same group are left out, because the group already shows both.
    var groupOf: [ContentID: Int] = [:]
    for (number, group) in groups.enumerated() { for content in group { groupOf[content] = number } }
    versions = undecided.filter {
      $0.relation == Relation.version.rawValue && (groupOf[$0.first] == nil || groupOf[$0.first] != groupOf[$0.second])
    }
  }

  /// A content id that is ordered by its text.
  private struct Key: Hashable, Comparable, Sendable {
    let content: ContentID
    private let text: String

    init(_ content: ContentID) {
      self.content = content
      text = content.description
    }

    static func < (one: Key, other: Key) -> Bool { one.text < other.text }
  }

  func group(
    _ contents: [ContentID], by rules: [KeepingRule], in store: ResultStore
  ) throws(StoreError) -> DuplicateGroup {
    let ids = contents.flatMap { files[$0] ?? [] }
    let records = try store.records(ofFiles: ids)
    let albums = try store.albumSizes(ofFiles: ids)
    let candidates = records.map { file, record in
      KeepingChoice.Candidate(
        record: record, length: length(of: record, besides: contents[0]), albumSize: albums[file] ?? 0,
        isWanted: record.contentID.map { wanted.contains($0) } ?? false)
    }
    let choice = KeepingChoice(of: candidates, by: rules)
    let best = choice.best
    var others: [DuplicateGroup.File] = []
    var reasons: [String] = []
    for index in candidates.indices where index != best {
      let reason = choice.reason(for: best, over: index)
      if !reasons.contains(reason) { reasons.append(reason) }
      others.append(file(candidates[index].record, besides: candidates[best].record, reason: reason))
    }
    let kept = DuplicateGroup.File(
      record: candidates[best].record, advice: .keep, relation: nil, pair: nil, reasons: reasons)
    return DuplicateGroup(id: contents[0].description, files: [kept] + others)
  }

  private func file(_ record: FileRecord, besides kept: FileRecord, reason: String) -> DuplicateGroup.File {
    var file = DuplicateGroup.File(record: record, advice: .review, relation: nil, pair: nil, reasons: [reason])
    guard let own = record.contentID, let theirs = kept.contentID else { return file }
    if own == theirs {
      file.relation = Relation.audio.rawValue
      file.advice = .spare
    } else if let pair = pair(own, theirs) ?? indirectPair(own, theirs) {
      file.pair = pair
      file.keptDuration = kept.format?.duration
      file.relation = pair.relation
      let losesQuality = record.isWholeAndLossless && !kept.isWholeAndLossless
      if !losesQuality, isWithin(pair, duration: record.format?.duration) { file.advice = .spare }
    }
    return file
  }

  private func pair(_ first: ContentID, _ second: ContentID) -> StoredPair? {
    pairs[[first, second]].map { $0.first == first ? $0 : $0.reversed }
  }

  /// Derives the pair of two recordings from their pairs with a third one. If a recording has very many copies, most of
  /// them were not compared with each other.
  private func indirectPair(_ first: ContentID, _ second: ContentID) -> StoredPair? {
    guard let ours = partners[first], let theirs = partners[second] else { return nil }
    let joined = Set(ours).intersection(theirs).compactMap { third -> (key: ContentID, pair: StoredPair)? in
      guard partners[third, default: []].count >= Self.manyPartners, let one = pair(first, third),
        let other = pair(third, second), let joined = one.joined(to: other)
      else { return nil }
      return (third, joined)
    }
    // Chooses the pair with the closest relation, then the most certain one.
    return joined.min { one, other in
      let ranks = (one.pair.rank, other.pair.rank)
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
      let strengths = (one.pair.coverage * one.pair.agreement, other.pair.coverage * other.pair.agreement)
      return strengths.0 != strengths.1
        ? strengths.0 > strengths.1 : one.key.description < other.key.description
    }?.pair
  }

  /// Minimum number of partners for a recording whose copies were not all compared with each other.
  private static let manyPartners = 30

  /// Returns whether all audio of the first file of a pair is in the second one.
  private func isWithin(_ pair: StoredPair, duration: Double?) -> Bool {
    guard pair.relation == Relation.encoding.rawValue || pair.relation == Relation.cut.rawValue,
      let stretch = pair.stretches.first
    else { return false }
    if pair.relation == Relation.encoding.rawValue { return true }
    // Fingerprints cover only the beginning of a file.
    guard pair.basis == Alignment.Basis.signature.rawValue, let duration else { return false }
    let tolerance = RelationRule.endTolerance
    return stretch[0] <= tolerance && duration - stretch[1] <= tolerance
  }

  /// Returns the duration of a file in seconds, at the speed of another file.
  private func length(of record: FileRecord, besides reference: ContentID) -> Double {
    let duration = record.format?.duration ?? 0
    guard let content = record.contentID, let pair = pairs[[content, reference]] else { return duration }
    return pair.first == content ? duration / pair.speed : duration * pair.speed
  }

  func longerFiles(in store: ResultStore, matching: Set<Int64>?) throws(StoreError) -> [LongerFile] {
    var found: [ContentID: [(content: ContentID, stretches: [[Double]])]] = [:]
    for pair in parts {
      let isFirstLonger = try duration(of: pair.first, in: store) > duration(of: pair.second, in: store)
      let (longer, shorter) = isFirstLonger ? (pair.first, pair.second) : (pair.second, pair.first)
      let stretches = pair.stretches.map { isFirstLonger ? [$0[0], $0[1]] : [$0[2], $0[3]] }
      found[longer, default: []].append((shorter, stretches))
    }
    var longerFiles: [LongerFile] = []
    for (longer, parts) in found {
      guard let file = files[longer]?.first, let record = try store.records(ofFiles: [file]).first?.record else {
        continue
      }
      var longerFile = LongerFile(record: record, parts: [])
      var ids = [file]
      for part in parts {
        guard let id = files[part.content]?.first, let record = try store.records(ofFiles: [id]).first?.record,
          let start = part.stretches.map({ $0[0] }).min(), let end = part.stretches.map({ $0[1] }).max()
        else { continue }
        ids.append(id)
        longerFile.parts.append(LongerFile.Part(record: record, start: start, end: end))
      }
      guard matching.map({ ids.contains(where: $0.contains) }) ?? true, !longerFile.parts.isEmpty else { continue }
      longerFile.parts.sort {
        $0.start != $1.start
          ? $0.start < $1.start : DisplayPath.text(of: $0.record.path) < DisplayPath.text(of: $1.record.path)
      }
      longerFiles.append(longerFile)
    }
    return longerFiles.sorted { DisplayPath.text(of: $0.record.path) < DisplayPath.text(of: $1.record.path) }
  }

  func otherVersions(in store: ResultStore, matching: Set<Int64>?) throws(StoreError) -> [OtherVersion] {
    var found: [(key: [String], version: OtherVersion)] = []
    for pair in versions {
      let ids = [pair.first, pair.second].compactMap { files[$0]?.first }
      guard matching.map({ ids.contains(where: $0.contains) }) ?? true else { continue }
      let records = try store.records(ofFiles: ids).map(\.record)
        .map { (text: DisplayPath.text(of: $0.path), record: $0) }.sorted { $0.text < $1.text }
      guard records.count == 2 else { continue }
      found.append((records.map(\.text), OtherVersion(first: records[0].record, second: records[1].record)))
    }
    return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.version)
  }

  private func duration(of content: ContentID, in store: ResultStore) throws(StoreError) -> Double {
    guard let file = files[content]?.first else { return 0 }
    return try store.records(ofFiles: [file]).first?.record.format?.duration ?? 0
  }
}
