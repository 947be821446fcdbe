import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// Disks and libraries that disappear during a run.
@Suite(.bounded) struct LostDiskTests {
  @Test func libraryThatGoesDuringARun() throws {
    let gate = try Gate()
    let place = gate.place
    let run = try place.start(
      [Argument(place.library), "--jobs", "1", "--verbose"] + place.runArguments(pipeline: gate.pipeline))
    gate.waitUntilReached()
    let away = place.folder.file("away")
    try FileManager.default.moveItem(atPath: place.library.string, toPath: away.string)
    try gate.open()
    let outcome = run.end()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("library disappeared during the run. "), "\(outcome.errors)")
    #expect(outcome.errors.contains("Is the drive mounted?") && !outcome.errors.contains("disappeared since the scan"))

    try FileManager.default.moveItem(atPath: away.string, toPath: place.library.string)
    let next = try place.run(pipeline: gate.pipeline)
    #expect(next.status == 0 && next.totals["seen"] == 3 && next.totals["vanished"] == nil, "\(next.errors)")
  }

  @Test func filesThatAreRemovedDuringARunAreOnlyCounted() throws {
    let gate = try Gate()
    let place = gate.place
    let run = try place.start(
      [Argument(place.library), "--jobs", "1", "--verbose"] + place.runArguments(pipeline: gate.pipeline))
    gate.waitUntilReached()
    try place.remove("c.wav")
    try gate.open()
    let outcome = run.end()
    #expect(
      outcome.status == 0 && outcome.errors.contains("1 file has disappeared since the scan"), "\(outcome.errors)")
  }

  /// In a mount namespace of its own, a disk is unmounted as one that is pulled out: at once, even while it is in use.
  @Test(.enabled(if: SmallDisk.isPossible)) func diskThatGoesDuringARun() throws {
    let gate = try Gate()
    let place = gate.place
    try place.makeFolder(place.library.appending("usb"))
    let script = """
      cd "\(place.folder.path)"
      mount -t tmpfs none library/usb
      cp library/a.wav library/usb/x.wav; cp library/c.wav library/usb/y.wav
      "$0" "$@" 2>errors & run=$!
      while [ ! -e reached ]; do sleep 0.02; done
      umount -l library/usb
      touch gate
      wait $run; echo "status $?"
      "$0" "$@" 2>>errors; echo "status $?"
      """
    let outcome = try RunningProgram(
      [
        "-rm", "sh", "-c", Argument(stringLiteral: script), Argument(RunningProgram.executable),
        Argument(place.library),
      ]
        + ["--jobs", "1", "--verbose"] + place.runArguments(pipeline: gate.pipeline),
      of: "/usr/bin/unshare", environment: place.environment, workingFolder: place.folder.path
    ).end()
    let errors = try String(contentsOfFile: place.folder.file("errors").string, encoding: .utf8)
    #expect(outcome.text == "status 1\nstatus 1\n", "\(errors)\(outcome.errors)")
    #expect(errors.contains("usb became empty during the run: its disk is gone. 2 files in it were"), "\(errors)")
    #expect(errors.contains("usb is empty, but 2 known files were on a disk there"), "\(errors)")
    #expect(!errors.contains("vanished"))
  }
}

/// Possible places of a database.
@Suite(.bounded) struct DatabasePlaceTests {
  @Test func onlyTheStandardFolderIsMade() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let missing = place.folder.file("usb/nocturne/library.sqlite")
    try place.write("", to: place.folder.file("answers.ndjson"))
    for words: [Argument] in [
      ["library", "--pipeline", "tags-only"], ["library", "--pipeline", "tags-only", "--dry-run"],
      ["merge", "answers.ndjson"], ["serve", "--watch", "library", "--port", "0"],
    ] {
      let outcome = try place.start(words + ["--database", Argument(missing)]).end()
      #expect(outcome.status == 1 && outcome.errors.contains("its folder does not exist"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: place.folder.file("usb").string))
    }
    #expect(try place.analyze("library", "--pipeline", "tags-only").status == 0)
    #expect(FileManager.default.fileExists(atPath: place.home.appending(".local/share/nocturne/library.sqlite").string))
  }

  @Test func watchingMakesTheStandardDatabase() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let server = try place.start(
      ["serve", "--watch", "library", "--port", "0"], environment: ["ANALYZE_PIPELINE": "tags-only"])
    #expect(waitUntil { server.errors.contains("serving at") })
    server.send(SIGTERM)
    _ = server.end()
    #expect(FileManager.default.fileExists(atPath: place.home.appending(".local/share/nocturne/library.sqlite").string))
  }

  /// `/etc/passwd.lock`, say, keeps other programs from their file.
  @Test func nothingIsLeftBesideAFileThatIsNoDatabase() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.write("root:x:0:0:root:/root:/bin/bash\n", to: place.folder.file("passwd"))
    try place.write("", to: place.folder.file("answers.ndjson"))
    let before = try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted()
    for words: [Argument] in [
      ["library", "--pipeline", "tags-only"], ["merge", "answers.ndjson"], ["write-tags", "bpm", "--all"],
      ["prune", "--dry-run"],
      ["set", "--import", "answers.ndjson"], ["doctor"], ["report", "--report", "json"], ["export", "m3u8"],
    ] {
      let outcome = try place.start(words + ["--database", "passwd"]).end()
      #expect(outcome.status != 0)
      #expect((outcome.errors + outcome.text).contains("not a Nocturne database"), "\(outcome.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted() == before)
    }
  }
}
