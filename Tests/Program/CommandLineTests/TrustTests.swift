import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// A folder that was unpacked from a download brings its own `.nocturne.yaml`.
@Suite(.bounded) struct TrustTests {
  /// A download with a song, a pipeline that leaves a mark when it runs, and settings.
  private static func download(_ place: Workplace, settings: String = "pipeline: ./x.yaml\n") throws -> FilePath {
    let folder = place.folder.file("download")
    try place.makeFolder(folder)
    try place.write(Audio.wav(1), to: folder.appending("a.wav"))
    try place.write(
      "analyzers:\n  tags:\nexec:\n  x:\n    command: [sh, -c, 'touch \(mark(place)); echo \"{}\"']\n",
      to: folder.appending("x.yaml"))
    try place.write(settings, to: folder.appending(".nocturne.yaml"))
    return folder
  }

  private static func mark(_ place: Workplace) -> FilePath { place.folder.file("mark") }

  private func exists(_ path: FilePath) -> Bool { FileManager.default.fileExists(atPath: path.string) }

  @Test func nothingOfADownloadRuns() throws {
    let place = try Workplace()
    let folder = try Self.download(place)
    let file = folder.appending(".nocturne.yaml")
    for arguments: [Argument] in [
      ["."], ["run", "a.wav"], ["worker"], ["report", "--report", "json"], ["doctor"], ["show", "--why", "a.wav"],
    ] {
      let outcome = try place.start(arguments, in: folder, input: Array("a.wav\n".utf8)).end()
      #expect(outcome.status == 64, "\(arguments)")
      #expect(outcome.text == "")
      for part in [
        "\(file) is not trusted", "pipeline (line 1), which runs programs", "analyze config trust \(file)",
      ] { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    }
    #expect(!exists(Self.mark(place)) && !exists(place.home.appending(".local")))
    // In a folder below, too; a process that comes from elsewhere has no project settings.
    let deeper = folder.appending("deeper")
    try place.makeFolder(deeper)
    #expect(try place.analyze("..", in: deeper).status == 64)
    let outside = try place.analyze(Argument(folder), "--pipeline", "tags-only", "--database", Argument(place.database))
    #expect(outside.status == 0 && !exists(Self.mark(place)))
    // A pipeline that the user names needs no trust.
    try FileManager.default.removeItem(atPath: file.string)
    let named = try place.analyze(
      ".", "--pipeline", "./x.yaml", "--database", Argument(place.database), in: folder)
    #expect(named.status == 0 && exists(Self.mark(place)))
  }

  @Test func trustIsForWhatWasRead() throws {
    let place = try Workplace()
    let folder = try Self.download(place, settings: "pipeline: ./x.yaml\ndatabase: mine.sqlite\n")
    let trusted = try place.analyze("config", "trust", ".nocturne.yaml", in: folder)
    #expect(trusted.status == 0 && trusted.text == "")
    #expect(trusted.errors.contains("runs sh -c 'touch ") && trusted.errors.contains("database: "))
    #expect(try place.analyze(".", in: folder).status == 0)
    #expect(exists(Self.mark(place)) && exists(folder.appending("mine.sqlite")))

    try FileManager.default.removeItem(atPath: Self.mark(place).string)
    try place.write(
      "analyzers:\n  tags:\nexec:\n  y:\n    command: [sh, -c, 'touch \(Self.mark(place)); echo \"{}\"']\n",
      to: folder.appending("x.yaml"))
    let changed = try place.analyze(".", in: folder)
    #expect(changed.status == 64 && changed.errors.contains("has changed since you trusted it"))
    #expect(!exists(Self.mark(place)))
    #expect(try place.analyze("config", "trust", Argument(folder)).status == 0)
    #expect(try place.analyze(".", in: folder).status == 0)
    #expect(try place.analyze("config", "untrust", Argument(folder)).status == 0)
    #expect(try place.analyze(".", in: folder).status == 64)
    #expect(try place.analyze("config", "untrust", Argument(folder)).errors.contains("was not trusted"))
    #expect(try place.analyze("config", "trust", "nowhere").status == 1)
  }

  @Test func nothingIsWrittenWhereADownloadSays() throws {
    let place = try Workplace()
    let target = place.folder.file("target")
    for key in ["database", "output", "catalog", "metrics"] {
      let folder = try Self.download(place, settings: "report: json\n\(key): \(target)\n")
      let outcome = try place.analyze(".", in: folder)
      #expect(outcome.status == 64 && outcome.errors.contains("\(key) (line 2)"), "\(outcome.errors)")
      #expect(!exists(target))
    }
  }

  @Test func settingsThatHurtNobodyWork() throws {
    let place = try Workplace()
    let folder = try Self.download(place, settings: "pipeline: tags-only\nextensions: [snd]\nlibrary: .\n")
    try place.write(Audio.wav(2), to: folder.appending("b.snd"))
    let outcome = try place.analyze("--verbose", in: folder)
    #expect(outcome.status == 0 && outcome.errors.contains("analyzed  2"), "\(outcome.errors)")
  }

  @Test func ignoredLinesAreShown() throws {
    let place = try Workplace()
    let folder = try Self.download(place, settings: "nice: 3\noutput: x\n")
    let file = folder.appending(".nocturne.yaml")
    let shown = try place.analyze("config", "show", "--origin", in: folder)
    #expect(shown.status == 0)
    #expect(shown.text.contains("default; \(file):2 is ignored, it is not trusted"))
    #expect(shown.text.contains("\(file):1") && shown.errors.contains("analyze config trust"))
  }

  /// Nested anchors, as the keys of mappings too.
  @Test(arguments: ["? ", ""]) func bombsOfYAMLAreRefusedAtOnce(key: String) throws {
    let place = try Workplace()
    var text = "? &a0 [x, x, x]\n: 1\n"
    for level in 1..<25 {
      let list = (0..<3).map { _ in "*a\(level - 1)" }.joined(separator: ", ")
      text += key.isEmpty ? "k\(level): &a\(level) [\(list)]\n" : "? &a\(level) [\(list)]\n: 1\n"
    }
    let folder = try Self.download(place, settings: text)
    let outcome = try place.analyze("config", "show", in: folder)
    #expect(outcome.status == 64 && outcome.errors.contains("aliases"), "\(outcome.errors)")
    try place.write(String(repeating: "[", count: 200_000), to: folder.appending(".nocturne.yaml"))
    #expect(try place.analyze("config", "show", in: folder).status == 64)
  }
}
