import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import LibraryStore
import LibraryTasks
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

/// Tracks of one genre without descriptors, named by their tempi.
@Suite(.bounded) struct RecommendationsTests {
  private let folder: TemporaryDirectory
  private let recommendations: Recommendations
  private let seed: String

  init() throws {
    folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let files = ["seed", "100", "120", "140", "unknown"].map { name in
      var file = LibraryFile(
        path: FilePath("/music/\(name).flac"), tags: ["title": [name], "artist": ["By \(name)"], "genre": ["Techno"]])
      if let bpm = Double(name) {
        let tempo = TempoFinding(bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
        file.findings = [("tempo", tempo)]
      }
      return file
    }
    try LibraryFiles(files).merge(into: store)
    seed = files[0].id
    recommendations = Recommendations(store: store, neighbors: SoundNeighbors(try DescriptorCache(in: store)))
  }

  private func answer(_ change: (inout Recommendations.Request) -> Void) throws -> Recommendations.Answer {
    var request = Recommendations.Request()
    request.tracks = [seed]
    change(&request)
    return try recommendations.tracks(request)
  }

  @Test func boundsKeepOutWhatIsOutsideOrNotKnown() throws {
    let answer = try answer {
      $0.minimum[.tempo] = 110
      $0.maximum[.tempo] = 140
    }
    #expect(Set(answer.songs.map(\.title)) == ["120", "140"])
    #expect(answer.filteredCount == 2 && answer.seeds.map(\.poolSize) == [1])
  }

  @Test func nearerToTheTargetComesFirst() throws {
    // An unknown tempo counts as 30 beats per minute off.
    #expect(try answer { $0.target[.tempo] = 135 }.songs.map(\.title) == ["140", "120", "unknown", "100"])
  }

  @Test func theSeedIsNotRecommended() throws {
    let answer = try answer { $0.limit = 2 }
    #expect(answer.songs.count == 2 && answer.filteredCount == 4)
    #expect(!answer.songs.contains { $0.id == seed })
  }
}
