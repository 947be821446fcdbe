import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

/// All commands that write files: foreign files are replaced only with `--force`, Nocturne's own always.
@Suite(.bounded) struct OverwriteTests {
  /// A command, and one of the files that it writes.
  private struct Writer {
    var arguments: [Argument]
    var file: String

    init(_ file: String, _ arguments: Argument...) {
      self.file = file
      self.arguments = arguments
    }
  }

  private func library() throws -> Workplace {
    let place = try Workplace()
    try place.put(WAVFile(.clickTrack(bpm: 120, sampleRate: 22_050, seconds: 20)).bytes, as: "clicks.wav")
    try place.put(WAVFile(.chords(seed: 1, sampleRate: 22_050, seconds: 20)).bytes, as: "chords.wav")
    #expect(try place.run(pipeline: "default").status == 0)
    #expect(try place.catalog("build").status == 0)
    return place
  }

  private func writers(_ place: Workplace) -> [Writer] {
    let database: [Argument] = ["--database", Argument(place.database)]
    let root = Argument(stringLiteral: "root=\(place.library)")
    var writers = [
      Writer("x.xml", "export", "rekordbox", "--output", "x.xml"),
      Writer("x.nml", "export", "traktor", "--output", "x.nml"),
      Writer("x.m3u8", "export", "m3u8", "--output", "x.m3u8"),
      Writer("x.nsp", "export", "nsp", "--where", "genre:x", "--output", "x.nsp"),
      Writer("x.mpd", "export", "mpd", "--option", "music=/", "--output", "x.mpd"),
      Writer("m/documents.ndjson", "export", "meilisearch", "--output", "m"),
      Writer("m/cursor.json", "export", "meilisearch", "--output", "m"),
      Writer("t/removals.txt", "export", "typesense", "--output", "t"),
      Writer("o/index.json", "export", "opensearch", "--output", "o"),
      Writer("p/tracks.parquet", "export", "parquet", "--output", "p"),
      Writer("a/lookups.txt", "export", "acoustid", "--output", "a"),
      Writer("tree/clicks.wav.jams", "export", "jams", "--output", "tree", "--option", root),
      Writer("tree/clicks.wav.beats.lab", "export", "lab", "--output", "tree", "--option", root),
      Writer("tree/clicks.wav.beats.csv", "export", "annotations-csv", "--output", "tree", "--option", root),
      Writer("waves/clicks.wav.json", "waveform", "library", "--output", "waves"),
      Writer("waves/clicks.wav.dat", "waveform", "library", "--output", "waves", "--format", "dat"),
      Writer("backup.sqlite", "backup", "backup.sqlite"),
      Writer("corrections.csv", "set", "--export", "corrections.csv"),
      Writer("list.m3u8", "playlist", "--duration", "10..", "--output", "list.m3u8"),
      Writer("list.nsp", "playlist", "--genre", "x", "--output", "list.nsp"),
      Writer("since/removed.ndjson", "report", "--report", "json", "--output", "since", "--since", "none.json"),
    ]
    for format in ["json", "ndjson", "csv", "html"] {
      writers.append(
        Writer("r/report.\(format)", "report", "--output", "r", "--report", Argument(stringLiteral: format)))
    }
    for format in ["flac", "wav", "opus"] {
      let name = Argument(stringLiteral: "c.\(format)")
      writers.append(Writer("c.\(format)", "click", "library/clicks.wav", "--output", name))
    }
    for index in writers.indices { writers[index].arguments += database }
    writers += [
      Writer("m.wav", "metronome", "--bpm", "120", "--duration", "2", "--output", "m.wav"),
      Writer("whole.catalog", "catalog", "export", "whole.catalog", "--catalog", place.catalogFolder),
      Writer("items.csv", "catalog", "export", "items.csv", "--csv", "--catalog", place.catalogFolder),
      Writer("schemas/nocturne.csv.v1.table.json", "schema", "--output", "schemas"),
      Writer("schemas/nocturne.duckdb.v1.sql", "schema", "--output", "schemas"),
      Writer("schemas/nocturne.report.v1.schema.json", "schema", "--output", "schemas"),
    ]
    return writers
  }

