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

  /// `true` if a file has been analyzed.
  fileprivate func isKnown(_ name: String) throws -> Bool {
    try place.analyze("show", "library/\(name)", "--database", Argument(place.database)).status == 0
  }

  fileprivate func waitUntilAllAreKnown(_ names: [String] = ["a.wav", "b.wav", "c.wav"]) throws {
    #expect(try waitUntil { try names.allSatisfy { try isKnown($0) } })
  }

  /// The database is sound once no process works on it.
  fileprivate func expectSound() throws {
    let check = try place.analyze("doctor", "--check", "--database", Argument(place.database))
    #expect(check.status == 0, "\(check.text)\(check.errors)")
  }
}

/// `serve --watch`, beside runs that others start.
@Suite(.bounded, .serialized) struct WatchTests {
  @Test func newFilesAreAnalyzedWithoutARun() throws {
    let watched = try Gate()
    try watched.open()
    let server = try watched.serve()
    try watched.waitUntilAllAreKnown()
    // A folder that did not exist when watching began.
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

  @Test func aFolderWithoutAudioOrThatComesLaterIsNoFailure() throws {
    let watched = try Gate()
    try watched.open()
    let away = watched.place.folder.file("away")
    try FileManager.default.moveItem(atPath: watched.place.library.string, toPath: away.string)
    let server = try watched.serve()
    #expect(waitUntil { server.errors.contains("library is missing") })
    // A file without audio, so the folder is not empty.
    try watched.place.makeFolder(watched.place.library)
    try watched.place.write("", to: watched.place.library.appending("notes.txt"))
    #expect(waitUntil { server.errors.contains("library is available") })
    // A run has looked through it.
    #expect(waitUntil { server.errors.contains("holds no audio files") })
    try watched.place.put(Audio.wav(1), as: "a.wav")
    try watched.waitUntilAllAreKnown(["a.wav"])
    #expect(!server.errors.contains("Retrying in"), "\(server.errors)")
    // Its disk is unmounted, and nothing vanishes.
    try FileManager.default.moveItem(atPath: watched.place.library.string, toPath: away.string + "2")
    #expect(waitUntil { server.errors.contains("library has disappeared") })
    try FileManager.default.moveItem(atPath: away.string, toPath: watched.place.library.string)
    try watched.waitUntilAllAreKnown()
    #expect(!server.errors.contains("Retrying in"), "\(server.errors)")
    server.send(SIGTERM)
    _ = server.end()
    try watched.expectSound()
  }

  /// In a mount namespace of its own: what is mounted over a watched folder is watched.
  @Test(.enabled(if: SmallDisk.isPossible)) func aDiskMayBeMountedLater() throws {
    let watched = try Gate()
    let place = watched.place
    try watched.open()
    try place.makeFolder(place.library.appending("usb"))
    let script = """
      cd "\(place.folder.path)"
      "$0" serve --watch library --database results.sqlite --port 0 2>errors & server=$!
      known() { "$0" show "$1" --database results.sqlite >/dev/null 2>&1; }
      wait_for() { for i in $(seq 600); do known "$1" && return; sleep 0.1; done; }
      wait_for library/c.wav
      mount -t tmpfs none library/usb
      cp library/a.wav library/usb/x.wav
      wait_for library/usb/x.wav
      umount -l library/usb
      while ! grep -q "usb is empty" errors; do sleep 0.1; done
      known library/usb/x.wav; echo "known $?"
      mount -t tmpfs none library
      while ! grep -q "its drive has disappeared" errors; do sleep 0.1; done
      umount library
      while ! grep -q "library is available" errors; do sleep 0.1; done
      cp library/a.wav library/z.wav
      wait_for library/z.wav
      kill $server; wait $server
      """
    let outcome = try RunningProgram(
      ["-rm", "sh", "-c", Argument(stringLiteral: script), Argument(RunningProgram.executable)],
      of: "/usr/bin/unshare",
      environment: place.environment.merging(["ANALYZE_PIPELINE": "tags-only", "ANALYZE_JOBS": "1"]) { $1 },
      workingFolder: place.folder.path
    ).end(within: .seconds(120))
    let errors = try String(contentsOfFile: place.folder.file("errors").string, encoding: .utf8)
    #expect(outcome.text == "known 0\n", "\(outcome.errors)")
    #expect(!errors.contains("Retrying in"), "\(errors)")
    let known = try place.analyze("show", "library/z.wav", "--database", Argument(place.database))
    #expect(known.status == 0, "\(errors)")
  }

  @Test func foldersNeedWatching() throws {
    let place = try Workplace()
    let outcome = try place.analyze("serve", Argument(place.library), "--database", Argument(place.database))
    #expect(outcome.status == 64 || outcome.status == 2)
    #expect(outcome.errors.contains("--watch"))
  }
}
