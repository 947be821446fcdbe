import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Records
import SystemPackage
import Testing

@testable import Platform
@testable import ResultStore

/// Headers, copies, checks and errors of databases.
@Suite(.bounded) struct UpkeepTests {
  // MARK: - Headers

  /// Start of a database, with its journal modes and application id.
  private static func header(writing: UInt8 = 1, reading: UInt8 = 1, id: UInt32 = 0, count: Int = 100) -> [UInt8] {
    var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
    (bytes[18], bytes[19]) = (writing, reading)
    for index in 0..<4 { bytes[68 + index] = UInt8(truncatingIfNeeded: id >> (24 - 8 * index)) }
    return Array((bytes + [UInt8](repeating: 0, count: 200)).prefix(count))
  }

  @Test func headersAreRead() throws {
    let header = try #require(DatabaseHeader(Self.header(writing: 1, reading: 2, id: 0x8123_4567)))
    #expect(header.applicationID == 0x8123_4567 && header.usesWAL)
    for mode in [0, 1, 3] as [UInt8] {
      #expect(try #require(DatabaseHeader(Self.header(writing: 2, reading: mode))).usesWAL == false)
    }
    #expect(DatabaseHeader(Self.header(count: 99)) == nil && DatabaseHeader(Self.header(count: 101)) == nil)
    #expect(DatabaseHeader([UInt8](repeating: 0, count: 100)) == nil && DatabaseHeader([]) == nil)
  }

