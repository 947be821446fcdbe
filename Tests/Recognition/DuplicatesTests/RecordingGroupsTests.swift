import AnalysisTesting
import Duplicates
import Testing

/// Grouping of pairs.
@Suite(.bounded) struct RecordingGroupsTests {
  private func pair(
    _ first: String, _ second: String, _ relation: Relation = .encoding, _ strength: Double = 0.9
  ) -> RelatedPair<String> {
    RelatedPair(first: first, second: second, relation: relation, strength: strength)
  }

  @Test func membersThatAreAllAlike() {
    let groups = RecordingGroups([pair("c", "a"), pair("a", "b"), pair("b", "c"), pair("x", "y", .cut)])
    #expect(groups.groups == [["a", "b", "c"], ["x", "y"]] && groups.left.isEmpty)
  }

  /// A resembles B and B resembles C, but A does not resemble C.
  @Test func weakLinksMakeNoChains() {
    let groups = RecordingGroups([pair("a", "b", .encoding, 0.9), pair("b", "c", .cut, 0.6), pair("c", "d", .cut, 0.5)])
    #expect(groups.groups == [["a", "b"], ["c", "d"]])
    #expect(groups.left == [pair("b", "c", .cut, 0.6)])
  }

  @Test func oneMissedPairDoesNotSplitAGroup() {
    let all = ["a", "b", "c", "d"]
    let pairs = all.indices.flatMap { one in all[(one + 1)...].map { pair(all[one], $0) } }
    #expect(RecordingGroups(pairs.filter { $0.first != "a" || $0.second != "d" }).groups == [all])
  }

  @Test func orderDoesNotMatter() {
    let pairs = [
      pair("a", "b"), pair("b", "c", .cut, 0.8), pair("a", "c", .cut, 0.7), pair("c", "d", .speed, 0.6), pair("e", "f"),
    ]
    let groups = RecordingGroups(pairs).groups
    #expect(RecordingGroups(pairs.reversed()).groups == groups)
    var random = SplitMix64.fresh()
    #expect(RecordingGroups(pairs.shuffled(using: &random)).groups == groups)
  }

  @Test func anAlbumInOneFileDoesNotJoinItsTracks() {
    let groups = RecordingGroups([pair("album", "one", .part), pair("album", "two", .part), pair("one", "copy")])
    #expect(groups.groups == [["copy", "one"]])
  }

  @Test func whatAPersonKeepsApartStaysApart() {
    let pairs = [pair("a", "b"), pair("b", "c"), pair("a", "c")]
    let groups = RecordingGroups(pairs) { Set([$0, $1]) == ["a", "c"] }.groups
    #expect(groups == [["a", "b"]])
  }

  /// Two mixes of hundreds of copies each, with some wrong pairs between them: each copy was compared with the same few.
  @Test func veryManyCopiesOfTwoMixesStayApart() {
    var random = SplitMix64.fresh()
    var pairs: [RelatedPair<Int>] = []
    for number in 0..<600 {
      for leader in 0..<min(number, number < 66 ? 66 : 16) {
        let isRight = leader % 2 == number % 2
        guard isRight || Int.random(in: 0..<10, using: &random) == 0 else { continue }
        // Wrong pairs are weaker.
        let strength = Double.random(in: isRight ? 0.6...1 : 0.4...0.6, using: &random)
        pairs.append(RelatedPair(first: leader, second: number, relation: .encoding, strength: strength))
      }
    }
    let groups = RecordingGroups(pairs.shuffled(using: &random)).groups
    let isRight = groups == [Array(stride(from: 0, to: 600, by: 2)), Array(stride(from: 1, to: 600, by: 2))]
    #expect(isRight)
  }
}
