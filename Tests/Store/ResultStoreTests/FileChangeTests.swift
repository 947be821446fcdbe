import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import ResultStore

/// Times in these tests are in seconds after an hour of 2026, as decimals for fractions.
@Suite(.bounded) struct FileChangeTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var what: String
    /// Size, modification time, status time.
    var known: (Int64, Double, Double?)
    var found: (Int64, Double, Double?)
    var looked: Double?
    var expected: FileChange

    init(
      _ what: String, _ known: (Int64, Double, Double?), _ found: (Int64, Double, Double?), looked: Double? = 90_000,
      _ expected: FileChange
    ) {
      self.what = what
      self.known = known
      self.found = found
      self.looked = looked
      self.expected = expected
    }

    var testDescription: String { what }
  }

  private static let start: Int64 = 1_795_000_000 / 7200 * 7200

  private static func nanoseconds(_ seconds: Double) -> Int64 {
    start * 1_000_000_000 + Int64((seconds * 1e6).rounded()) * 1000
  }

  static let cases: [Case] = [
    Case("nothing at all", (9, 12.5, 13.25), (9, 12.5, 13.25), .none),
    Case("another size", (9, 12.5, 13.25), (8, 12.5, 13.25), .changed),
    Case("written to", (9, 12.5, 13.25), (9, 700.5, 700.5), .changed),
    Case("an older file in its place", (9, 12.5, 13.25), (9, 2.5, 700.5), .changed),
    Case(
      "written to, with its time set back (cp -p, rsync -t, tag editors)", (9, 12.5, 13.25), (9, 12.5, 700), .touched),
    Case("chmod, another hard link, restored from a backup", (9, 12, 13), (9, 12, 700.25), .touched),
    Case("status changed back in time, as by another server", (9, 12.5, 13.25), (9, 12.5, 11), .touched),
    // An unknown time does not count against a file.
    Case("known by schema 1", (9, 12.5, nil), (9, 12.5, 13.25), looked: nil, .none),
    Case("a file system without the time", (9, 12.5, 13.25), (9, 12.5, nil), .none),
    Case("schema 1, written to", (9, 12.5, nil), (9, 12.625, 700), looked: nil, .changed),
    // Precision.
    Case("fractions lost by both times", (9, 12.5, 13.25), (9, 12, 13), .none),
    Case("fractions gained by both times", (9, 12, 13), (9, 12.5, 13.25), .none),
    Case("fractions lost to 2 s", (9, 13.5, 13.75), (9, 12, 12), .none),
    Case("fractions lost to 1 ms", (9, 12.345_678, 13.345_678), (9, 12.345, 13.345), .none),
    Case("fractions rounded up are another time", (9, 12.5, 13.25), (9, 13, 13.25), .changed),
    Case("fraction lost, and the status changed", (9, 12.5, 13.25), (9, 12, 700), .changed),
    Case("fraction lost, and no other time to tell", (9, 12.5, nil), (9, 12, nil), .changed),
    Case("a little later is another time", (9, 12.5, 13.25), (9, 12.75, 13.25), .changed),
    // Daylight saving on FAT.
    Case("an hour later", (9, 12, 12), (9, 3612, 3612), .touched),
    Case("an hour earlier", (9, 3612, nil), (9, 12, nil), .touched),
    Case("an hour and a bit", (9, 12, 12), (9, 3612.5, 3612.5), .changed),
    // Changes after the scan that would leave the same times.
    Case("looked at within the precision of FAT", (9, 12, 12), (9, 12, 12), looked: 13.5, .touched),
    Case("looked at later", (9, 12, 12), (9, 12, 12), looked: 14, .none),
    Case("a fine time just before the look", (9, 12.5, 12.5), (9, 12.5, 12.5), looked: 12.505, .touched),
    Case("a fine time a little before", (9, 12.5, 12.5), (9, 12.5, 12.5), looked: 12.52, .none),
    Case("an old file copied just before", (9, -9000, 12.5), (9, -9000, 12.5), looked: 12.505, .touched),
    Case("a clock that is ahead", (9, 100.5, 100.5), (9, 100.5, 100.5), looked: 12, .touched),
    Case("a clock that is years ahead", (9, 9e7, 9e7), (9, 9e7, 9e7), looked: 12, .none),
  ]

  @Test(arguments: cases) func decision(_ test: Case) {
    let known = FileChange.Known(
      sizeBytes: test.known.0, modified: Self.nanoseconds(test.known.1),
      statusChanged: test.known.2.map(Self.nanoseconds), looked: test.looked.map(Self.nanoseconds))
    let found = FileStamp(
      path: "/a", device: 1, inode: 2, sizeBytes: test.found.0,
      modified: Timestamp(nanoseconds: Self.nanoseconds(test.found.1)),
      statusChanged: test.found.2.map { Timestamp(nanoseconds: Self.nanoseconds($0)) })
    #expect(FileChange.between(known, and: found) == test.expected)
  }

  @Test func absurdTimesAreTimes() {
    for (a, b) in [(Int64.min, Int64.max), (.max, .min), (.min, 0), (.max, .max)] {
      let known = FileChange.Known(sizeBytes: 1, modified: a, statusChanged: a, looked: b)
      let found = FileStamp(
        path: "/a", device: 1, inode: 2, sizeBytes: 1, modified: Timestamp(nanoseconds: b),
        statusChanged: Timestamp(nanoseconds: b))
      #expect(FileChange.between(known, and: found) == (a == b ? .touched : .changed))
    }
  }
}

