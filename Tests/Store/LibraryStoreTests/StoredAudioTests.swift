import Analysis
import AnalysisTesting
import Filters
import LibraryStore
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Fingerprints, signatures, sketches and descriptors as they are read for comparing audio.
@Suite(.bounded) struct StoredAudioTests {
  private static func file(
    _ name: String, audio: String, album: String? = nil, fingerprint: String? = nil, signature: [UInt8]? = nil
  ) -> LibraryFile {
    var file = LibraryFile(path: FilePath("/music/\(name)"), tags: ["title": [name], "artist": ["A"]])
    if let album { file.tags.fields["album"] = [album] }
    file.contentID = ScannedLibrary.contentID(audio)
    if let fingerprint {
      let finding = FingerprintFinding(algorithm: "chromaprint-2", duration: 10, value: fingerprint)
      file.findings.append(("chromaprint", finding))
    }
    if let signature {
      file.findings.append(("signature", SignatureFinding(version: 1, landmarkCount: 1, data: signature)))
    }
    return file
  }

  /// Two copies of `x`, of which the second has a signature as well, and one file for each other audio; `z` has neither
  /// fingerprint nor signature.
  private static let files = [
    file("a", audio: "x", album: "One", fingerprint: "first"),
    file("b", audio: "x", album: "One", fingerprint: "second", signature: [1, 2]),
    file("c", audio: "y", album: "Two", signature: [3]), file("d", audio: "z"),
    file("e", audio: "w", fingerprint: "third"),
  ]

  private static let (x, y, z, w) = (
    ScannedLibrary.contentID("x"), ScannedLibrary.contentID("y"), ScannedLibrary.contentID("z"),
    ScannedLibrary.contentID("w")
  )

