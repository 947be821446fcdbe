import Analysis
import AnalysisTesting
import DSP
import Foundation
import GRDB
import LibraryStore
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing

/// Gain and peak of albums, derived by the store from their tracks.
@Suite(.bounded) struct AlbumLoudnessTests {
  private static let loudness = AnalyzerIdentity(id: "loudness", version: 1, digest: "l1")

  /// 20 s of constant loudness; `nil` for silence.
  private static func finding(_ loudness: Double?) -> LoudnessFinding {
    guard let loudness else { return LoudnessFinding(reason: "silence") }
    var blocks = LoudnessHistogram()
    for _ in 0..<200 { blocks.add(loudness) }
    return LoudnessFinding(
      integrated: loudness, trackGain: LoudnessFinding.gain(ofLoudness: loudness),
      trackPeak: pow(10, (loudness + 10) / 20), gatingBlocks: blocks.bytes)
  }

  private static func analysis(
    of file: PendingFile, _ loudness: Double?, album: String? = "One", artist: [String] = ["Someone"],
    isMeasured: Bool = true
  ) -> FileAnalysis {
    var analysis = ScannedLibrary.analysis(of: file, audio: "\(file.path) \(loudness ?? 0)")
    var tags = ScannedLibrary.tagFinding(title: "Title")
    tags.fields["album"] = album.map { [$0] }
    tags.fields["albumartist"] = artist.isEmpty ? nil : artist
    analysis.outcomes[0] = AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(tags))
    analysis.outcomes.append(
      AnalyzerOutcome(
        analyzer: Self.loudness, result: isMeasured ? .finding(finding(loudness)) : .failed("It gave up.")))
    return analysis
  }

  private static func library(_ paths: [FilePath]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.wanted = ScannedLibrary.wanted(extra: [loudness])
    for path in paths { library.put(path) }
    return library
  }

  private static func found(_ library: ScannedLibrary, _ path: FilePath) throws -> LoudnessFinding? {
    try library.store.record(at: path)?.findings[LoudnessFinding.self]
  }

  /// Gains by track name, rounded to a tenth: blocks are counted in steps of 0.02 LU.
  private static func gains(_ library: ScannedLibrary) throws -> [String: Double] {
    var gains: [String: Double] = [:]
    try library.store.forEachRecord { record in
      let gain = record.findings[LoudnessFinding.self]?.albumGain
      gains[record.path.lastComponent?.stem ?? ""] = gain.map { ($0 * 10).rounded() / 10 }
    }
    return gains
  }

  /// Loudness of equal lengths at -10 LUFS and 3.01 LU less.
  private static let both = -11.25
  private static let gainOfBoth = LoudnessFinding.gain(ofLoudness: both)

  private static func pair(_ file: PendingFile) -> FileAnalysis {
    analysis(of: file, file.path.stem == "a" ? -10 : -13.01)
  }

  /// A track whose album gain has changed counts as changed, although its file was not read.
  @Test func tracksOfAnAlbumThatHasChangedAreNews() throws {
    let library = try Self.library(["/music/A/1.flac", "/music/A/2.flac", "/music/B/1.flac"])
    try library.night { Self.analysis(of: $0, -10) }
    let before = try #require(try library.store.extract(RecordSelection()) { $0.cursor })
    library.put("/music/A/2.flac", size: 2000)
    try library.night { Self.analysis(of: $0, -20) }
    let changed = try library.store.extract(RecordSelection(), since: .cursor(before)) { extract in
      var paths: [FilePath] = []
      try extract.forEachRecord { paths.append($0.path) }
      return paths
    }
    #expect(changed == ["/music/A/1.flac", "/music/A/2.flac"])
  }

  @Test func anAlbumIsMeasuredOverTheBlocksOfItsTracks() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3", "/music/c.mp3"])
    try library.night { file in
      file.path.stem == "c" ? Self.analysis(of: file, -20, album: nil) : Self.pair(file)
    }
    for path: FilePath in ["/music/x/a.mp3", "/music/x/b.mp3"] {
      let found = try #require(try Self.found(library, path))
      #expect(abs(try #require(found.albumGain) - Self.gainOfBoth) < 0.03)
      #expect(found.albumPeak == 1)
    }
    let other = try #require(try Self.found(library, "/music/c.mp3"))
    #expect(other.albumGain == nil && other.albumPeak == nil && other.integrated == -20)
  }

  @Test func anAlbumIsUnknownUntilAllItsTracksAreKnown() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3"])
    try library.night { $0.path.stem == "b" ? nil : Self.pair($0) }
    #expect(try Self.gains(library).isEmpty)
    try library.night { Self.pair($0) }
    #expect(try Self.gains(library).count == 2)
  }

  @Test func aTrackThatCannotBeMeasuredLeavesTheAlbumUnknown() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3"])
    try library.night { Self.analysis(of: $0, -10, isMeasured: $0.path.stem == "a") }
    #expect(try Self.gains(library).isEmpty)
  }

  @Test func aSilentTrackChangesNothing() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3"])
    try library.night { Self.analysis(of: $0, $0.path.stem == "a" ? -10 : nil) }
    #expect(try Self.gains(library) == ["a": -8, "b": -8])
  }

  @Test func albumsFollowTheirTracks() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3"])
    try library.night { Self.pair($0) }
    let before = try Self.gains(library)
    #expect(before.count == 2)

    // A track is added.
    library.put("/music/x/c.mp3")
    try library.night { Self.analysis(of: $0, -4) }
    let added = try Self.gains(library)
    #expect(added.count == 3 && Set(added.values).count == 1 && added["a"]! < before["a"]! - 3)

    // It is removed.
    library.remove("/music/x/c.mp3")
    try library.night { Self.pair($0) }
    #expect(try Self.gains(library) == before)

    // One becomes another recording.
    library.put("/music/x/b.mp3", modified: 6_000_000_000)
    try library.night { Self.analysis(of: $0, -10) }
    #expect(try Self.gains(library) == ["a": -8, "b": -8])

    // One is retagged with another album.
    library.put("/music/x/b.mp3", modified: 7_000_000_000)
    try library.night { Self.analysis(of: $0, -14, album: "Two") }
    #expect(try Self.gains(library) == ["a": -8, "b": -4])

    // One moves elsewhere, and nothing is decoded.
    library.move("/music/x/b.mp3", to: "/music/y/b.mp3")
    library.put("/music/x/d.mp3")
    try library.night { Self.analysis(of: $0, -12, album: "Two") }
    #expect(try Self.gains(library) == ["a": -8, "b": -4, "d": -6])
  }

  @Test func foldersOfDiscsAreOneAlbum() throws {
    let paths: [FilePath] = [
      "/music/x/CD1/a.mp3", "/music/x/disc 2 - live/b.mp3", "/music/x/cdx/c.mp3", "/music/y/d.mp3",
    ]
    let library = try Self.library(paths)
    try library.night { file in
      Self.analysis(of: file, ["a": -10, "b": -13.01, "c": -20, "d": -30][file.path.stem ?? ""] ?? 0)
    }
    let gains = try Self.gains(library)
    #expect(abs(gains["a"]! - Self.gainOfBoth) < 0.1 && gains["a"] == gains["b"])
    #expect(gains["c"] == 2 && gains["d"] == 12)
  }

  @Test func titleAndArtistsOfTheAlbumTellAlbumsApart() throws {
    let library = try Self.library(["/music/a.mp3", "/music/b.mp3", "/music/c.mp3", "/music/d.mp3"])
    try library.night { file in
      switch file.path.stem {
      case "a": Self.analysis(of: file, -10, album: "Hits", artist: ["One"])
      case "b": Self.analysis(of: file, -20, album: "Hits", artist: ["Two"])
      // No album artists, as on compilations.
      default: Self.analysis(of: file, -30, album: "Hits", artist: [])
      }
    }
    #expect(try Self.gains(library) == ["a": -8, "b": 2, "c": 12, "d": 12])
  }

  @Test func aFolderOfADiscInAFolderOfADiscEndsTheSearch() throws {
    let library = try Self.library(["/music/CD1/y.mp3", "/music/CD1/CD2/x.mp3", "/music/CD1/other/z.mp3"])
    try library.night { Self.analysis(of: $0, -10) }
    #expect(try Self.gains(library) == ["x": -8, "y": -8, "z": -8])
  }

  @Test func theViewOfTracksHasAlbums() throws {
    let library = try Self.library(["/music/x/a.mp3"])
    try library.night { Self.analysis(of: $0, -10) }
    let gain = try DatabaseQueue(path: library.database.string).read {
      try Double.fetchOne($0, sql: "SELECT loudness_album_gain_db FROM track")
    }
    #expect(abs(try #require(gain) + 8) < 0.02)
  }

  /// A new track that waits for its analysis leaves the album unknown, even if its gain was known before.
  @Test func aWaitingTrackLeavesTheAlbumUnknown() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3"])
    try library.night { Self.pair($0) }
    #expect(try Self.gains(library).count == 2)
    library.put("/music/x/b.mp3", size: 2000)
    library.put("/music/x/c.mp3")
    try library.night { $0.path.stem == "c" ? nil : Self.pair($0) }
    #expect(try Self.gains(library).isEmpty)
    #expect(try Self.found(library, "/music/x/a.mp3")?.albumPeak == nil)
    try library.night { Self.pair($0) }
    #expect(try Self.gains(library).count == 3)
  }

  /// Files of an album and of its discs are together, whatever lies between them; those of other folders are not.
  @Test func foldersBetweenTracksAreLeftOut() throws {
    let loudness: [(path: String, loudness: Double)] = [
      ("a.mp3", -10), ("CD1/1.mp3", -10), ("CD1/sub/s.mp3", -20), ("CD1/sub/CD3/t.mp3", -20), ("CD1/zz.mp3", -10),
      ("CD2/2.mp3", -10), ("m/1.mp3", -30), ("m/x/2.mp3", -26), ("m0.mp3", -10), ("n", -10), ("z.mp3", -10),
    ]
    let library = try Self.library(loudness.map { FilePath("/music/x/\($0.path)") })
    let known = Dictionary(uniqueKeysWithValues: loudness.map { (FilePath("/music/x/\($0.path)"), $0.loudness) })
    try library.night { Self.analysis(of: $0, known[$0.path] ?? 0) }
    try library.store.forEachRecord { record in
      let gain = try #require(record.findings[LoudnessFinding.self]?.albumGain)
      #expect(abs(gain - LoudnessFinding.gain(ofLoudness: known[record.path] ?? 0)) < 0.05, "\(record.path)")
    }
    // All tracks of the album change with one of them, and no others do.
    library.put("/music/x/z.mp3", size: 7)
    try library.night { Self.analysis(of: $0, -4) }
    try library.store.forEachRecord { record in
      let gain = try #require(record.findings[LoudnessFinding.self]?.albumGain)
      let old = LoudnessFinding.gain(ofLoudness: known[record.path] ?? 0)
      #expect((gain < old - 1) == (known[record.path] == -10), "\(record.path)")
    }
  }

  /// The first of several names of an album counts; the peak is that of the loudest track.
  @Test func firstNameOfAnAlbumCounts() throws {
    let library = try Self.library(["/music/x/a.mp3", "/music/x/b.mp3", "/music/x/c.mp3"])
    try library.night { file in
      var analysis = Self.analysis(of: file, file.path.stem == "b" ? -20 : -10)
      var tags = ScannedLibrary.tagFinding(title: "Title")
      tags.fields["album"] = file.path.stem == "c" ? ["Two", "One"] : ["One", file.path.stem ?? ""]
      tags.fields["albumartist"] = ["X", "Y"]
      analysis.outcomes[0] = AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(tags))
      return analysis
    }
    let gains = try Self.gains(library)
    #expect(gains["a"] == gains["b"] && gains["c"] == -8 && gains["a"] != -8)
    #expect(try Self.found(library, "/music/x/b.mp3")?.albumPeak == 1)
  }
}
