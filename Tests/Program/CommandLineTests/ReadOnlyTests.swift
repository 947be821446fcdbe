import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

/// Commands that only read, where nothing may be written.
@Suite(.bounded) struct ReadOnlyTests {
  private func place() throws -> Workplace {
    let place = try Workplace()
    let folder = place.folder.file("kept")
    try place.makeFolder(folder)
    try place.put(Audio.wav(1, title: "Kept"), as: "a.wav")
    let outcome = try place.analyze(
      Argument(place.library), "--database", Argument(folder.appending("db")), "--pipeline", "default")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return place
  }

  /// Lines of `command=status` of everything that reads the database at `$db`.
  private static func script(_ place: Workplace) -> String {
    """
    try() { name=$1; shift; "$program" "$@" --database "$db" > "\(place.folder.path)/$name.out" 2>&1; echo "$name=$?"; }
    try report report --report ndjson --output -
    try show show --json "\(place.library)/a.wav"
    try explain show --why "\(place.library)/a.wav"
    try doctor doctor --check
    try backup backup "\(place.folder.path)/backup.sqlite"
    try build catalog build --catalog "\(place.folder.path)/catalog"
    try set set --bpm 90 "\(place.library)/a.wav"
    """
  }

  /// - Parameter doctor: The exit status of `doctor`.
  private func expectAllRead(_ outcome: Outcome, doctor: Int, in place: Workplace) {
    let expected = ["report=0", "show=0", "explain=0", "doctor=\(doctor)", "backup=0", "build=0", "set=1"]
    let said = ["report", "show", "doctor", "build", "set"].map {
      (try? String(contentsOfFile: place.folder.file("\($0).out").string, encoding: .utf8)) ?? ""
    }
    #expect(outcome.lines == expected, "\(outcome.text) \(outcome.errors) \(said)")
    #expect(said[0].contains(#""title":"Kept""#))
    #expect(said[4].contains("cannot be"), "\(said[4])")
    #expect(said[2].contains("the database is sound"), "\(said[2])")
  }

  /// A read-only file system, such as a disc or a snapshot.
  @Test(.enabled(if: SmallDisk.isPossible), arguments: ["closed", "cut off", "old"])
  func fileSystem(state: String) throws {
    let place = try place()
    let folder = place.folder.file("kept")
    switch state {
    case "cut off":
      // A run that was killed leaves a log that belongs to the database.
      let pipeline = try place.makePipeline(script: "kill -KILL $PPID; sleep 5")
      try place.put(Audio.wav(2), as: "b.wav")
      let killed = try place.analyze(
        Argument(place.library), "--database", Argument(folder.appending("db")), "--pipeline", pipeline,
        environment: Workplace.threads)
      #expect(killed.status == -9)
      #expect(FileManager.default.fileExists(atPath: folder.appending("db-wal").string))
      try? FileManager.default.removeItem(atPath: folder.appending("db-shm").string)
    case "old":
      try downgrade(folder.appending("db"))
    default: break
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted()
    let script = """
      program=$0; db="\(folder)/db"
      mount --bind "\(folder)" "\(folder)" && mount -o remount,bind,ro "\(folder)" || exit 99
      \(Self.script(place))
      """
    let outcome = try RunningProgram(
      ["-rm", "sh", "-c", Argument(stringLiteral: script), Argument(RunningProgram.executable)], of: "/usr/bin/unshare",
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    // `doctor` reports that a run was killed.
    expectAllRead(outcome, doctor: state == "cut off" ? 1 : 0, in: place)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted() == before)
    // Copies have been deleted.
    let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string)
    #expect(!left.contains { $0.hasPrefix("nocturne-read") }, "\(left)")
  }

