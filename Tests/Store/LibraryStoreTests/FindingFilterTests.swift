import Analysis
import AnalysisTesting
import Filters
import LibraryStore
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// Filters and orders by fields of findings.
@Suite(.bounded) struct FindingFilterTests {
  private static let traits = AnalyzerIdentity(id: "traits", version: 1, digest: "")
  private static let columns = FindingColumn.all(of: [TraitsFinding.self, LoudnessFinding.self])

  /// Three tracks with an energy, one without, one that was not analyzed for it.
  private static func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try library.reopen(findings: ScannedLibrary.findings + [TraitsFinding.self])
    library.wanted = ScannedLibrary.wanted(extra: [traits])
    for name in ["a", "b", "c", "silent", "other"] { library.put(FilePath("/music/\(name).flac")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      let energies = ["a": 0.2, "b": 0.9, "c": 0.55]
      let name = file.path.stem ?? ""
      if name == "other" { return analysis }
      let finding =
        energies[name].map { TraitsFinding(energy: $0, danceability: 0.5, speechiness: 0) } ?? .none(reason: "silence")
      analysis.outcomes.append(AnalyzerOutcome(analyzer: traits, result: .finding(finding)))
      return analysis
    }
    return library
  }

  private func names(_ filter: String, sort: String = "path") throws -> [String] {
    let library = try Self.library()
    return try library.store.tracks(
      matching: TrackFilter(parsing: filter, columns: Self.columns),
      order: TrackOrder(parsing: sort, columns: Self.columns)
    ).compactMap(\.path.stem)
  }

  @Test(arguments: [
    ("traits_energy:0.5..", ["b", "c"]), ("traits_energy>0.55", ["b"]), ("traits_energy >= 0.55", ["b", "c"]),
    ("traits_energy<0.55", ["a"]), ("traits_energy<=0.55", ["a", "c"]),
    ("traits_energy!=0.2", ["b", "c", "other", "silent"]),
    ("traits_energy:0.2", ["a"]),
    ("-traits_energy:0.5..", ["a", "other", "silent"]),
    ("traits_energy:none", ["other", "silent"]), ("-traits_energy:none", ["a", "b", "c"]),
    ("traits_reason:SIL*", ["silent"]), ("traits_reason:silence", ["silent"]), ("traits_reason:sil", []),
    ("traits_energy:0.5.. OR traits_reason:silence", ["b", "c", "silent"]),
    ("loudness_true_peak_dbtp:-1..", []), ("loudness_true_peak_dbtp:none traits_energy:0.9", ["b"]),
  ]) func filters(filter: String, found: [String]) throws {
    #expect(try names(filter) == found)
  }

  /// Unknown values come last.
  @Test func orders() throws {
    #expect(try names("", sort: "-traits_energy").prefix(3) == ["b", "c", "a"])
    #expect(try names("", sort: "traits_energy").prefix(3) == ["a", "c", "b"])
    #expect(try names("traits_energy:..0.6", sort: "-traits_energy") == ["c", "a"])
    #expect(throws: UnknownOrder.self) { try TrackOrder(parsing: "traits_enrgy", columns: Self.columns) }
  }
}
