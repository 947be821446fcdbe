/// Two files of one recording.
public struct RelatedPair<ID: Hashable & Comparable & Sendable>: Hashable, Sendable {
  public var first: ID
  public var second: ID
  public var relation: Relation
  /// Strength of the evidence; among equal relations, stronger pairs come first.
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
/// Two groups are merged only if more than half of the pairs between them are known to be the same recording, and none
/// was marked as not being duplicates. A and C are thus not joined just because both resemble B. The result does not
/// depend on the order of the pairs. Parts of longer files and other versions do not join any group.
public struct RecordingGroups<ID: Hashable & Comparable & Sendable>: Sendable {
  /// Members in ascending order, groups ordered by their first members.
  public private(set) var groups: [[ID]] = []
  /// Pairs of duplicates whose members are in different groups.
  public private(set) var left: [RelatedPair<ID>] = []

  /// - Parameter areDistinct: True if a person has marked two files as not being duplicates.
  public init(_ pairs: [RelatedPair<ID>], areDistinct: (ID, ID) -> Bool = { _, _ in false }) {
    let links = pairs.filter { $0.relation.makesDuplicates && !areDistinct($0.first, $0.second) }.sorted(
      by: Self.isBefore)
    var linked: Set<Link> = []
    for link in links { linked.insert(Link(link.first, link.second)) }
    var groupOf: [ID: Int] = [:]
    var members: [[ID]] = []
    for link in links {
      for id in [link.first, link.second] where groupOf[id] == nil {
        groupOf[id] = members.count
        members.append([id])
      }
    }
    // One merge may make another possible.
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for link in links {
        guard let first = groupOf[link.first], let second = groupOf[link.second], first != second else { continue }
        let (ones, others) = (members[first], members[second])
        var count = 0
        var isBarred = false
        for one in ones {
          for other in others {
            if linked.contains(Link(one, other)) { count += 1 } else if areDistinct(one, other) { isBarred = true }
          }
        }
        guard !isBarred, count * 2 > ones.count * others.count else { continue }
        members[first] += others
        members[second] = []
        for other in others { groupOf[other] = first }
        hasChanged = true
      }
    }
    groups = members.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    left = links.filter { groupOf[$0.first] != groupOf[$0.second] }
  }

  private static func isBefore(_ one: RelatedPair<ID>, _ other: RelatedPair<ID>) -> Bool {
    if one.relation != other.relation { return rank(one.relation) < rank(other.relation) }
    if one.strength != other.strength { return one.strength > other.strength }
    return (one.first, one.second) < (other.first, other.second)
  }

  private static func rank(_ relation: Relation) -> Int { Relation.allCases.firstIndex(of: relation) ?? 0 }

  /// An unordered pair of members.
  private struct Link: Hashable {
    let first: ID
    let second: ID

    init(_ one: ID, _ other: ID) {
      (first, second) = one < other ? (one, other) : (other, one)
    }
  }
}
