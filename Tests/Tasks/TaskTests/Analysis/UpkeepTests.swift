import Analysis
import AnalysisTasks
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import Landmarks
import LibraryTesting
import Recognition
import Records
import ResultStore
import SystemPackage
import Testing
import Text

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

  @Test func aCheckupNamesWhatItChecks() async throws {
    let place = try Workplace()
    try place.put(sound(1), as: "a.wav")
    _ = try await place.run(try place.analysis())
    let catalog = place.folder.file("catalog")
    var checkup = Checkup(
      analyzers: Array(BuiltInAnalyzers.all.prefix(1)), notices: ["a notice"], plan: try place.plan(),
      library: [place.library, place.folder.file("none")], database: place.database, reports: place.reports,
      catalog: catalog, catalogParts: [DeadPart()])
    let findings = try checkup.findings()
    let fine = findings.filter(\.isFine).map(\.text)
    let wrong = findings.filter { !$0.isFine }.map(\.text)
    #expect(fine.first?.hasPrefix("analyze \(Nocturne.version), ") == true)
    #expect(fine.count { $0.hasPrefix("analyzer ") } == 1)
    #expect(fine.contains { $0.hasPrefix("pipeline default: ") && $0.contains("chromaprint") })
    #expect(fine.contains("library \(place.library.string)"))
    #expect(fine.contains { $0.contains(" MB free at ") })
    #expect(fine.contains("catalog \(catalog.string): not there yet, `analyze catalog build` makes it"))
    #expect(fine.last?.hasPrefix("database \(place.database.string): run 1 finished, started ") == true)
    #expect(wrong.count == 3, "\(wrong)")
    #expect(wrong.first == "a notice" && wrong[1].hasPrefix("library \(place.folder.file("none").string) is missing"))
    #expect(wrong.last?.hasPrefix("the catalog of http://dead does not answer: it is off;") == true)

    checkup.rebuildsIndex = true
    #expect(try checkup.findings().last == .ok("the search index was rebuilt"))
    checkup.comparesAll = true
    #expect(try checkup.findings().suffix(2) == [.ok("the search index was rebuilt"), .ok("the database is sound")])
    // A database that is none.
    checkup.database = try place.folder.write(Array(String(repeating: "no database ", count: 200).utf8), as: "other")
    #expect(try checkup.findings().last?.isFine == false)
  }

  private struct DeadPart: CatalogPart {
    let name = "http://dead"
    func ask(_ question: [UInt8]) -> PartReply {
      PartReply { () throws(PartFailure) in throw PartFailure("it is off") }
    }
  }

  @Test(arguments: [(1, ", sound"), (2, ", sound")]) func aCatalogIsCounted(count: Int, ending: String) throws {
    let folder = try TemporaryDirectory()
    let catalog = folder.file("catalog")
    let signature = Signature(landmarks: [Landmark(column: 1, band: 1, strength: 1)], columnCount: 9)
    try CatalogDirectory(at: catalog).add(
      (0..<count).map { ReferenceSignature(identifier: "\($0)", signature: signature, items: []) })
    func texts(_ check: StorageCheck) -> [String] { check.findings().map(\.text) }
    let text = "catalog \(catalog.string): \(counted(count, "track"))"
    let database = folder.file("none/library.sqlite")
    #expect(texts(StorageCheck(database: database, catalog: catalog, reports: "/none")).last == text)
    #expect(
      texts(StorageCheck(database: database, catalog: catalog, reports: "/none", verifiesAll: true)).last
        == text + ending)
    // The folder that exists is the one that matters.
    #expect(
      texts(StorageCheck(database: database, catalog: nil, reports: "/none")).contains {
        $0.hasSuffix(" MB free at \(folder.path.string)")
      })
    #expect(
      texts(StorageCheck(database: "library.sqlite", catalog: nil, reports: "/none")).contains {
        $0.hasSuffix(" MB free at .")
      })
  }

  // MARK: The last run

  private func texts(_ library: ScannedLibrary) throws -> [Checkup.Finding] {
    try Checkup(
      analyzers: [], notices: [], plan: Workplace().plan(), library: [], database: library.database, reports: "/none"
    ).findings()
  }

  @Test func aRunThatDiedIsWrongOnceItsProcessIsGone() throws {
    let library = try ScannedLibrary()
    try library.reopen(findings: BuiltInAnalyzers.findings)
    #expect(try texts(library).last == .ok("database \(library.database.string): no run yet"))
    try library.beginRun()
    let lock = try RunLock.acquire(forDatabase: library.database)
    #expect(try texts(library).last?.text.hasPrefix("database \(library.database.string): run 1 running, ") == true)
    lock.release()
    #expect(try texts(library).last?.text.hasPrefix("the last run was killed or lost power; ") == true)
    #expect(try texts(library).last?.isFine == false)
    for state in [RunRecord.State.failed, .interrupted] {
      try library.store.finishRun(
        library.run, state: state, exitStatus: 1, roots: [], totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0,
        pending: 0)
      let last = try texts(library).last
      #expect(last?.isFine == (state != .failed), "\(state)")
      #expect(last?.text.hasPrefix("the last run failed; ") == (state == .failed))
    }
  }

  @Test(arguments: [10, 11]) func aFewFilesInQuarantineAreListed(count: Int) throws {
    let library = try ScannedLibrary()
    try library.reopen(findings: BuiltInAnalyzers.findings)
    for number in 0..<count { library.put(FilePath("/music/\(number).mp3")) }
    try library.night { _ in
      FileAnalysis(
        status: .failed, problem: Problem(stage: .decode, code: "worker_crashed", message: "It crashed."),
        workerLoss: WorkerLoss(cause: .signal(11), stage: .decode))
    }
    let findings = try texts(library)
    #expect(findings.count { $0.text.hasPrefix("in quarantine until ") && $0.text.hasSuffix(": It crashed.") } == 10)
    #expect(findings.contains(.ok("and more files in quarantine")) == (count > 10))
  }
}
