import Analysis
import AnalysisTesting
import Testing

@Suite(.bounded) struct MusicalKeyTests {
  @Test(arguments: [
    ("8B", 0, MusicalKey.Mode.major), ("8A", 9, .minor), ("9B", 7, .major), ("1A", 8, .minor), ("12B", 4, .major),
    ("5A", 0, .minor),
  ])
  func camelotNamesKeys(camelot: String, pitchClass: Int, mode: MusicalKey.Mode) throws {
    let key = try #require(MusicalKey(camelot))
    #expect(key == MusicalKey(pitchClass: pitchClass, mode: mode) && key.camelot == camelot)
  }
}
