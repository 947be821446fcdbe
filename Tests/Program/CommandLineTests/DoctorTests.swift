import Analysis
import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// The findings of `doctor`, and the rest of files that are gone.
@Suite(.bounded) struct DoctorTests {
  private func place(files: Int = 2) throws -> Workplace {
    let place = try Workplace()
    for number in 0..<files { try place.put(Audio.wav(UInt64(number % 3)), as: "\(number).wav") }
    return place
  }

  private func bytes(of path: FilePath) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: path.string)))
  }

  @Test func killedRunIsNotCalledRunning() throws {
    let place = try place()
    let folder = place.folder.path
    let pipeline = try place.makePipeline(script: "touch \"\(folder)/reached\"; exec sleep 60")
    let program = try place.start([Argument(place.library)] + place.runArguments(pipeline: pipeline))
    #expect(waitUntil { FileManager.default.fileExists(atPath: place.folder.file("reached").string) })
    func doctor() throws -> Outcome { try place.analyze("doctor", "--database", Argument(place.database)) }
    let during = try doctor()
    #expect(during.status == 0 && during.text.contains("run 1 running"), "\(during.text)")
    program.send(SIGKILL)
    _ = program.end()
    let after = try doctor()
    #expect(after.status == 1 && after.text.contains("was killed") && !after.text.contains("running"), "\(after.text)")
  }

  @Test func doctorComparesReportsWithTheDatabase() throws {
    let place = try place()
    try place.put(Audio.wav(9), as: "a, \"b\"\nc.wav")
    try place.put(Audio.junk, as: "junk.mp3")
    _ = try place.run("--report", "csv", "--report", "ndjson")
    let formats = ["json", "ndjson", "csv"]
    func doctor() throws -> Outcome {
      try place.analyze(
        "doctor", "--check", "--database", Argument(place.database), "--output", Argument(place.reports))
    }
    let fine = try doctor()
    #expect(
      fine.status == 0 && fine.lines.count { $0.contains("agrees with the database on 4 files") } == 3, "\(fine.text)")
    for format in formats {
      let path = place.reports.appending("report.\(format)")
      let whole = try bytes(of: path)
      let text = String(decoding: whole, as: UTF8.self)
      try place.write(text.replacing("failed", with: "skipped"), to: path)
      let wrong = try doctor()
      #expect(wrong.status == 1 && wrong.text.contains("report.\(format): 1 of 4 files"), "\(wrong.text)")
      try place.write(Array(whole.dropLast(20)), to: path)
      let cut = try doctor()
      #expect(cut.status == 1 && cut.text.contains("report.\(format) cannot be read"), "\(cut.text)")
      try place.write(whole, to: path)
    }
    #expect(try doctor().status == 0)
  }

  @Test func reportOfAnUnknownPlaceIsAnError() throws {
    let place = try place()
    _ = try place.run()
    let outcome = try place.analyze(
      "report", "library/nowhere", "--report", "csv", "--output", "-", "--database", Argument(place.database))
    #expect(outcome.status == 1 && outcome.text == "" && outcome.errors.contains("is not in the database"))
  }

  @Test func vanishedFilesAreReportedAndForgottenOnRequest() throws {
    let place = try place()
    _ = try place.run()
    try place.remove("1.wav")
    let outcome = try place.run("--include", "vanished")
    #expect(outcome.names == ["0.wav", "1.wav"] && outcome.file("1.wav")["vanished"] == true)
    let database = Argument(place.database)
    #expect(try place.analyze("prune", "--dry-run", "--database", database).errors.contains("1 vanished file would be"))
    #expect(try place.analyze("prune", "--database", database).errors.contains("1 vanished file forgotten"))
    #expect(try place.run("--include", "vanished").names == ["0.wav"])
    #expect(try place.analyze("doctor", "--check", "--database", database).status == 0)
  }
}