  @Test func filesOfOthersAreReplacedOnlyIfAsked() throws {
    let place = try library()
    for writer in writers(place) {
      let path = place.folder.file(writer.file)
      let name = Comment(rawValue: writer.file)
      try place.makeFolder(path.removingLastComponent())
      try? FileManager.default.removeItem(atPath: path.string)
      try place.write("somebody's work", to: path)
      let refused = try place.start(writer.arguments).end()
      #expect(refused.status == 1 && refused.text == "", name)
      #expect(
        refused.errors.contains(path.string) && refused.errors.contains("--force")
          && refused.errors.contains("Nothing was written"), "\(writer.file): \(refused.errors)")
      #expect(try String(contentsOfFile: path.string, encoding: .utf8) == "somebody's work", name)
      let names = try FileManager.default.contentsOfDirectory(atPath: path.removingLastComponent().string)
      #expect(!names.contains { $0.hasPrefix(".nocturne-export") || $0.hasSuffix(".partial") }, "\(names)")

      let forced = try place.start(writer.arguments + ["--force"]).end()
      #expect(forced.status == 0, "\(writer.file): \(forced.errors)")
      #expect(try String(contentsOfFile: path.string, encoding: .isoLatin1) != "somebody's work", name)
      // Its own files, night after night.
      for _ in 0..<2 {
        let again = try place.start(writer.arguments).end()
        #expect(again.status == 0 && !again.errors.contains("exists"), "\(writer.file): \(again.errors)")
      }
      // An empty file may be replaced.
      try place.write("", to: path)
      let empty = try place.start(writer.arguments).end()
      #expect(empty.status == 0, "\(writer.file): \(empty.errors)")

      // A dangling link may be intended; a folder is never replaced.
      try FileManager.default.removeItem(atPath: path.string)
      try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: "nowhere")
      #expect(try place.start(writer.arguments).end().errors.contains("leads nowhere"), name)
      try FileManager.default.removeItem(atPath: path.string)
      try place.makeFolder(path)
      let folder = try place.start(writer.arguments + ["--force"]).end()
      #expect(
        [1, 64].contains(folder.status) && folder.errors.contains("is a folder"), "\(writer.file): \(folder.errors)")
      try FileManager.default.removeItem(atPath: path.string)
    }
  }

  /// A named pipe without a reader and a socket are refused, without waiting.
  @Test func nothingWaitsForAPipe() throws {
    let place = try library()
    for writer in writers(place) {
      let path = place.folder.file(writer.file)
      try place.makeFolder(path.removingLastComponent())
      for kind in [S_IFIFO, S_IFSOCK] {
        try? FileManager.default.removeItem(atPath: path.string)
        #expect(mknod(path.string, kind | 0o600, 0) == 0)
        for force: [Argument] in [[], ["--force"]] {
          let outcome = try place.start(writer.arguments + force).end(within: .seconds(20))
          #expect(outcome.status == 1 && outcome.text == "", "\(writer.file): \(outcome.status) \(outcome.errors)")
          let reasons = [kind == S_IFIFO ? "it is a named pipe" : "it is a socket", "is not a file that audio can"]
          #expect(
            outcome.errors.contains(path.string) && reasons.contains { outcome.errors.contains($0) },
            "\(writer.file): \(outcome.errors)")
        }
      }
      try FileManager.default.removeItem(atPath: path.string)
    }
  }

  /// A run refuses before it begins, so the database is not even locked.
  @Test func runsDoNotWaitForAPipe() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.makeFolder(place.reports)
    for file in [place.reports.appending("report.csv"), place.folder.file("run.prom")] {
      try? FileManager.default.removeItem(atPath: file.string)
      #expect(mkfifo(file.string, 0o600) == 0)
      let refused = try place.start(
        ["library", "--metrics", "run.prom"] + place.runArguments() + ["--report", "csv"]
      ).end(within: .seconds(20))
      #expect(refused.status == 1 && refused.errors.contains("it is a named pipe"), "\(refused.errors)")
      try FileManager.default.removeItem(atPath: file.string)
    }
    #expect(!place.database.exists)
    #expect(try place.run().status == 0)
    let pipe = place.folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let database: [Argument] = ["--database", Argument(place.database)]
    for command: [Argument] in [
      ["serve", "--port", "0", "--access-log", "pipe"],
      ["write-tags", "acoustid_fingerprint", "--all", "--yes", "--journal", "pipe"],
      ["write-tags", "--undo", "pipe", "--yes"],
    ] {
      let refused = try place.start(command + database).end(within: .seconds(20))
      #expect(refused.status != 0 && refused.errors.contains("pipe"), "\(command): \(refused.errors)")
    }
    // Files that are read before they are replaced.
    for name in ["results.sqlite.lock", ".nocturne-files"] {
      let file = (name.hasPrefix(".") ? place.reports : place.database.removingLastComponent()).appending(name)
      try? FileManager.default.removeItem(atPath: file.string)
      #expect(mkfifo(file.string, 0o600) == 0)
    }
    _ = try place.start(["report", "--report", "csv", "--output", Argument(place.reports)] + database).end(
      within: .seconds(20))
    _ = try place.start(["export", "parquet", "--output", Argument(place.reports)] + database).end(within: .seconds(20))
  }

  /// Traktor saves its collection where the export was, and the cursor is still there.
  @Test func aProgramThatSavedItsOwnFileIsNotOverruled() throws {
    let place = try library()
    func export() throws -> Outcome {
      try place.analyze("export", "traktor", "--output", "collection.nml", "--database", Argument(place.database))
    }
    #expect(try export().status == 0)
    #expect(place.folder.file("collection.nml.cursor.json").exists)
    try place.write(
      "<NML VERSION=\"19\"><HEAD COMPANY=\"www.native-instruments.com\" PROGRAM=\"Traktor\"></HEAD></NML>",
      to: place.folder.file("collection.nml"))
    #expect(try export().status == 1)
  }

  /// A label that was moved by hand.
  @Test func editedAnnotationsAreKept() throws {
    let place = try library()
    func export(_ options: Argument...) throws -> Outcome {
      try place.start(["export", "lab", "--output", "labels", "--database", Argument(place.database)] + options).end()
    }
    #expect(try export().status == 0)
    let file = place.folder.file("labels").pushing(FilePath(root: nil, place.library.components))
      .appending("clicks.wav.beats.lab")
    try place.write("0.5000\nby hand\n", to: file)
    let refused = try export()
    #expect(refused.status == 1 && refused.errors.contains("has changed since"), "\(refused.errors)")
    #expect(try export("--force").status == 0)
    #expect(try export().status == 0)
  }

  @Test func streamsAreNeverRefused() throws {
    let place = try library()
    let database: [Argument] = ["--database", Argument(place.database)]
    let commands: [[Argument]] = [
      ["export", "traktor", "--output"], ["export", "mpd", "--option", "music=/", "--output"],
      ["playlist", "--duration", "10..", "--output"], ["set", "--export"],
    ]
    for command in commands {
      #expect(try place.start(command + ["/dev/null"] + database).end().status == 0)
      let named = try place.start(command + ["/dev/stdout"] + database).end()
      #expect(named.status == 0 && !named.text.isEmpty, "\(named.errors)")
      // A user who may write there would make a file of it.
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/dev/stdout") == "/proc/self/fd/1")
      #expect(mkfifo(place.folder.file("pipe").string, 0o600) == 0)
      let reader = try RunningProgram(
        ["-c", "cat pipe > copy"], of: "/bin/sh", environment: place.environment, workingFolder: place.folder.path)
      #expect(try place.start(command + ["pipe"] + database).end().status == 0)
      #expect(reader.end().status == 0)
      #expect(try !String(contentsOfFile: place.folder.file("copy").string, encoding: .utf8).isEmpty)
      try FileManager.default.removeItem(atPath: place.folder.file("pipe").string)
    }
  }

  /// In these commands, `--force` concerns the files to analyze. Refusals come before any work.
  @Test func runsRefuseBeforeTheyBegin() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.makeFolder(place.reports)
    func run(_ options: Argument...) throws -> Outcome {
      try place.start(
        ["library", "--force", "--metrics", "run.prom"] + place.runArguments() + ["--report", "csv"] + options
      ).end()
    }
    for (file, wrong) in [(place.reports.appending("report.csv"), "a;b\n"), (place.folder.file("run.prom"), "up 1\n")] {
      try place.write(wrong, to: file)
      let refused = try run()
      #expect(refused.status == 1 && refused.errors.contains("move it away"), "\(refused.errors)")
      #expect(refused.errors.contains(file.string) && !refused.errors.contains("use --force"))
      #expect(try String(contentsOfFile: file.string, encoding: .utf8) == wrong)
      try FileManager.default.removeItem(atPath: file.string)
    }
    #expect(!place.database.exists)
    for _ in 0..<2 { #expect(try run().status == 0) }
  }

  @Test func aDatabaseInUseIsNoBackup() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run()
    #expect(try place.analyze("library", "--database", "other.sqlite", "--pipeline", "tags-only").status == 0)
    let refused = try place.analyze("backup", "other.sqlite", "--database", Argument(place.database))
    #expect(refused.status == 1 && refused.errors.contains("--force"), "\(refused.errors)")
  }
}