@Suite(.bounded) struct TouchedFileTests {
  private func analyze(_ file: PendingFile) -> FileAnalysis { ScannedLibrary.analysis(of: file, audio: "sound") }

  /// Result for a file whose audio the pipeline knows: tags are read again, everything else is unchanged.
  private func look(_ file: PendingFile, title: String, audio: String = "sound") -> FileAnalysis {
    FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID(audio), decodingID: ScannedLibrary.decodingID(audio),
      format: ScannedLibrary.format,
      reusesKnownAudio: true,
      outcomes: [
        AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: title)))
      ])
  }

  @Test func touchedFileIsLookedAtOnceAndKeepsItsFindings() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", statusChanged: 6_500_000_000)
    try library.night(analyze: analyze)
    #expect(try library.night().totals == RunTotals(cached: 1))
    library.put("/music/a.flac", statusChanged: 7_500_000_000)
    let night = try library.night { self.look($0, title: "Another title") }
    #expect(night.scan.touched == 1 && night.pending.map(\.reason) == [.touched])
    #expect(night.pending.first?.knownAudio.first?.decodingID == ScannedLibrary.decodingID("sound"))
    let record = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(record.tempo == ScannedLibrary.tempoFinding() && record.tags?.fields["title"] == ["Another title"])
    #expect(try library.night().totals == RunTotals(cached: 1))
  }

  @Test func touchIsNotForgottenWhenTheRunEndsBeforeTheLook() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", statusChanged: 6_500_000_000)
    try library.night(analyze: analyze)
    library.put("/music/a.flac", statusChanged: 7_500_000_000)
    try library.night(analyze: { _ in nil })
    #expect(try library.night(analyze: analyze).pending.map(\.reason) == [.touched])
    #expect(try library.night().scan.cached == 1)
  }

  /// `chmod 000` on a library must not lose its findings.
  @Test func touchedFileThatCannotBeReadKeepsItsFindings() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", statusChanged: 6_500_000_000)
    try library.night(analyze: analyze)
    library.put("/music/a.flac", statusChanged: 7_500_000_000)
    try library.night { _ in
      FileAnalysis(status: .failed, problem: Problem(stage: .open, code: "unreadable", message: "No permission."))
    }
    let record = try #require(try library.store.record(at: "/music/a.flac"))
    #expect(record.status == .failed && record.tempo != nil && record.contentID == ScannedLibrary.contentID("sound"))
  }

  @Test func touchedFileWithOtherAudioKeepsNothing() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", statusChanged: 6_500_000_000)
    library.wanted = ScannedLibrary.wanted(extra: [AnalyzerIdentity(id: "key", version: 1, digest: "")])
    try library.night { file in
      var analysis = self.analyze(file)
      analysis.outcomes.append(
        AnalyzerOutcome(
          analyzer: AnalyzerIdentity(id: "key", version: 1, digest: ""), result: .finding(JSONFinding(.string("A")))))
      return analysis
    }
    library.put("/music/a.flac", statusChanged: 7_500_000_000)
    library.wanted = ScannedLibrary.wanted()
    try library.night { ScannedLibrary.analysis(of: $0, audio: "other sound") }
    let record = try #require(try library.store.record(at: "/music/a.flac"))
    #expect(record.contentID == ScannedLibrary.contentID("other sound") && record.otherFindings.isEmpty)
  }

  @Test func fileWrittenJustBeforeTheScanIsLookedAtOnceMore() throws {
    let library = try ScannedLibrary()
    library.time = Timestamp(nanoseconds: 13_000_000_000)
    library.put("/music/a.flac", modified: 12_000_000_000, statusChanged: 12_000_000_000)
    try library.night(analyze: analyze)
    library.time = Timestamp(nanoseconds: 90_000_000_000)
    #expect(try library.night(analyze: analyze).pending.map(\.reason) == [.touched])
    #expect(try library.night().scan.cached == 1)
  }

  /// First run over a database of schema 1, which has no status times.
  @Test func unknownTimesAreFilledIn() throws {
    let library = try ScannedLibrary()
    for index in 0..<5 { library.put(FilePath("/music/\(index).flac")) }
    try library.night()
    for index in 0..<5 { library.put(FilePath("/music/\(index).flac"), statusChanged: 6_500_000_000) }
    #expect(try library.night().totals == RunTotals(cached: 5))
    library.put("/music/0.flac", statusChanged: 7_500_000_000)
    #expect(try library.night().scan.touched == 1)
  }

  /// Stems of one length, unpacked with one time: their inodes prove nothing.
  @Test func moveIsLookedIntoWhereTwinsAreKnown() throws {
    let library = try ScannedLibrary()
    for name in ["1", "2"] { library.put(FilePath("/music/stems/\(name).wav")) }
    library.put("/music/song.wav", modified: 5_000_000_123)
    try library.night()
    library.move("/music/stems/1.wav", to: "/music/new/1.wav")
    library.move("/music/song.wav", to: "/music/new/song.wav")
    let night = try library.night { self.look($0, title: "", audio: "/music/stems/1.wav") }
    #expect(night.scan.moved == 2 && night.scan.cached == 2)
    #expect(night.pending.map(\.path) == ["/music/new/1.wav"] && night.pending.map(\.reason) == [.touched])
  }
}
