/// Two files of one recording.
public struct RelatedPair<ID: Hashable & Comparable & Sendable>: Hashable, Sendable {
  public var first: ID
  public var second: ID
  public var relation: Relation
  /// Strength of the evidence; among pairs with the same relation, stronger pairs are merged first.
  public var strength: Double

  public init(first: ID, second: ID, relation: Relation, strength: Double) {
    self.first = first
    self.second = second
    self.relation = relation
    self.strength = strength
  }
}

/// Groups the files of each recording, based on related pairs.
///
/// Two groups are merged only if more than half of the pairs between them are known duplicates, and none was marked as
/// distinct. A and C are thus not joined just because both resemble B. The result does not depend on the order of the
/// pairs. Pairs in which one file is a part or another version of the other are ignored.
///
/// If there are very many copies, each was compared with the few that have the lowest ids, and with some others, which
/// depend on the order in which the files were added. Only the links to the lowest copies count (`KnownCopies`). These
/// leaders have many links and are merged first; another copy joins them if it matches most of them.
public struct RecordingGroups<ID: Hashable & Comparable & Sendable>: Sendable {
  /// Members in ascending order, groups ordered by their first members.
  public private(set) var groups: [[ID]] = []
  /// Pairs of duplicates whose members are not in the same group.
  public private(set) var left: [RelatedPair<ID>] = []

  /// - Parameter areDistinct: `true` if a person has marked two files as not being duplicates.
  public init(_ pairs: [RelatedPair<ID>], areDistinct: (ID, ID) -> Bool = { _, _ in false }) {
    let related = pairs.filter { $0.relation.makesDuplicates }
    let ids = Set(related.flatMap { [$0.first, $0.second] }).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    let links = related.map { pair in
      let (first, second) = (numbers[pair.first, default: 0], numbers[pair.second, default: 0])
      return Link(pair: pair, first: min(first, second), second: max(first, second))
    }
    let merging = Merging(links, count: ids.count) { areDistinct(ids[$0], ids[$1]) }
    groups = merging.groups.filter { $0.count > 1 }.map { group in group.sorted().map { ids[$0] } }
      .sorted { $0[0] < $1[0] }
    left = merging.links.filter { merging.groupOf[$0.first] != merging.groupOf[$0.second] }.map(\.pair)
  }

  /// A pair, with the numbers of its members in ascending order.
  private struct Link {
    let pair: RelatedPair<ID>
    let first: Int
    let second: Int
  }

  private struct Merging {
    /// Minimum number of links of a leader. Groups without leaders are compared in full.
    private static var manyLinks: Int { 16 }
    /// Number of leaders that make a group a crowd. A crowd is judged by its leaders.
    private static var leaderCount: Int { KnownCopies.lowestCount }

    /// The links that count, the strongest first, but links between leaders before all others.
    private(set) var links: [Link] = []
    private(set) var groupOf: [Int]
    /// Members of each group; empty if it was merged into another one.
    private(set) var groups: [[Int]]
    /// Up to `leaderCount` leaders of each group, those with the most links first.
    private var leaders: [[Int]]
    private let isLeader: [Bool]
    /// All links, also those that do not count.
    private var linked: Set<Members> = []
    private var partners: [[Int]]

    /// Two members or groups, in ascending order.
    private struct Members: Hashable {
      let first: Int
      let second: Int

      init(_ one: Int, _ other: Int) { (first, second) = (min(one, other), max(one, other)) }
    }