  /// Every reading command needs the present schema.
  @Test(arguments: [["report", "--report", "ndjson", "--output", "-"], ["search", "kept"]])
  func anOlderDatabaseIsUpdatedOpenly(command: [Argument]) throws {
    let place = try place()
    let database = place.folder.file("kept").appending("db")
    try downgrade(database)
    let first = try place.start(command + ["--database", Argument(database)]).end()
    #expect(first.status == 0 && first.text.contains("Kept"))
    #expect(first.errors.contains("was brought up to date (schema 2 before)"), "\(first.errors)")
    let second = try place.start(command + ["--database", Argument(database)]).end()
    #expect(second.status == 0 && second.text.contains("Kept") && second.errors == "")
  }

  /// A database of another user.
  @Test(.enabled(if: Unprivileged.exists), arguments: [0o555, 0o755]) func folderOrFile(mode: Int) throws {
    let place = try place()
    let folder = place.folder.file("kept")
    for (path, mode) in [(folder.appending("db"), 0o444), (folder, mode)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
    }
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.string)
    }
    for command: [Argument] in [
      ["report", "--report", "ndjson", "--output", "-"],
      ["show", "--json", Argument(place.library.appending("a.wav"))],
    ] {
      let outcome = try Unprivileged.run(command + ["--database", Argument(folder.appending("db"))], in: place)
      #expect(outcome.status == 0 && outcome.text.contains(#""title":"Kept""#), "\(outcome.errors)")
    }
  }

  private static let tablesOfVersion4 = [
    "song", "song_change", "songs_fts", "source_paths_fts", "artist_song", "artist_album", "genre_song", "genre_album",
    "artist", "album", "genre", "artists_fts", "albums_fts", "playlist_snapshot", "playlist_entry", "playlist",
    "saved_track", "saved_item", "tempo_skip", "tempo_history", "change", "library",
  ]

  private static let tablesSinceVersion7 = [
    "file_event", "checksum", "verification", "duplicate_pair", "compared_sound", "duplicate_decision", "sound_sketch",
  ]

  /// The state that version 2 of the schema left; the reading of records needs nothing more of it.
  private func downgrade(_ database: FilePath) throws {
    let script = """
      DROP VIEW track; CREATE VIEW track AS SELECT id FROM run; DROP VIEW file_history;
      \(Self.tablesSinceVersion7.map { "DROP TABLE \($0);" }.joined(separator: " "))
      \(Self.tablesOfVersion4.map { "DROP TABLE \($0);" }.joined(separator: " "))
      \(["song_of_results", "song_of_file", "song_of_skipped_file", "song_of_new_correction", "song_of_correction",
        "song_of_old_correction", "song_of_album_gain", "change_of_path", "change_of_size", "change_of_old_file", "source_paths_fts_new",
        "source_paths_fts_old", "source_paths_fts_change"]
        .map { "DROP TRIGGER \($0);" }.joined(separator: " "))
      ALTER TABLE file DROP COLUMN full_path; ALTER TABLE file DROP COLUMN file_name;
      CREATE VIRTUAL TABLE songs_fts USING fts5 (title); CREATE VIRTUAL TABLE source_paths_fts USING fts5 (full_path);
      DROP VIEW run_summary; ALTER TABLE run DROP COLUMN partial; ALTER TABLE run DROP COLUMN newly_damaged;
      DROP INDEX file_no_track; DROP INDEX file_decoding; ALTER TABLE file DROP COLUMN decoding_id;
      CREATE VIEW run_summary AS SELECT id FROM run;
      DROP TABLE lyrics; DROP TABLE chapter; ALTER TABLE format DROP COLUMN claim_is_estimated;
      \(["stable", "map", "metre", "beats_s", "downbeats_s"].map { "ALTER TABLE tempo_correction DROP COLUMN \($0);" }
        .joined(separator: " "))
      DELETE FROM grdb_migrations WHERE identifier IN ('v3', 'v4', 'v5', 'v6', 'v7', 'v8'); PRAGMA user_version = 2;
      """
    let program = try RunningProgram(
      [
        "-c",
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit(); c.close()",
        Argument(database), Argument(stringLiteral: script),
      ], of: "/usr/bin/python3", environment: [:], workingFolder: "/"
    ).end()
    #expect(program.status == 0, "\(program.errors)")
  }
}