  /// Files before they are opened as a database: the contents of the file and of its journal, and the verdict.
  @Test func filesAreExaminedBeforeTheyAreOpened() throws {
    let folder = try TemporaryDirectory()
    let zeros = [UInt8](repeating: 0, count: 5_000)
    func verdict(_ bytes: [UInt8]?, journal: [UInt8]? = nil, _ name: String = "file") throws -> String {
      let (path, journalPath) = (folder.file(name), folder.file("\(name)-journal"))
      for path in [path, journalPath] { try? FileManager.default.removeItem(atPath: path.string) }
      if let bytes { try folder.write(bytes, as: name) }
      if let journal { try folder.write(journal, as: "\(name)-journal") }
      do {
        return try DatabaseHeader.ofStore(at: path).map { "store \($0.applicationID)" } ?? "new"
      } catch {
        guard case .notAStore(let found, let reason) = error, found == path else { throw error }
        return reason
      }
    }
    let id = UInt32(Schema.applicationID)
    #expect(try verdict(nil) == "new" && verdict([]) == "new")
    #expect(try verdict(Self.header(id: id, count: 300)) == "store \(id)")
    #expect(try verdict(Self.header(id: 0, count: 300)) == "store 0")
    #expect(try verdict(Self.header(id: 1, count: 300)) == "it belongs to another program")
    for bytes in [[0], [7], zeros, Array("No database.".utf8), Self.header(id: id, count: 99)] as [[UInt8]] {
      #expect(try verdict(bytes) == "it is not a SQLite database")
      #expect(try verdict(bytes, journal: []) == "it is not a SQLite database")
    }
    // A process was killed while it created the database, so SQLite will roll back.
    #expect(try verdict(zeros, journal: [1]) == "new" && verdict([0], journal: [1, 2]) == "new")
    #expect(try verdict(zeros + [1], journal: [1]) == "new")
    #expect(try verdict([1] + zeros, journal: [1]) == "it is not a SQLite database")
    #expect(throws: StoreError.notAStore(path: folder.path, reason: "it is not a regular file")) {
      try DatabaseHeader.ofStore(at: folder.path)
    }
    // Links lead to the file.
    try folder.write(Self.header(id: id), as: "real")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: folder.file("real").string)
    #expect(try DatabaseHeader.ofStore(at: link)?.applicationID == id)
  }

  // MARK: - Copies

  /// A copy proves its origin as long as it was not opened for writing.
  @Test func proofOfACopy() throws {
    let folder = try TemporaryDirectory()
    let id = UInt32(Schema.applicationID)
    /// Returns whether a copy may replace a file with these bytes.
    func isCopy(_ bytes: [UInt8]) throws -> Bool {
      let path = try folder.write(bytes, as: "file")
      return ResultStore.backupProof.isGiven(by: path)
    }
    #expect(try isCopy(Self.header(id: id)) && isCopy(Self.header(id: id, count: 300)))
    #expect(try !isCopy(Self.header(id: id, count: 99)) && !isCopy([]))
    for other in [0, 1, id ^ 1, id ^ 0x100, id ^ 0x1_0000, id ^ 0x8000_0000, id << 1] as [UInt32] {
      #expect(try !isCopy(Self.header(id: other)))
    }
    for (writing, reading) in [(2, 1), (1, 2), (2, 2), (0, 1), (1, 0)] as [(UInt8, UInt8)] {
      #expect(try !isCopy(Self.header(writing: writing, reading: reading, id: id)))
    }
    var bytes = Self.header(id: id)
    bytes[0] = UInt8(ascii: "s")
    #expect(try !isCopy(bytes))

    let library = try ScannedLibrary()
    let copy = folder.file("copy.sqlite")
    try library.store.backUp(to: copy)
    #expect(ResultStore.backupProof.isGiven(by: copy) && !ResultStore.backupProof.isGiven(by: library.database))
    do { _ = try ResultStore(path: copy, findings: ScannedLibrary.findings) }
    #expect(!ResultStore.backupProof.isGiven(by: copy))
  }

  /// Only the copy appears in its folder, and only if its name can be that of a database.
  @Test func copiesLeaveNothingBesideThem() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    let folder = try TemporaryDirectory()
    for _ in 1...2 {
      try library.store.backUp(to: folder.file("copy.sqlite"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["copy.sqlite"])
    }
    let odd = FilePath(bytes: Array("\(folder.path)/".utf8) + [0xFF])
    #expect(throws: StoreError.cannotCopy(to: odd, reason: "the name of a database must be UTF-8")) {
      try library.store.backUp(to: odd)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["copy.sqlite"])
  }

  /// A temporary copy has the log as well, whatever the sizes, and is removed after use.
  @Test(arguments: [0, 1, 1 << 20, (1 << 20) + 1], [nil, 0, 3]) func temporaryCopies(
    size: Int, logSize: Int?
  ) throws {
    let folder = try TemporaryDirectory()
    var bytes = [UInt8](repeating: 7, count: size)
    if size > 0 { (bytes[size / 2], bytes[size - 1]) = (8, 9) }
    let log = logSize.map { [UInt8](repeating: 9, count: $0) }
    let path = try folder.write(bytes, as: "a.sqlite")
    if let log { try folder.write(log, as: "a.sqlite-wal") }
    var name = ""
    do {
      let copy = try #require(TemporaryCopy(of: path.string))
      name = copy.name
      let url = URL(filePath: name)
      #expect(name != path.string)
      #expect(try Array(Data(contentsOf: url)) == bytes)
      #expect((try? Array(Data(contentsOf: URL(filePath: "\(name)-wal")))) == log)
      withExtendedLifetime(copy) {}
    }
    #expect(!FileManager.default.fileExists(atPath: name))
    #expect(!FileManager.default.fileExists(atPath: FilePath(name).removingLastComponent().string))
    #expect(TemporaryCopy(of: folder.file("missing").string) == nil)
  }

  // MARK: - Pruning

  /// Search keys of audio stay as long as a file has the audio.
  @Test func searchKeysOfForgottenFiles() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "c"] { library.put(FilePath("/music/\(name)")) }
    try library.night { ScannedLibrary.analysis(of: $0, audio: $0.path == "/music/c" ? "other" : "sound") }
    let database = try DatabaseQueue(path: library.database.string)
    func keys() throws -> [String] {
      try database.read { try String.fetchAll($0, sql: "SELECT content_id FROM sound_sketch ORDER BY content_id") }
    }
    let ids = ["sound", "other"].map { ScannedLibrary.contentID($0).description }
    try database.write { db in
      for id in ids {
        try db.execute(
          sql: "INSERT INTO sound_sketch (content_id, method, fingerprint, signature) VALUES (?, 1, x'00', x'00')",
          arguments: [id])
      }
    }
    for (name, expected) in [("a", ids.sorted()), ("c", [ids[0]]), ("b", [])] {
      library.remove(FilePath("/music/\(name)"))
      try library.night()
      #expect(try library.store.pruneVanished(in: nil, isDryRun: true) == 1)
      #expect(try library.store.pruneVanished(in: ["/elsewhere", "/music"], isDryRun: false) == 1)
      #expect(try keys() == expected)
    }
  }

  // MARK: - Checks

  @Test func totalsOfTheLastRunAreChecked() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "bad"] { library.put(FilePath("/music/\(name)")) }
    try library.night()
    library.put("/music/bad", size: 7)
    library.remove("/music/a")
    let run = try library.night { _ in ScannedLibrary.broken }.run
    #expect(try library.store.check() == [])
    let database = try DatabaseQueue(path: library.database.string)
    for (column, value, words) in [
      ("newly_failed", 0, "0 files were newly failed, but the rows say 1"),
      ("newly_failed", 2, "2 files were newly failed, but the rows say 1"),
      ("vanished", 0, "0 files were vanished, but the rows say 1"),
      ("failed", 0, "0 files were failed, but the rows say 1"),
      ("analyzed", 1, "1 file was analyzed, but the rows say 0"), ("vanished", 2, nil), ("failed", 5, nil),
    ] as [(String, Int, String?)] {
      try database.write { db in
        try db.execute(sql: "CREATE TEMP TABLE kept AS SELECT \(column) AS value FROM run WHERE id = \(run)")
        try db.execute(sql: "UPDATE run SET \(column) = \(value) WHERE id = \(run)")
      }
      let expected = words.map { ["run \(run) says that \($0); the next run recounts them"] } ?? []
      #expect(try library.store.check() == expected)
      try database.write { db in
        try db.execute(sql: "UPDATE run SET \(column) = (SELECT value FROM kept) WHERE id = \(run); DROP TABLE kept")
      }
    }
    // Totals of earlier runs are not compared, nor those of one that failed.
    try database.write { try $0.execute(sql: "UPDATE run SET analyzed = 99 WHERE id < \(run)") }
    #expect(try library.store.check() == [])
    try database.write { try $0.execute(sql: "UPDATE run SET analyzed = 99, state = 'failed' WHERE id = \(run)") }
    #expect(try library.store.check() == [])
  }

  // MARK: - Errors

  @Test func errorsOfSQLiteHaveAMeaning() {
    let path: FilePath = "/music/library.sqlite"
    let cases: [(ResultCode, StoreError)] = [
      (.SQLITE_BUSY, .busy(path: path)), (.SQLITE_LOCKED, .busy(path: path)),
      (.SQLITE_CORRUPT, .corrupt(path: path, detail: "why")),
      (.SQLITE_NOTADB, .notAStore(path: path, reason: "it is not a SQLite database")),
      (.SQLITE_READONLY, .readOnly(path: path)), (.SQLITE_PERM, .readOnly(path: path)),
      (.SQLITE_FULL, .diskFull(path: path)), (.SQLITE_NOMEM, .outOfMemory(path: path)),
      (.SQLITE_CANTOPEN, .cannotOpen(path: path, reason: "why")),
      (.SQLITE_CONSTRAINT, .failed(path: path, detail: "why")), (.SQLITE_ERROR, .failed(path: path, detail: "why")),
    ]
    for (code, expected) in cases {
      let error = DatabaseError(resultCode: code, message: "why")
      #expect(ResultStore.storeError(error, path: path) == expected)
    }
    let own = StoreError.busy(path: "/other")
    #expect(ResultStore.storeError(own, path: path) == own)
    struct Other: Error, CustomStringConvertible { var description = "odd" }
    #expect(ResultStore.storeError(Other(), path: path) == .failed(path: path, detail: "odd"))
  }

  @Test func namesOfDatabasesAreUTF8() {
    let path = FilePath(bytes: Array("/tmp/".utf8) + [0xFF])
    #expect(throws: StoreError.cannotOpen(path: path, reason: "the name of a database must be UTF-8")) {
      _ = try ResultStore(path: path, findings: [])
    }
  }
}
