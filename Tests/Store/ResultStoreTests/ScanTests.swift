import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing

@Suite(.bounded) struct ScanTests {
  @Test func secondNightTouchesNothing() throws {
    let library = try ScannedLibrary()
    for name in ["a", "b", "c", "d"] { library.put(FilePath("/music/\(name).flac")) }
    let first = try library.night()
    #expect(first.scan.new == 4)
    #expect(first.totals == RunTotals(analyzed: 4))
    let before = try library.records(RecordSelection(long: ["beats"]))
    let second = try library.night()
    #expect(second.totals == RunTotals(cached: 4))
    #expect(second.pending.isEmpty)
    #expect(try library.records(RecordSelection(long: ["beats"])) == before)
    #expect(before.count == 4)
    #expect(before[0].tempo == ScannedLibrary.tempoFinding())
    #expect(before[0].tags == ScannedLibrary.tagFinding(title: "Title of a"))
    #expect(before[0].format == ScannedLibrary.format)
    #expect(before[0].analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tags, ScannedLibrary.tempo])
  }

  @Test func changedSizeOrTimeIsAnalyzedAgain() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/b.flac")
    library.put("/music/c.flac")
    try library.night()
    library.put("/music/a.flac", size: 1001)
    library.put("/music/b.flac", modified: 5_000_000_001)
    let night = try library.night()
    #expect(night.scan.changed == 2 && night.scan.cached == 1)
    #expect(night.pending.map(\.path) == ["/music/a.flac", "/music/b.flac"])
    #expect(night.pending.allSatisfy { $0.reason == .changed && $0.status == .ok })
  }

  @Test func changeIsNotForgottenWhenTheRunEndsBeforeItIsAnalyzed() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    library.put("/music/a.flac", size: 2000)
    try library.night(analyze: { _ in nil })
    let night = try library.night()
    #expect(night.pending.map(\.reason) == [.changed])
    #expect(try library.night().scan.cached == 1)
  }

  @Test func otherInodeOrDeviceIsNoChange() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a.flac")
    try library.night()
    try library.beginRun()
    var remounted = file
    remounted.device = UInt64.max
    remounted.inode = UInt64.max - 1
    #expect(try library.scan().classify([remounted]) == [.cached])
  }

  @Test func raisedAnalyzerVersionRunsThatAnalyzerAlone() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    let tempo2 = AnalyzerIdentity(id: "tempo", version: 2, digest: "o1")
    library.wanted = ScannedLibrary.wanted(tempo: tempo2)
    let night = try library.night { file in
      #expect(file.reason == .outdated)
      #expect(file.known == [ScannedLibrary.tags, ScannedLibrary.tempo, ScannedLibrary.chromaprint])
      return FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID(file.path.string), format: ScannedLibrary.format,
        outcomes: [AnalyzerOutcome(analyzer: tempo2, result: .finding(ScannedLibrary.tempoFinding(99)))])
    }
    #expect(night.scan.outdated == 1)
    let record = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(record.tempo == ScannedLibrary.tempoFinding(99))
    #expect(record.fingerprint?.value == "AQAA")
    #expect(record.tags?.fields["title"] == ["Title of a"])
    #expect(record.analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tags, tempo2])
    #expect(try library.night().scan.cached == 1)
  }

  @Test func otherConfigurationDigestIsOutdated() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    library.wanted = ScannedLibrary.wanted(tempo: AnalyzerIdentity(id: "tempo", version: 1, digest: "other"))
    #expect(
      try library.night(analyze: { ScannedLibrary.analysis(of: $0, tempo: library.wanted.members[1].identity) }).scan
        .outdated
        == 1)
  }

  @Test func fewerAnalyzersWantedIsNoReasonToRunOrToForget() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night()
    library.wanted.members.removeLast(2)
    #expect(try library.night().scan.cached == 1)
    library.wanted = ScannedLibrary.wanted()
    #expect(try library.night().scan.cached == 1)
  }

  @Test func movedFileKeepsItsResults() throws {
    let library = try ScannedLibrary()
    library.put("/music/old/a.flac", modified: 5_000_000_123)
    library.put("/music/b.flac")
    try library.night()
    let before = try #require(try library.store.record(at: "/music/old/a.flac"))
    library.move("/music/old/a.flac", to: "/music/new/z.flac")
    let night = try library.night()
    #expect(night.scan.moved == 1 && night.scan.cached == 2 && night.scan.vanished == 0)
    #expect(night.totals == RunTotals(cached: 2))
    var after = try #require(try library.store.record(at: "/music/new/z.flac"))
    after.path = before.path
    #expect(after == before)
    #expect(try library.store.record(at: "/music/old/a.flac") == nil)
  }

  /// The work for each of very many links does not grow with their number, whether they are new, known or moved.
  @Test(.timeLimit(.minutes(1))) func veryManyLinksOfOneFile() throws {
    let library = try ScannedLibrary()
    let first = library.put("/music/0")
    let names = (0..<12_000).map { FilePath("/music/links/\($0)") }
    func links(_ paths: [FilePath]) -> [FileStamp] {
      paths.map { path in
        var file = first
        file.path = path
        return file
      }
    }
    let lookCount = Mutex(0)
    func scan(_ paths: [FilePath]) throws -> ScanCounts {
      let present = Set(paths)
      try library.beginRun()
      let scan = ScanSession(
        store: library.store, run: library.run, wanted: library.wanted,
        pathExists: {
          lookCount.withLock { $0 += 1 }
          return present.contains($0)
        })
      for start in stride(from: 0, to: paths.count, by: 1_000) {
        _ = try scan.classify(links(Array(paths[start..<min(start + 1_000, paths.count)])))
      }
      return scan.counts
    }
    #expect(try scan(names).new == names.count)
    // Some were moved, and the walk meets new links before known ones.
    let moved = (0..<5_000).map { FilePath("/music/moved/\($0)") }
    let new = (0..<3_000).map { FilePath("/music/new/\($0)") }
    lookCount.withLock { $0 = 0 }
    let counts = try scan(moved + new + names.dropFirst(moved.count))
    #expect(counts.moved == moved.count && counts.new == names.count + new.count)
    #expect(lookCount.withLock { $0 } <= names.count)
  }

  @Test func hardLinkIsNoMove() throws {
    let library = try ScannedLibrary()
    var file = library.put("/music/a.flac")
    try library.night()
    file.path = "/music/link.flac"
    try library.beginRun()
    #expect(try library.scan().classify([file]) == [.pending(.new)])
  }

  @Test func swappedNamesLoseNothing() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", size: 10)
    library.put("/music/b.flac", size: 20)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "\($0.sizeBytes)") }
    library.move("/music/a.flac", to: "/music/t")
    library.move("/music/b.flac", to: "/music/a.flac")
    library.move("/music/t", to: "/music/b.flac")
    let night = try library.night { file in
      let audio = ScannedLibrary.decodingID("\(file.sizeBytes)")
      #expect((try? library.store.knownAudio(decodingID: audio)) != nil)
      return ScannedLibrary.analysis(of: file, audio: "\(file.sizeBytes)")
    }
    #expect(night.scan.changed == 2)
    #expect(try library.records().count == 2)
  }

  @Test func vanishedFileIsMarkedAndComesBackWithItsResults() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/b.flac")
    try library.night()
    let file = try #require(try library.store.record(at: "/music/b.flac"))
    library.remove("/music/b.flac")
    let night = try library.night()
    #expect(night.totals == RunTotals(cached: 1, vanished: 1))
    #expect(night.totals.seen == 2)
    #expect(try library.records().map(\.path) == ["/music/a.flac"])
    #expect(try library.records(RecordSelection(includesVanished: true)).map(\.isVanished) == [false, true])
    // A vanished file is counted once.
    #expect(try library.night().totals == RunTotals(cached: 1))
    library.put("/music/b.flac")
    #expect(try library.night().totals == RunTotals(cached: 2))
    #expect(try library.store.record(at: "/music/b.flac") == file)
  }

  @Test func vanishedFileIsFoundAgainElsewhere() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/b.flac", modified: 5_000_000_123)
    try library.night()
    library.move("/music/b.flac", to: "/elsewhere/b.flac")
    #expect(try library.night(scopes: [VanishScope(root: "/music")]).scan.vanished == 0)
    library.move("/elsewhere/b.flac", to: "/music/c.flac")
    let night = try library.night()
    #expect(night.scan.moved == 1 && night.scan.cached == 2)
  }

  @Test func onlyTrustedPlacesLoseFiles() throws {
    let library = try ScannedLibrary()
    for path in ["/music/a.flac", "/music/sub/b.flac", "/music/sub2/c.flac", "/music2/d.flac", "/disk/e.flac"] {
      library.put(FilePath(path))
    }
    try library.night()
    for path in ["/music/a.flac", "/music/sub/b.flac", "/music/sub2/c.flac", "/music2/d.flac", "/disk/e.flac"] {
      library.remove(FilePath(path))
    }
    let night = try library.night(scopes: [VanishScope(root: "/music", unreadable: ["/music/sub"])])
    #expect(night.scan.vanished == 2)
    #expect(try library.records().map(\.path) == ["/disk/e.flac", "/music/sub/b.flac", "/music2/d.flac"])
    #expect(try library.scan().knownFileCount(under: "/music") == 1)
    #expect(try library.scan().knownFileCount(under: "/") == 3)
    #expect(try library.scan().knownFileCount(under: "/disk/e.flac") == 1)
  }

  @Test func fileThatIsOnlyOutOfSightHasNotVanished() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a.flac")
    library.put("/music/ignored/b.flac")
    try library.night()
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify([file])
    #expect(try scan.markVanished(in: [VanishScope(root: "/music")]) == 0)
  }

  @Test func fileGivenTwiceCountsOnce() throws {
    let library = try ScannedLibrary()
    let file = library.put("/music/a.flac")
    try library.beginRun()
    let scan = library.scan()
    #expect(try scan.classify([file, file]) == [.pending(.new), .pending(.new)])
    _ = try scan.classify([file])
    #expect(scan.counts.new == 1 && scan.counts.pending == 1)
  }

  @Test func dryRunWritesNothing() throws {
    let library = try ScannedLibrary()
    let known = library.put("/music/a.flac")
    let moved = library.put("/music/b.flac", modified: 5_000_000_123)
    try library.night()
    let before = try library.records()
    library.move("/music/b.flac", to: "/music/c.flac")
    library.put("/music/new.flac")
    var movedTo = moved
    movedTo.path = "/music/c.flac"
    let scan = library.scan(ScanOptions(isDryRun: true))
    let new = FileStamp(path: "/music/new.flac", device: 7, inode: 1, sizeBytes: 1, modified: Timestamp(nanoseconds: 1))
    let verdicts = try scan.classify([known, movedTo, new, new])
    #expect(verdicts == [.cached, .cached, .pending(.new), .pending(.new)])
    try scan.skip([SkippedFile(path: "/music/x.jpg", code: "not_audio", message: "A picture.")])
    #expect(scan.counts.new == 1 && scan.counts.moved == 1 && scan.counts.skipped == 1)
    #expect(try library.records() == before)
  }

  @Test func forceMakesEverythingPending() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    library.put("/music/b.flac")
    try library.night()
    let night = try library.night(ScanOptions(force: true))
    #expect(night.scan.outdated == 2 && night.totals.analyzed == 2)
  }
}