  private static func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try LibraryFiles(files).merge(into: library.store)
    return library
  }

  /// Ids of the rows of files by their names.
  private static func ids(_ library: ScannedLibrary) throws -> [String: Int64] {
    let rows = try library.store.tracks(matching: .everything)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.path.lastComponent?.string ?? "", $0.fileID) })
  }

  @Test func comparableAudioHasOneFileEach() throws {
    let library = try Self.library()
    let store = library.store
    let ids = try Self.ids(library)
    let sketches = try store.storeSketches([
      SketchRow(content: Self.w, method: 5, fingerprint: [9, 8], signature: []),
      SketchRow(content: Self.x, method: 7, fingerprint: [7], signature: [6, 5]),
    ])
    try store.storeDuplicates([], methods: [Self.y: 9, Self.w: 11])
    let found = try store.comparableAudio()
    let expected = [Self.x, Self.y, Self.w].sorted { $0.description < $1.description }
    #expect(found.contents == expected)
    let places = Dictionary(uniqueKeysWithValues: expected.enumerated().map { ($1, $0) })
    let (x, y, w) = try (#require(places[Self.x]), #require(places[Self.y]), #require(places[Self.w]))
    #expect(found.files.count == 3 && found.files[x] == ids["b"] && found.files[y] == ids["c"])
    #expect(found.files[w] == ids["e"] && found.durations == [200, 200, 200])
    #expect(found.hasFingerprint[x] && !found.hasFingerprint[y] && found.hasFingerprint[w])
    #expect(found.hasSignature[x] && found.hasSignature[y] && !found.hasSignature[w])
    #expect(found.sketches[x] == StoredSketch(id: sketches[1], method: 7) && found.sketches[y] == nil)
    #expect(found.sketches[w] == StoredSketch(id: sketches[0], method: 5))
    #expect(found.compared[x] == nil && found.compared[y] == 9 && found.compared[w] == 11)
  }

  /// Each requested file is reported exactly once, in the given order, and so is each sketch.
  @Test func valuesComeInTheGivenOrder() throws {
    let library = try Self.library()
    let store = library.store
    let ids = try Self.ids(library)
    let wanted = try ["e", "b", "d", "c"].map { try #require(ids[$0]) } + [999]
    var (files, signatures, texts): ([Int64], [[UInt8]?], [String?]) = ([], [], [])
    try store.forEachSignature(ofFiles: wanted) { file, signature in
      files.append(file)
      signatures.append(signature)
    }
    #expect(files == wanted && signatures == [nil, [1, 2], nil, [3], nil])
    files = []
    try store.forEachFingerprintText(ofFiles: wanted) { file, text in
      files.append(file)
      texts.append(text)
    }
    #expect(files == wanted && texts == ["third", "second", nil, nil, nil])

    let rows = try store.storeSketches([
      SketchRow(content: Self.w, method: 5, fingerprint: [9, 8], signature: [4]),
      SketchRow(content: Self.x, method: 7, fingerprint: [7], signature: [6, 5]),
    ])
    for (column, expected) in [
      (SketchColumn.fingerprint, [[7], [], [9, 8]] as [[UInt8]]), (.signature, [[6, 5], [], [4]]),
    ] {
      var (seen, keys): ([Int64], [[UInt8]]) = ([], [])
      try store.forEachSketch([rows[1], 999, rows[0]], column) { id, bytes in
        seen.append(id)
        keys.append(bytes)
      }
      #expect(seen == [rows[1], 999, rows[0]] && keys == expected, "\(column)")
    }
  }

  /// A database that has never had an analyzer's findings answers as if no file had any.
  @Test func missingTablesAreEmpty() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("other.sqlite"), findings: [TagFinding.self])
    #expect(try store.comparableAudio().contents.isEmpty)
    var calls = 0
    try store.forEachSignature(ofFiles: [1, 2]) { _, signature in calls += signature == nil ? 1 : 100 }
    try store.forEachFingerprintText(ofFiles: [1, 2]) { _, text in calls += text == nil ? 1 : 100 }
    #expect(calls == 4)
    #expect(try store.descriptors(version: 1, size: 4).files.isEmpty)
  }

  // MARK: - Files by their audio

  /// Audio that a single file contains is left out unless it is wanted.
  @Test func filesByTheirAudio() throws {
    let library = try Self.library()
    let ids = try Self.ids(library)
    let copies = try ["a", "b"].map { try #require(ids[$0]) }
    #expect(try library.store.filesByContent(wanted: []) == [Self.x: copies])
    let all = try library.store.filesByContent(wanted: [Self.x, Self.y, Self.z, Self.w])
    let single = try ["c", "d", "e"].map { [try #require(ids[$0])] }
    #expect(all == [Self.x: copies, Self.y: single[0], Self.z: single[1], Self.w: single[2]])
    let paths = try library.store.paths(ofAudio: [Self.x, Self.y, ScannedLibrary.contentID("unknown")])
    #expect(paths == [Self.x: "/music/a", Self.y: "/music/c"])
  }

  @Test func sizesOfAlbums() throws {
    let library = try Self.library()
    let ids = try Self.ids(library)
    let (a, c, d) = try (#require(ids["a"]), #require(ids["c"]), #require(ids["d"]))
    #expect(try library.store.albumSizes(ofFiles: [c, d, a, 999]) == [a: 2, c: 1])
  }

  @Test func recordsComeInTheGivenOrder() throws {
    let library = try Self.library()
    let ids = try Self.ids(library)
    let (a, c) = try (#require(ids["a"]), #require(ids["c"]))
    let found = try library.store.records(ofFiles: [c, 999, a])
    #expect(found.map(\.file) == [c, a] && found.map(\.record.path) == ["/music/c", "/music/a"])
  }

  // MARK: - Descriptors

  /// A limit takes every n-th file, so that the sample covers the whole library.
  @Test func descriptorsAreSpreadOverTheFiles() throws {
    let library = try ScannedLibrary()
    try library.reopen(findings: ScannedLibrary.findings + [LikenessFinding.self])
    let files = (0..<10).map { number in
      var file = LibraryFile(path: FilePath("/music/\(number)"), tags: [:])
      file.findings = [("likeness", LikenessFinding(version: 2, descriptor: [UInt8(number), 1, 2]))]
      return file
    }
    try LibraryFiles(files).merge(into: library.store)
    let ids = try library.store.tracks(matching: .everything).map(\.fileID).sorted()
    let last = try #require(ids.last)
    let all = try library.store.descriptors(version: 2, size: 3)
    #expect(all.files == ids && all.bytes.count == 30)
    #expect(all.bytes == (0..<10).flatMap { [UInt8($0), 1, 2] })
    for (limit, step) in [(0, last), (1, last), (2, last / 2), (3, last / 3), (5, last / 5), (10, 1), (100, 1)] {
      let some = try library.store.descriptors(version: 2, size: 3, limit: limit)
      #expect(some.files == ids.filter { $0 % step == 0 }, "\(limit)")
      #expect(some.bytes.count == 3 * some.files.count)
    }
    #expect(try library.store.descriptors(version: 1, size: 3).files.isEmpty)
    #expect(try library.store.descriptors(version: 2, size: 4).files.isEmpty)
  }
}
