import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing

extension Gate {
  fileprivate func serve() throws -> RunningProgram {
    try place.start(
      ["serve", "--watch", Argument(place.library), "--database", Argument(place.database), "--port", "0"],
      environment: ["ANALYZE_PIPELINE": String(decoding: pipeline.bytes, as: UTF8.self), "ANALYZE_JOBS": "1"])
  }

  fileprivate func run() throws -> RunningProgram {
    try place.start([Argument(place.library), "--jobs", "1"] + place.runArguments(pipeline: pipeline))
  }

  /// Whether a file has been analyzed.
  fileprivate func isKnown(_ name: String) throws -> Bool {
    try place.analyze("show", "library/\(name)", "--database", Argument(place.database)).status == 0
  }

  fileprivate func waitUntilAllAreKnown(_ names: [String] = ["a.wav", "b.wav", "c.wav"]) throws {
    #expect(try waitUntil { try names.allSatisfy { try isKnown($0) } })
  }

  /// The database is sound once nobody works on it.
  fileprivate func expectSound() throws {
    let check = try place.analyze("doctor", "--check", "--database", Argument(place.database))
    #expect(check.status == 0, "\(check.text)\(check.errors)")
  }
}

/// `serve --watch`, beside runs that others start.
@Suite(.serialized) struct WatchTests {
  @Test func newFilesAreAnalyzedWithoutARun() throws {
    let watched = try Gate()
    try watched.open()
    let server = try watched.serve()
    try watched.waitUntilAllAreKnown()
    // A folder that was not there when the watching began.
    try watched.place.makeFolder(watched.place.library.appending("new"))
    try watched.place.put(Audio.wav(9), as: "new/d.wav")
    try watched.waitUntilAllAreKnown(["new/d.wav"])
    server.send(SIGTERM)
    _ = server.end()
    try watched.expectSound()
  }

  @Test func aRunComesFirstAndWhatItLeavesIsDone() throws {
    let watched = try Gate()
    let run = try watched.run()
    watched.waitUntilReached()
    let server = try watched.serve()
    #expect(waitUntil { server.errors.contains("serving at") })
    run.send(SIGKILL)
    #expect(run.end().status == -Int(SIGKILL))
    try watched.open()
    try watched.waitUntilAllAreKnown()
    server.send(SIGTERM)
    _ = server.end()
    try watched.expectSound()
  }

  @Test func aServerThatIsKilledLeavesNothingBehindAndTheNextRunGoesOn() throws {
    let watched = try Gate()
    let server = try watched.serve()
    watched.waitUntilReached()
    server.send(SIGKILL)
    #expect(server.end().status == -Int(SIGKILL))
    try watched.open()
    // The lock is free as soon as the run of the server has ended with it.
    let run = try watched.run().end()
    #expect(run.status == 0, "\(run.errors)")
    try watched.waitUntilAllAreKnown()
    try watched.expectSound()
  }

  @Test func foldersNeedWatching() throws {
    let place = try Workplace()
    let outcome = try place.analyze("serve", Argument(place.library), "--database", Argument(place.database))
    #expect(outcome.status == 64 || outcome.status == 2)
    #expect(outcome.errors.contains("--watch"))
  }
}