    init(_ all: [Link], count: Int, areDistinct: (Int, Int) -> Bool) {
      groupOf = Array(0..<count)
      groups = (0..<count).map { [$0] }
      partners = Array(repeating: [], count: count)
      let lowest = Self.lowestPartners(all, count: count)
      var linkCounts = lowest.map(\.count)
      for first in lowest.joined() { linkCounts[first] += 1 }
      let isLeader = linkCounts.map { $0 >= Self.manyLinks }
      let isInCrowd = lowest.map { $0.count { isLeader[$0] } * 2 > Self.leaderCount }
      self.isLeader = isLeader
      for link in all where !areDistinct(link.first, link.second) {
        guard linked.insert(Members(link.first, link.second)).inserted else { continue }
        if isInCrowd[link.second], !lowest[link.second].contains(link.first) { continue }
        links.append(link)
        partners[link.first].append(link.second)
        partners[link.second].append(link.first)
      }
      func leaderEnds(_ link: Link) -> Int { [link.first, link.second].count { isLeader[$0] } }
      links.sort { one, other in
        let (ends, others) = (leaderEnds(one), leaderEnds(other))
        return ends != others ? ends > others : RecordingGroups.isBefore(one.pair, other.pair)
      }
      leaders = (0..<count).map { isLeader[$0] ? [$0] : [] }
      // Sizes that two groups had when they could not be merged.
      var refused: [Members: [Int]] = [:]
      // A merge may make another one possible.
      var hasChanged = true
      while hasChanged {
        hasChanged = false
        for link in links where groupOf[link.first] != groupOf[link.second] {
          let both = Members(groupOf[link.first], groupOf[link.second])
          let sizes = [groups[both.first].count, groups[both.second].count]
          if refused[both] == sizes { continue }
          if areAlike(both), !hasDistinct(both, areDistinct) {
            merge(both)
            hasChanged = true
          } else {
            refused[both] = sizes
          }
        }
      }
    }

    /// Returns the lowest partners of each member among those with lower numbers.
    private static func lowestPartners(_ links: [Link], count: Int) -> [[Int]] {
      var lower: [[Int]] = Array(repeating: [], count: count)
      for link in links { lower[link.second].append(link.first) }
      return lower.map { Array(Set($0).sorted().prefix(leaderCount)) }
    }

    private func areAlike(_ both: Members) -> Bool {
      let (first, second) = (both.first, both.second)
      switch (isCrowd(first), isCrowd(second)) {
      case (true, true): return match(leaders[first], second) || match(leaders[second], first)
      case (true, false): return match(groups[second], first)
      case (false, true): return match(groups[first], second)
      case (false, false):
        let count = groups[first].reduce(0) { sum, one in
          sum + groups[second].count { linked.contains(Members(one, $0)) }
        }
        return count * 2 > groups[first].count * groups[second].count
      }
    }

    private func isCrowd(_ group: Int) -> Bool { leaders[group].count == Self.leaderCount }

    /// `true` if most of `members` have links to more than `leaderCount / 2` leaders of the crowd.
    private func match(_ members: [Int], _ crowd: Int) -> Bool {
      let count = members.count { member in
        // Links to others do not count: they depend on the order in which the files were added.
        let links = partners[member].count { groupOf[$0] == crowd && isLeader[$0] }
        return links * 2 > Self.leaderCount
      }
      return count * 2 > members.count
    }

    private func hasDistinct(_ both: Members, _ areDistinct: (Int, Int) -> Bool) -> Bool {
      groups[both.first].contains { one in groups[both.second].contains { areDistinct(one, $0) } }
    }

    private mutating func merge(_ both: Members) {
      let isFirstLarger = groups[both.first].count >= groups[both.second].count
      let (target, source) = isFirstLarger ? (both.first, both.second) : (both.second, both.first)
      for member in groups[source] { groupOf[member] = target }
      groups[target] += groups[source]
      groups[source] = []
      let all = (leaders[target] + leaders[source]).sorted { one, other in
        let counts = (partners[one].count, partners[other].count)
        return counts.0 != counts.1 ? counts.0 > counts.1 : one < other
      }
      leaders[target] = Array(all.prefix(Self.leaderCount))
      leaders[source] = []
    }
  }

  private static func isBefore(_ one: RelatedPair<ID>, _ other: RelatedPair<ID>) -> Bool {
    if one.relation != other.relation { return rank(one.relation) < rank(other.relation) }
    if one.strength != other.strength { return one.strength > other.strength }
    return (one.first, one.second) < (other.first, other.second)
  }

  private static func rank(_ relation: Relation) -> Int { Relation.allCases.firstIndex(of: relation) ?? 0 }
}
