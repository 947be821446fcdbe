import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// Files that change in ways that are easy to miss, or at the wrong moment.
@Suite(.bounded) struct ChangeTests {
  private func place(files: Int = 2) throws -> Workplace {
    let place = try Workplace()
    for number in 0..<files { try place.put(Audio.wav(UInt64(number % 3)), as: "\(number).wav") }
    return place
  }

  private func bytes(of path: FilePath) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: path.string)))
  }

  /// A tag editor that keeps the time of modification, and another that changes nothing but the mode.
  @Test func touchedFilesAreLookedIntoAndNotDecoded() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "One"), as: "tagged.wav", modified: 1_000_000)
    try place.put(Audio.wav(2), as: "mode.wav", modified: 1_000_000)
    try place.put(Audio.wav(3), as: "other.wav", modified: 1_000_000)
    let pipeline = try place.makePipelineThatLogs()
    _ = try place.run(pipeline: pipeline)
    _ = place.takeLog()
    try place.put(Audio.wav(1, title: "Two"), as: "tagged.wav", modified: 1_000_000)
    try place.put(Audio.wav(4), as: "other.wav", modified: 1_000_000)
    #expect(chmod(place.library.appending("mode.wav").string, 0o600) == 0)
    #expect(try place.run("--dry-run", pipeline: pipeline).errors.contains("3 touched"))
    let outcome = try place.run(pipeline: pipeline)
    // Other audio under the old modification time is reported, whatever program wrote it.
    #expect(outcome.totals == ["seen": 3, "analyzed": 2, "partial": 1] && place.takeLog() == ["other.wav"])
    #expect(outcome.file("other.wav")["error"]["code"] == "changed_silently")
    #expect(outcome.file("tagged.wav")["tags"]["title"] == "Two")
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 3, "cached": 3])
    #expect(chmod(place.library.appending("mode.wav").string, 0o644) == 0)
    #expect(try place.run(pipeline: pipeline, environment: ["ANALYZE_IGNORE_CTIME": "true"]).totals["cached"] == 3)
  }

  /// A program that saves files under another name first, and then renames them: findings are of one version or the
  /// other, never a mixture. A program of an analyzer that opens files itself may have seen the other one.
  @Test(arguments: ["pcm", "path"]) func replacedFileIsReadInOneVersion(input: String) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Old"), as: "a.wav", modified: 1_000_000)
    let next = place.folder.file("next")
    try place.write(Audio.wav(2, title: "New"), to: next)
    let still = try Workplace()
    try still.put(Audio.wav(1), as: "a.wav")
    let expected = try still.run().file("a.wav")
    let pipeline = try place.makePipeline(
      script: #"cat > /dev/null; [ ! -e "\#(next)" ] || mv "\#(next)" "$1"; echo {}"#, input: input)
    let first = try place.run(pipeline: pipeline)
    #expect(first.totals == ["seen": 1, "analyzed": 1])
    #expect(first.file("a.wav")["error"] == .null && first.file("a.wav")["remarks"].elements.isEmpty)
    #expect(first.file("a.wav")["tags"]["title"] == "Old")
    #expect(first.file("a.wav")["fingerprint"] == expected["fingerprint"])
    #expect((first.file("a.wav")["findings"]["probe"] == .null) == (input == "path"))
    let second = try place.run(pipeline: pipeline)
    #expect(second.totals == ["seen": 1, "analyzed": 1])
    #expect(second.file("a.wav")["tags"]["title"] == "New")
    #expect(second.file("a.wav")["fingerprint"] != expected["fingerprint"])
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 1, "cached": 1])
  }

  /// A run that waits after its scan and its first file, at the gate, until `change` is done.
  private func outcome(in place: Workplace, ofRunMeeting change: () throws -> Void) throws -> LibraryOutcome {
    let folder = place.folder.path
    let wait = #"touch "\#(folder)/reached"; while [ ! -e "\#(folder)/gate" ]; do sleep 0.02; done"#
    let pipeline = try place.makePipeline(script: #"case "$1" in *0.wav) \#(wait);; esac; echo {}"#)
    let program = try place.start(
      [Argument(place.library), "--jobs", "1", "-v", "--report", "json"] + place.runArguments(pipeline: pipeline))
    #expect(waitUntil { FileManager.default.fileExists(atPath: place.folder.file("reached").string) })
    try change()
    try place.write("", to: place.folder.file("gate"))
    let ended = program.end()
    return LibraryOutcome(ended, report: try JSONValue(parsing: bytes(of: place.report)))
  }

  /// The second check: a file that was written to since the scan waits for the next run and is not a failure.
  @Test func fileThatIsBeingWrittenWaitsForTheNextRun() throws {
    let place = try place(files: 2)
    let outcome = try outcome(in: place) { try place.put(Array(Audio.wav(1).prefix(9_000)), as: "1.wav") }
    #expect(outcome.status == 0 && outcome.totals == ["seen": 2, "analyzed": 1, "skipped": 1], "\(outcome.errors)")
    #expect(outcome.file("1.wav")["error"]["code"] == "still_changing")
    #expect(outcome.errors.contains("1 of them being written"), "\(outcome.errors)")
    try place.put(Audio.wav(1), as: "1.wav")
    let next = try place.run(pipeline: Argument(place.folder.file("pipeline.yaml")))
    #expect(next.totals == ["seen": 2, "analyzed": 1, "cached": 1])
  }

  /// A file that arrived by renaming is complete.
  @Test func fileThatWasReplacedDoesNotWait() throws {
    let place = try place(files: 2)
    let next = place.folder.file("next")
    try place.write(Audio.wav(5, title: "New"), to: next)
    let outcome = try outcome(in: place) {
      #expect(rename(next.string, place.library.appending("1.wav").string) == 0)
    }
    #expect(outcome.status == 0 && outcome.totals == ["seen": 2, "analyzed": 2], "\(outcome.errors)")
    #expect(outcome.file("1.wav")["status"] == "ok" && outcome.file("1.wav")["tags"]["title"] == "New")
  }
}
