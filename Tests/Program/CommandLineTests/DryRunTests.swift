import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

@Suite(.bounded) struct DryRunTests {
  @Test func makesNothing() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put([1], as: "cover.jpg")
    let before = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string).sorted()
    for option: Argument in ["--dry-run", "-n"] {
      let outcome = try place.analyze("library", option, "--report", "json")
      #expect(outcome.status == 0)
      #expect(outcome.text == "")
      #expect(outcome.errors.contains("1 file would be analyzed (1 new"))
      #expect(outcome.errors.contains("would be skipped: 1"))
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path.string).sorted() == before)
  }

  @Test func saysWhatWouldBeDoneAndLeavesTheDatabase() throws {
    let place = try Workplace()
    for number in 1...6 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav", modified: 1_000_000 + number) }
    try place.put(Audio.junk, as: "bad.mp3")
    _ = try place.run()
    try place.put(Audio.wav(7), as: "new.wav")
    try place.put(Audio.wav(8), as: "1.wav", modified: 2_000_000)
    try place.move("2.wav", to: "moved.wav")
    try place.remove("3.wav")

    // SQLite leaves an empty write-ahead log and its index if it may not write.
    let files = {
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted()
        .filter { !$0.hasSuffix(".sqlite-shm") && !$0.hasSuffix(".sqlite-wal") }
    }
    let before = (try files(), try Data(contentsOf: URL(filePath: place.database.string)))
    let dry = try place.run("--dry-run")
    #expect(dry.status == 0)
    for text in [
      "2 files would be analyzed (1 new, 1 changed, 0 with missing", "Unchanged: 4;", "known as failing: 1;",
      "moved: 1;", "gone: 1.", "Nothing was changed",
    ] { #expect(dry.errors.contains(text), "\(dry.errors)") }
    #expect(dry.report == .null)
    #expect(try files() == before.0)
    #expect(try Data(contentsOf: URL(filePath: place.database.string)) == before.1)
    #expect(try Data(contentsOf: URL(filePath: place.database.string + "-wal")).isEmpty)

    // The run does what the dry run announced.
    #expect(try place.run().totals == ["seen": 8, "analyzed": 2, "cached": 4, "failed": 1, "vanished": 1])
  }

  @Test func tellsOfOutdatedFindings() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run(pipeline: "tags-only")
    #expect(try place.run("-n").errors.contains("1 with missing or outdated findings"))
    #expect(try place.run("-n", pipeline: "tags-only").errors.contains("Unchanged: 1;"))
    #expect(try place.run("-n", "--force", pipeline: "tags-only").errors.contains("1 file would be analyzed"))
  }
}
