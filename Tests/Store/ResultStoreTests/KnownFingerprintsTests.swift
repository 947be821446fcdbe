import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// Fingerprints that another program reads from the database instead of computing them.
@Suite(.bounded) struct KnownFingerprintsTests {
  private let folder: TemporaryDirectory
  private let library: ScannedLibrary
  private let song: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    library = try ScannedLibrary()
    song = try folder.write([1, 2, 3], as: "song")
    // A file that was just written would be looked at once more.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: song.string)
  }

  /// Analyzes the song as it is on the disk.
  private func analyze(
    status: FileAnalysis.Status = .ok, version: Int = 1, _ change: (inout AudioFormat) -> Void = { _ in }
  ) throws {
    let identity = try #require(FileIdentity(song))
    library.put(
      FileStamp(
        path: song, device: identity.device, inode: identity.inode, sizeBytes: identity.size,
        modified: identity.modified))
    let analyzer = AnalyzerIdentity(id: "chromaprint", version: version, digest: "c1")
    library.wanted.members[2].identity = analyzer
    try library.night(ScanOptions(force: true), scopes: []) { file in
      var analysis = ScannedLibrary.analysis(of: file)
      var format = AudioFormat(
        container: "mp3", codec: "mp3float", sampleRate: 8_000, channelCount: 1, isLossless: false,
        claimedFrameCount: 24_000, frameCount: 16_000)
      change(&format)
      analysis.format = format
      analysis.status = status
      if status != .ok { analysis.problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.") }
      analysis.outcomes[2] = AnalyzerOutcome(
        analyzer: analyzer, result: .finding(FingerprintFinding(algorithm: "c-2", duration: 1.5, value: "AQxy")))
      return analysis
    }
  }

  private func known(version: Int = 1, at path: FilePath? = nil) throws -> KnownFingerprints.Fingerprint? {
    let known = try #require(KnownFingerprints(path: library.database, version: version))
    return known.fingerprint(at: path ?? song)
  }

  @Test func fingerprintsAreDescribed() throws {
    try analyze()
    let found = try #require(try known())
    #expect(found.finding == FingerprintFinding(algorithm: "c-2", duration: 1.5, value: "AQxy"))
    #expect(found.audioDuration == 2 && found.duration == 3 && found.sampleRate == 8_000 && found.codec == "mp3float")
    #expect(try known(version: 2) == nil && known(at: folder.file("missing")) == nil && known(at: folder.path) == nil)
  }

  /// The claimed length counts if there is one; an estimate is none.
  @Test func lengthsOfFiles() throws {
    try analyze { $0.claimedFrameCount = nil }
    #expect(try known()?.duration == 2)
    try analyze { $0.claimedFrameCount = 1 }
    #expect(try known()?.duration == 1 / 8_000)
    try analyze { $0.claimedFrameCount = 0 }
    #expect(try known()?.duration == 2)
    try analyze { ($0.claimedFrameCount, $0.estimatedFrameCount) = (nil, 24_000) }
    #expect(try known()?.duration == 2)
    try analyze { $0.frameCount = nil }
    #expect(try known() == nil)
    try analyze { $0.frameCount = 0 }
    #expect(try known() == nil)
    try analyze { $0.frameCount = 1 }
    #expect(try known()?.audioDuration == 1 / 8_000)
  }

  /// A fingerprint counts only for the file that was analyzed, and only if it was intact.
  @Test func onlyIntactAndUnchangedFiles() throws {
    #expect(try known() == nil)
    try analyze(status: .partial)
    #expect(try known() == nil)
    try analyze(version: 3)
    #expect(try known() == nil && known(version: 3) != nil)
    try analyze()
    #expect(try known() != nil)
    // Waiting for a later version of an analyzer does not matter; waiting for a look does.
    library.wanted = ScannedLibrary.wanted(tempo: AnalyzerIdentity(id: "tempo", version: 2, digest: "o1"))
    #expect(try library.night(scopes: [], analyze: { _ in nil }).scan.outdated == 1)
    #expect(try known() != nil)
    var stamp = try #require(library.file(song))
    stamp.statusChanged = Timestamp(nanoseconds: 1)
    library.put(stamp)
    try library.night(scopes: [], analyze: { _ in nil })
    stamp.statusChanged = Timestamp(nanoseconds: 99_000_000_000)
    library.put(stamp)
    #expect(try library.night(scopes: [], analyze: { _ in nil }).scan.touched == 1)
    #expect(try known() == nil)
    try analyze()
    #expect(try known() != nil)
    library.remove(song)
    try library.night(scopes: [VanishScope(root: folder.path)])
    #expect(try known() == nil)
    try analyze()
    try folder.write([1, 2, 3, 4], as: "song")
    #expect(try known() == nil)
  }

  @Test func otherNamesOfAFile() throws {
    try analyze()
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: song.string)
    #expect(try known(at: link) != nil)
    let around = FilePath("\(folder.path)/x/../song")
    #expect(FileManager.default.fileExists(atPath: around.string) == false)
    try FileManager.default.createDirectory(atPath: folder.file("x").string, withIntermediateDirectories: true)
    #expect(try known(at: around) != nil)
    let ups = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
    #expect(try known(at: FilePath(ups + song.string.dropFirst())) != nil)
  }

  /// A database at rest is read without a trace beside it.
  @Test func databasesAtRest() throws {
    try analyze()
    let rest = try TemporaryDirectory()
    let copy = rest.file("copy.sqlite")
    try library.store.backUp(to: copy)
    let queue = try DatabaseQueue(path: copy.string)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: rest.path.string) == ["copy.sqlite"])
    let known = try #require(KnownFingerprints(path: copy, version: 1))
    #expect(known.fingerprint(at: song) != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: rest.path.string) == ["copy.sqlite"])
  }

  @Test func filesThatAreNoDatabases() throws {
    #expect(KnownFingerprints(path: folder.file("missing"), version: 1) == nil)
    for bytes in [[], [1], Array("No database.".utf8), [UInt8](repeating: 0, count: 1_000)] as [[UInt8]] {
      #expect(KnownFingerprints(path: try folder.write(bytes, as: "other"), version: 1) == nil)
    }
    #expect(KnownFingerprints(path: FilePath(bytes: [0x2F, 0xFF]), version: 1) == nil)
    let other = folder.file("other.sqlite")
    try DatabaseQueue(path: other.string).write { try $0.execute(sql: "CREATE TABLE songs (id)") }
    #expect(KnownFingerprints(path: other, version: 1) == nil)
  }
}
