import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct PathTests {
  static let names: [[UInt8]] = [
    Array("plain.flac".utf8), Array("line\nbreak.flac".utf8), [0xE9, 0x2E, 0x6D], [0xFF, 0xFE, 0x80], [0xC3],
    Array("\u{E9}.flac".utf8), Array("e\u{301}.flac".utf8), Array("\\xE9.flac".utf8), Array("\\\\xE9.flac".utf8),
    [UInt8](repeating: UInt8(ascii: "n"), count: 255), Array("a b".utf8), Array("a'\"%_*?[]".utf8), Array("tab\t".utf8),
    Array("\u{1F3B5}".utf8), [0xF4, 0x90, 0x80, 0x80], [0xED, 0xA0, 0x80], Array("\\x5CxE9".utf8), [0x5C, 0xE9],
    [0x5C, 0x78, 0xE9], [0x5C, 0x78, 0x45, 0xE9],
  ]

  @Test func everyNameIsAFileOfItsOwnAndComesBackByteForByte() throws {
    let library = try ScannedLibrary()
    let paths = Self.names.map { FilePath(bytes: Array("/music/".utf8) + $0) }
    for path in paths { library.put(path) }
    let first = try library.night()
    #expect(first.scan.new == paths.count)
    #expect(try library.night().scan.cached == paths.count)
    let found = try library.records().map(\.path)
    #expect(Set(found) == Set(paths) && found.count == paths.count)
    // Library order is byte order.
    let bytes = found.map { $0.withBytes { Array($0) } }
    #expect(bytes == bytes.sorted { $0.lexicographicallyPrecedes($1) })
    for path in paths { #expect(try library.store.record(at: path)?.path == path) }
  }

  @Test func displayTextLeadsBackToTheBytes() {
    var texts: Set<[UInt8]> = []
    for name in Self.names {
      let path = FilePath(bytes: name)
      let text = DisplayPath.text(of: path)
      #expect(DisplayPath.path(from: text) == path)
      texts.insert(Array(text.utf8))
    }
    #expect(texts.count == Self.names.count)
    #expect(DisplayPath.text(of: FilePath(bytes: [0x61, 0xE9])) == "a\\xE9")
    #expect(DisplayPath.text(of: "/AC\\DC/x\\y") == "/AC\\DC/x\\y")
  }

  @Test func randomBytesLeadBack() {
    var generator = SplitMix64.fresh()
    let alphabet = Array("\\xE9A5C".utf8) + [0xC3, 0xA9, 0xFF, 0xF0, 0x9F, 0x8E, 0xB5, 0x01]
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 1
      }
      let path = FilePath(bytes: bytes)
      #expect(DisplayPath.path(from: DisplayPath.text(of: path)) == path, "\(bytes)")
    }
  }

  @Test func rootsSelectWhatLiesBelowThem() throws {
    let library = try ScannedLibrary()
    let all = [
      "/a", "/a b/1", "/a-/2", "/a/3", "/a/4/5", "/a0", "/b/6", "/b/\n", "/c",
    ].map { FilePath($0) }
    for path in all { library.put(path) }
    try library.night(scopes: [])
    func select(_ roots: [FilePath]) throws -> [FilePath] {
      try library.records(RecordSelection(roots: roots)).map(\.path)
    }
    #expect(try select(["/a"]) == ["/a", "/a/3", "/a/4/5"])
    #expect(try select(["/b", "/a/4", "/a"]) == ["/a", "/a/3", "/a/4/5", "/b/\n", "/b/6"])
    #expect(try select(["/"]).count == all.count)
    #expect(try select(["/c", "/a b", "/c"]) == ["/a b/1", "/c"])
    #expect(try select(["/nothing"]).isEmpty && select([]).isEmpty)
  }

  @Test func timestampsAreDates() {
    #expect(Timestamp(nanoseconds: 0).description == "1970-01-01T00:00:00Z")
    #expect(Timestamp(nanoseconds: -1).description == "1969-12-31T23:59:59Z")
    #expect(Timestamp(nanoseconds: 951_782_399_999_999_999).description == "2000-02-28T23:59:59Z")
    #expect(Timestamp(nanoseconds: 951_782_400_000_000_000).description == "2000-02-29T00:00:00Z")
    #expect(Timestamp(nanoseconds: 4_107_542_400_000_000_000).description == "2100-03-01T00:00:00Z")
    #expect(Timestamp(nanoseconds: .min).description == "1677-09-21T00:12:43Z")
    #expect(Timestamp(nanoseconds: .max).description == "2262-04-11T23:47:16Z")
  }
}
