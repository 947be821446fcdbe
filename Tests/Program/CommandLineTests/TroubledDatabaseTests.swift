import Analysis
import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// A library with a problem in its database or disk: there is a clear message, and no stored result is lost.
@Suite(.bounded) struct TroubledDatabaseTests {
  private static let isRoot = geteuid() == 0

  private func place(files: Int = 2) throws -> Workplace {
    let place = try Workplace()
    for number in 0..<files { try place.put(Audio.wav(UInt64(number % 3)), as: "\(number).wav") }
    return place
  }

  private func expectSound(_ place: Workplace) throws {
    let doctor = try place.analyze(
      "doctor", "--check", "--database", Argument(place.database), "--output", Argument(place.reports))
    #expect(doctor.status == 0 && doctor.text.contains("the database is sound"), "\(doctor.text)")
  }

  private func bytes(of path: FilePath) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: path.string)))
  }

  @Test func textIsNoDatabaseAndStaysAsItIs() throws {
    let place = try place()
    try place.write("My dear diary, today I have analyzed music.\n", to: place.database)
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("is not a Nocturne database"), "\(outcome.errors)")
    #expect(try bytes(of: place.database).starts(with: Array("My dear diary".utf8)))
  }

  @Test func emptyFileBecomesADatabase() throws {
    let place = try place()
    try place.write("", to: place.database)
    #expect(try place.run().totals == ["seen": 2, "analyzed": 2])
  }

  @Test func newerDatabaseIsRefused() throws {
    let place = try place()
    _ = try place.run()
    // The file format has the version at byte 60.
    var database = try bytes(of: place.database)
    database[63] = 99
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.database.string + suffix) }
    try place.write(database, to: place.database)
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("newer version of this program"), "\(outcome.errors)")
    #expect(outcome.report == .null)
  }

  @Test func damagedDatabaseIsNamedAndABackupHelps() throws {
    let place = try place(files: 3)
    _ = try place.run()
    let copy = place.folder.file("copy.sqlite")
    #expect(try place.analyze("backup", Argument(copy), "--database", Argument(place.database)).status == 0)
    // An older copy is replaced.
    #expect(try place.analyze("backup", Argument(copy), "--database", Argument(place.database)).status == 0)
    var database = try bytes(of: copy)
    for offset in stride(from: 4096 * 2, to: database.count, by: 8) { database[offset] = 0xA5 }
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.database.string + suffix) }
    try place.write(database, to: place.database)
    let doctor = try place.analyze("doctor", "--check", "--database", Argument(place.database))
    #expect(doctor.status == 1 && doctor.text.contains("WRONG"))
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("is damaged"), "\(outcome.errors)")

    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.database.string + suffix) }
    try place.write(bytes(of: copy), to: place.database)
    #expect(try place.run().totals == ["seen": 3, "cached": 3])
    try expectSound(place)
  }

  /// The database was copied alone, without the log beside it.
  @Test func databaseWithoutItsLogGoesOn() throws {
    let place = try place()
    _ = try place.run()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.database.string + suffix) }
    let outcome = try place.run()
    #expect(outcome.status == 0 && outcome.totals["seen"] == 2)
    try expectSound(place)
  }

  @Test(.enabled(if: !isRoot || Unprivileged.exists)) func databaseThatCannotBeWritten() throws {
    let place = try place()
    _ = try place.run()
    let folder = place.folder.file("sealed")
    try place.makeFolder(folder)
    let database = folder.appending("results.sqlite")
    #expect(try place.analyze("backup", Argument(database), "--database", Argument(place.database)).status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: database.string)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.string)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.string) }
    let outcome = try Unprivileged.run(
      [Argument(place.library), "--database", Argument(database), "--pipeline", "tags-only"], in: place)
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains(database.string), "\(outcome.errors)")
    #expect(outcome.errors.contains("ermission") || outcome.errors.contains("read-only"), "\(outcome.errors)")
  }

  /// Environment for a program with a limit on file sizes: the thread sanitizer would create a larger file in the folder for
  /// temporary files, and does without if there is none.
  private func environmentOfSmallFiles(_ place: Workplace) -> [String: String] {
    place.environment.merging(["TMPDIR": "/nonexistent"]) { $1 }
  }

  /// A limit on the size of files simulates a full disk: both make writes fail.
  @Test func diskThatIsFullEndsTheRunAndTheNextOneGoesOn() throws {
    let place = try place(files: 3)
    #expect(try place.run().status == 0)
    let report = try bytes(of: place.report)
    for number in 3..<800 { try place.put(Audio.wav(UInt64(number % 3)), as: "\(number).wav") }
    let arguments = [Argument(place.library)] + place.runArguments() + ["--report", "json"]
    let size = try bytes(of: place.database).count
    // In blocks of 512 bytes: room for a part of the work.
    let full = try RunningProgram(
      ["-c", "ulimit -f \(size / 512 + 40); exec \"$0\" \"$@\"", Argument(RunningProgram.executable)] + arguments,
      of: "/bin/sh", environment: environmentOfSmallFiles(place), workingFolder: place.folder.path
    ).end()
    #expect(full.status == 1, "\(full.status) \(full.errors)")
    #expect(full.errors.contains("(ulimit -f)"), "\(full.errors)")
    #expect(try bytes(of: place.report) == report)
    let next = try place.run()
    #expect(next.status == 0 && next.totals["seen"] == 800, "\(next.errors)")
    try expectSound(place)
  }

  @Test func reportOnAFullDiskLeavesTheOldOne() throws {
    let place = try place(files: 60)
    #expect(try place.run().status == 0)
    let report = try bytes(of: place.report)
    let command = [
      Argument(RunningProgram.executable), "report", "--report", "json", "--include", "beats", "--database",
      Argument(place.database), "--output", Argument(place.reports),
    ]
    // 40 kB: enough to open a database, and not for the report.
    let full = try RunningProgram(
      ["-c", "ulimit -f 80; exec \"$0\" \"$@\""] + command, of: "/bin/sh",
      environment: environmentOfSmallFiles(place), workingFolder: place.folder.path
    ).end()
    #expect(full.status == 1 && full.errors.contains("Writing the report"), "\(full.status) \(full.errors)")
    #expect(try bytes(of: place.report) == report)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.reports.string) == ["report.json"])
  }

  /// A file system of a few megabytes; only some machines allow one.
  @Test(.enabled(if: SmallDisk.isPossible)) func fullFileSystemEndsTheRunAndTheNextOneGoesOn() throws {
    let place = try place(files: 40)
    let disk = place.folder.file("disk")
    try place.makeFolder(disk)
    let run =
      "\"$0\" \"\(place.library)\" --database \"\(disk)/db\" --output \"\(disk)\" --report json --pipeline fingerprint"
    let script = """
      mount -t tmpfs -o size=4m none "\(disk)" || exit 99
      head -c 3800000 /dev/zero > "\(disk)/filler"
      \(run); echo "first $?"
      rm "\(disk)/filler"
      \(run) -v; echo "second $?"
      "$0" doctor --check --database "\(disk)/db" --output "\(disk)"
      """
    let outcome = try RunningProgram(
      ["-rm", "sh", "-c", Argument(stringLiteral: script), Argument(RunningProgram.executable)], of: "/usr/bin/unshare",
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(outcome.lines.prefix(2) == ["first 1", "second 0"], "\(outcome.text) \(outcome.errors)")
    #expect(outcome.errors.contains("No space is left"), "\(outcome.errors)")
    // The only remaining problem is the small disk.
    let wrong = outcome.lines.filter { $0.hasPrefix("WRONG") }
    #expect(outcome.text.contains("the database is sound"), "\(outcome.text)")
    #expect(wrong.count == 1 && wrong[0].contains(" MB free at "), "\(wrong)")
  }

  /// Its disk is unplugged and mounted again later.
  @Test func databaseThatGoesAwayDuringARunEndsIt() throws {
    let place = try place(files: 3)
    let folder = place.folder.path
    let pipeline = try place.makePipeline(
      script: """
        touch "\(folder)/reached"; while [ ! -e "\(folder)/gate" ]; do sleep 0.02; done; echo {}
        """)
    let program = try place.start([Argument(place.library), "--jobs", "1"] + place.runArguments(pipeline: pipeline))
    #expect(waitUntil { FileManager.default.fileExists(atPath: place.folder.file("reached").string) })
    let away = place.folder.file("away")
    try place.makeFolder(away)
    let names = ["results.sqlite", "results.sqlite-wal", "results.sqlite-shm"]
    for name in names { rename(place.folder.file(name).string, away.appending(name).string) }
    try place.write("", to: place.folder.file("gate"))
    let outcome = program.end()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("was removed, moved or replaced"), "\(outcome.errors)")
    for name in names { rename(away.appending(name).string, place.folder.file(name).string) }
    let next = try place.run(pipeline: pipeline)
    #expect(next.status == 0 && next.totals["seen"] == 3, "\(next.errors)")
    try expectSound(place)
  }
}

/// The program run by an unprivileged user.
enum Unprivileged {
  private static let setpriv: FilePath = "/usr/bin/setpriv"

  static var exists: Bool { FileManager.default.isExecutableFile(atPath: setpriv.string) }

  static func run(_ arguments: [Argument], in place: Workplace) throws -> Outcome {
    guard geteuid() == 0 else { return try place.start(arguments).end() }
    // The folder of the build may be closed to others.
    let copy = place.folder.file("analyze")
    try RunningProgram.copyExecutable(to: copy)
    for path in [copy, place.folder.path, place.home, place.library] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.string)
    }
    return try RunningProgram(
      ["--reuid=65534", "--regid=65534", "--clear-groups", Argument(copy)] + arguments, of: setpriv,
      environment: place.environment, workingFolder: "/"
    ).end()
  }
}

/// A file system of our own, in a name space of our own.
enum SmallDisk {
  static let isPossible: Bool = {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare"), let place = try? Workplace() else {
      return false
    }
    let outcome = try? RunningProgram(
      ["-rm", "mount", "-t", "tmpfs", "none", Argument(place.library)], of: "/usr/bin/unshare",
      environment: place.environment, workingFolder: "/"
    ).end()
    return outcome?.status == 0
  }()
}
