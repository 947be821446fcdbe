import AnalysisTesting
import Testing

@testable import Text

@Suite(.bounded) struct SuggestionTests {
  @Test(arguments: [
    ("tempp", "tempo"), ("TEMPO", "tempo"), ("tepmo", "tempo"), ("max-bpm", "max_bpm"), ("chromaprnt", "chromaprint"),
    ("min_bmp", "min_bpm"),
  ])
  func findsWhatWasMeant(written: String, meant: String) {
    let names = ["tempo", "tags", "chromaprint", "min_bpm", "max_bpm"]
    #expect(Suggestion.nearest(to: written, in: names) == meant)
    #expect(Suggestion.hint(for: written, in: names) == "did you mean '\(meant)'?")
  }

  @Test func doesNotGuessWildly() {
    #expect(Suggestion.nearest(to: "loudness", in: ["tempo", "tags"]) == nil)
    #expect(Suggestion.hint(for: "loudness", in: ["tempo", "tags"]) == "valid here: tags, tempo")
    #expect(Suggestion.nearest(to: "tempo", in: [String]()) == nil)
  }

  @Test func aThirdMayDiffer() {
    #expect(Suggestion.nearest(to: "abd", in: ["abc"]) == "abc")
    #expect(Suggestion.nearest(to: "ac", in: ["ab"]) == nil)
    #expect(Suggestion.nearest(to: "abcd", in: ["abcdef"]) == "abcdef")
    #expect(Suggestion.nearest(to: "abcdef", in: ["abcd"]) == "abcd")
    #expect(Suggestion.nearest(to: "abc", in: ["abcde"]) == nil)
    #expect(Suggestion.nearest(to: "a_bc", in: ["a-bc"]) == "a-bc")
  }

  @Test func hintsWithoutNames() {
    #expect(Suggestion.hint(for: "x", in: []) == "there are no valid names here")
  }

  @Test func equallyNearNamesAreTakenInOrder() {
    #expect(Suggestion.nearest(to: "rat", in: ["rot", "rut", "rit"]) == "rit")
  }

  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("ca", "abc", 3),
    ("aab", "aba", 1), ("xab", "xba", 1), ("abcd", "badc", 2), ("abc", "abc", 0), ("abc", "axc", 1), ("abc", "ac", 1),
    ("abcdef", "azced", 3), ("aaab", "baaa", 2),
  ])
  func distanceCountsEdits(first: String, second: String, distance: Int) {
    #expect(Suggestion.editDistance(Array(first.utf8), Array(second.utf8)) == distance)
    #expect(Suggestion.editDistance(Array(second.utf8), Array(first.utf8)) == distance)
  }
}
