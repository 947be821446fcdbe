import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// Commands whose filters or paths select no track, and commands that list tracks below paths.
@Suite(.bounded) struct SelectionTests {
  private func library() throws -> Workplace {
    let place = try Workplace()
    try place.put(WAVFile(.clickTrack(bpm: 120, sampleRate: 22_050, seconds: 20)).bytes, as: "a/120.wav")
    try place.put(WAVFile(.clickTrack(bpm: 90, sampleRate: 22_050, seconds: 20)).bytes, as: "b/90.wav")
    try place.put(Audio.junk, as: "b/bad.mp3")
    #expect(try place.run(pipeline: "default").status == 3)
    return place
  }

  private func analyze(_ place: Workplace, _ arguments: [Argument]) throws -> Outcome {
    try place.start(arguments + ["--database", Argument(place.database)]).end()
  }

  @Test func noTrackIsStatus1() throws {
    let place = try library()
    let commands: [[Argument]] = [
      ["search", "--where", "bpm>500"], ["playlist", "--where", "bpm>500"], ["export", "m3u8", "--where", "bpm>500"],
      ["export", "meilisearch", "--output", "m", "--where", "bpm>500"], ["set", "--where", "bpm>500", "--half"],
      ["set", "--where", "bpm>500", "--half", "--json"], ["write-tags", "bpm", "--where", "bpm>500"],
      ["broken", "--where", "bpm>500"], ["duplicates", "--where", "bpm>500"],
      ["review", "--list", "--where", "bpm>500"],
    ]
    for command in commands {
      let outcome = try analyze(place, command)
      let isQuery = command[0].bytes == Array("search".utf8)
      #expect(outcome.status == 1, "\(command): \(outcome.text)")
      #expect(isQuery || outcome.errors.contains("track matches"), "\(command): \(outcome.errors)")
    }
    #expect(!place.folder.file("m").exists)
    // Tracks are selected, and there is nothing to tell about them.
    for command in [["duplicates"], ["broken", "library/a"], ["review", "--list", "--below", "0.01"]] as [[Argument]] {
      #expect(try analyze(place, command).status == 0)
    }
  }

  @Test func anExportOfNothingReplacesNothing() throws {
    let place = try library()
    let file = place.folder.file("list.m3u8")
    func export(_ options: Argument...) throws -> Outcome {
      try analyze(place, ["export", "m3u8", "--output", "list.m3u8"] + options)
    }
    func text() throws -> String { try String(contentsOfFile: file.string, encoding: .utf8) }
    #expect(try export("--where", "bpm>100").status == 0)
    let before = try text()
    #expect(before.contains("120.wav") && !before.contains("90.wav"))
    let nothing = try export("--where", "bpm>500")
    #expect(nothing.status == 1 && nothing.errors.contains("Nothing was written"), "\(nothing.errors)")
    #expect(try text() == before)
    #expect(try export("--where", "bpm>500", "--force").status == 0)
    #expect(try !text().contains(".wav"))
    // A smart playlist has its filter as content, and an incremental export may have no changes.
    #expect(try analyze(place, ["export", "nsp", "--output", "x.nsp", "--where", "genre:none"]).status == 0)
    #expect(try analyze(place, ["export", "meilisearch", "--output", "m"]).status == 0)
    #expect(try analyze(place, ["export", "meilisearch", "--output", "n", "--since", "m/cursor.json"]).status == 0)
  }

  @Test func listsOfTracksBelowPaths() throws {
    let place = try library()
    try FileManager.default.copyItem(
      atPath: place.library.appending("a/120.wav").string, toPath: place.library.appending("copy.wav").string)
    #expect(try place.run(pipeline: "default").status == 0)
    #expect(try analyze(place, ["broken", "library/b"]).text.contains("bad.mp3"))
    #expect(try !analyze(place, ["broken", "library/a"]).text.contains("bad.mp3"))
    #expect(try analyze(place, ["duplicates", "library/a"]).text.contains("copy.wav"))
    #expect(try analyze(place, ["duplicates", "library/b"]).text == "No duplicates.\n")
    for command in ["broken", "duplicates", "export", "verify"] as [Argument] {
      let arguments: [Argument] =
        command.bytes == Array("export".utf8) ? ["export", "m3u8", "home"] : [command, "home"]
      let unknown = try analyze(place, arguments)
      #expect(unknown.status == 1 && unknown.errors.contains("Analyze it: analyze"), "\(unknown.errors)")
    }
    let folder = try analyze(place, ["show", "library/a"])
    #expect(folder.status == 1 && folder.errors.contains("is a folder. Name a file in it."), "\(folder.errors)")
  }

  @Test func messagesAreAboutTheRightFile() throws {
    let place = try library()
    let backup = try analyze(place, ["backup", "nowhere/copy.sqlite"])
    #expect(backup.status == 1 && backup.errors.contains("The copy") && !backup.errors.contains("--database"))
    #expect(try place.catalog("build").status == 0)
    let catalog = try place.catalog("build", "nowhere")
    #expect(catalog.status == 1 && catalog.errors.contains("There is no such file"), "\(catalog.errors)")
    let root = try place.analyze("Library", "--database", Argument(place.database))
    #expect(root.status == 1 && root.errors.contains("did you mean \(place.library)?"), "\(root.errors)")
  }
}
