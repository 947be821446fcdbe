import Analysis
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import Records
import ResultStore
import SystemPackage
import Testing

/// Checking and pruning a database.
@Suite(.bounded) struct UpkeepTests {
  private func checkup(_ place: Workplace, comparesAll: Bool = false) throws -> [Checkup.Finding] {
    try Checkup(
      analyzers: BuiltInAnalyzers.all, notices: [], plan: place.plan(), library: [place.library],
      database: place.database, reports: place.reports, comparesAll: comparesAll
    ).findings()
  }

  @Test func aCheckupFindsWhatIsWrong() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    #expect(try checkup(place).last?.text.hasSuffix("does not exist yet, the first run creates it") == true)
    _ = try await place.run(try place.analysis(reports: [.json]))
    let fine = try checkup(place, comparesAll: true)
    #expect(!fine.contains { !$0.isFine }, "\(fine)")
    #expect(fine.last?.text.hasSuffix("agrees with the database on 1 file") == true)

    let report = place.reports.appending("report.json")
    let text = try String(contentsOfFile: report.string, encoding: .utf8)
    try text.replacing("a.wav", with: "b.wav").write(toFile: report.string, atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: place.library.string)
    let wrong = try checkup(place, comparesAll: true).filter { !$0.isFine }
    #expect(wrong.count == 2, "\(wrong)")
    #expect(wrong.first?.text.contains("is missing or cannot be read") == true)
    #expect(wrong.last?.text.hasPrefix("report ") == true)
  }

  @Test func pruningForgetsWhatIsGone() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    let gone = try place.put(sound(2), as: "b.wav")
    _ = try await place.run(try place.analysis())
    try FileManager.default.removeItem(atPath: gone.string)
    _ = try await place.run(try place.analysis())
    let store = try place.store()
    #expect(try Pruning(store, isDryRun: true).perform() == 1)
    #expect(try Pruning(store, roots: [place.folder.file("elsewhere")]).perform() == 0)
    #expect(try Pruning(store).perform() == 1)
    #expect(try store.record(at: gone) == nil)
  }
}
