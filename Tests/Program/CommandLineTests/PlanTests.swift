import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze plan`, and the way of its lines through a worker into a database.
@Suite(.bounded) struct PlanTests {
  private func options(_ place: Workplace) -> [Argument] {
    ["--database", Argument(place.database), "--pipeline", "fingerprint"]
  }

  @Test func aWorkerTakesThePlanAndARunFindsNothingLeft() throws {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "it's \(number).wav") }
    try place.put(Audio.junk, as: "bad.mp3")
    let lines = try place.start(["plan", Argument(place.library), "--ndjson", "--partitions", "2"] + options(place))
      .end()
    #expect(lines.status == 0, "\(lines.errors)")
    #expect(lines.text.split(separator: "\n").count == 4)
    let answers = try place.analyze("worker", "--pipeline", "fingerprint", input: lines.output)
    #expect(answers.status == 0, "\(answers.errors)")
    #expect(try place.analyze("merge", "-", "--database", Argument(place.database), input: answers.output).status == 3)
    #expect(try place.run().totals == ["seen": 4, "cached": 3, "failed": 1])
    let again = try place.start(["plan", Argument(place.library)] + options(place)).end()
    #expect(
      again.text
        == "Nothing to analyze: 3 files are unchanged.\n1 file known as failing is left out; --retry-failed adds it.\n")
  }

  @Test func nothingIsMadeButThePlan() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let before = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string).sorted()
    let summary = try place.start(["plan", Argument(place.library)] + options(place)).end()
    #expect(summary.status == 0 && summary.text.contains("1 file to analyze (1 new)"), "\(summary.text)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string).sorted() == before)
    let folder = place.folder.file("plan")
    for _ in 1...2 {
      let outcome = try place.start(
        ["plan", Argument(place.library), "--parquet", Argument(folder), "--json"] + options(place)
      ).end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      let plan = try JSONValue(parsing: outcome.output)
      #expect(plan["schema"] == "nocturne.plan" && plan["totals"]["new"].intValue == 1)
    }
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.string)) == [
        ".nocturne-files", "files.parquet", "plan.json",
      ])
  }

  @Test func wrongUsageIsNamed() throws {
    let place = try Workplace()
    for (arguments, reason) in [
      (["--partitions", "0"], "greater than zero"), (["--json", "--ndjson"], "Give one of"),
      (["library", "--from-listing", "-"], "not several"), (["--from0"], "needs --files-from"),
    ] as [([Argument], String)] {
      let outcome = try place.start(["plan"] + arguments).end()
      #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }
    let missing = try place.analyze("plan", "library/none", "--database", Argument(place.database))
    #expect(missing.status == 1 && missing.errors.contains("does not exist"), "\(missing.errors)")
    let listing = try place.analyze(
      "plan", "--from-listing", "-", "--database", Argument(place.database), input: Array("a,b\n".utf8))
    #expect(listing.status == 1 && listing.errors.contains("must name the columns"), "\(listing.errors)")
  }
}
