import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Results of several analyses of one file, and of several files with the same audio.
@Suite(.bounded) struct StoredResultTests {
  private static let path: FilePath = "/music/a.flac"
  private static let key = AnalyzerIdentity(id: "key", version: 1, digest: "k1")

  /// Result for a file whose audio the pipeline knows: nothing but the given outcomes was made.
  private static func reusing(_ audio: String, _ outcomes: [AnalyzerOutcome] = []) -> FileAnalysis {
    FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID(audio), decodingID: ScannedLibrary.decodingID(audio),
      format: ScannedLibrary.format, reusesKnownAudio: true, outcomes: outcomes)
  }

  private static func tempo(_ bpm: Double, version: Int = 1) -> AnalyzerOutcome {
    AnalyzerOutcome(
      analyzer: AnalyzerIdentity(id: "tempo", version: version, digest: "o1"),
      result: .finding(ScannedLibrary.tempoFinding(bpm)))
  }

  private func library(_ analyze: (PendingFile) -> FileAnalysis) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put(Self.path)
    try library.night(analyze: analyze)
    return library
  }

  // MARK: - Formats

  /// All values of a format differ, so none can stand in for another.
  @Test(arguments: [
    AudioFormat(
      container: "mp4", codec: "alac", sampleRate: 48_000, channelCount: 6, bitDepth: 24, bitRate: 900_123,
      isLossless: true, claimedFrameCount: 441_003, frameCount: 441_007),
    AudioFormat(
      container: "mp3", codec: "mp3", sampleRate: 44_100, channelCount: 1, bitRate: 128_000, isLossless: false,
      frameCount: 11),
    AudioFormat(
      container: "mp3", codec: "mp3", sampleRate: 44_100, channelCount: 1, isLossless: false, estimatedFrameCount: 12,
      frameCount: 13),
  ])
  func formatsComeBack(format: AudioFormat) throws {
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.format = format
      return analysis
    }
    #expect(try library.store.record(at: Self.path)?.format == format)
    // The format of a later analysis replaces it, although the file is unchanged.
    try library.night(ScanOptions(force: true))
    #expect(try library.store.record(at: Self.path)?.format == ScannedLibrary.format)
  }

  // MARK: - Counts

  @Test func everyResultCounts() throws {
    let library = try ScannedLibrary()
    for name in ["ok1", "ok2", "ok3", "partial1", "partial2", "failed"] { library.put(FilePath("/music/\(name)")) }
    let night = try library.night { file in
      if file.path.string.hasSuffix("failed") { return ScannedLibrary.broken }
      var analysis = ScannedLibrary.analysis(of: file)
      if file.path.string.contains("partial") {
        analysis.status = .partial
        analysis.problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
      }
      return analysis
    }
    let counts = night.written
    #expect(counts.analyzed == 3 && counts.partial == 2 && counts.failed == 1 && counts.all == 6)
    #expect(counts.newlyFailed == 1 && counts.newlyDamaged == 2 && counts.unsettled == 0 && counts.reused == 0)
    #expect(WriteCounts().all == 0)
  }

  /// Damage is no failure, so a damaged file that fails begins a new series; one that goes on failing does not.
  @Test func failureAfterDamageIsNew() throws {
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.status = .partial
      analysis.problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
      return analysis
    }
    let second = try library.night(ScanOptions(force: true)) { _ in ScannedLibrary.broken }
    #expect(second.written.newlyFailed == 1)
    #expect(try library.store.newFailureGroups(in: second.run, examples: 1).map(\.count) == [1])
    #expect(try library.store.history(at: Self.path)?.failedAttempts == 1)
    let third = try library.night(ScanOptions(force: true)) { _ in ScannedLibrary.broken }
    #expect(third.written.newlyFailed == 0)
    #expect(try library.store.newFailureGroups(in: third.run, examples: 1).isEmpty)
    let history = try #require(try library.store.history(at: Self.path))
    #expect(history.failedAttempts == 2 && history.firstFailedRun == second.run)
  }

  @Test func resultWithoutAReasonGetsOne() throws {
    let library = try library { _ in FileAnalysis(status: .failed) }
    let problem = try #require(try library.store.record(at: Self.path)?.problem)
    #expect(problem.stage == .analyze && problem.code == "unexplained" && problem.message.hasSuffix("."))
  }

  // MARK: - Quarantine

  private static let lost = FileAnalysis(
    status: .failed, problem: Problem(stage: .decode, code: "worker_crashed", message: "It crashed."),
    workerLoss: WorkerLoss(cause: .signal(6), stage: .decode))

  /// An intact file whose worker is lost in a later analysis is lost for the first time, and loses no findings.
  @Test func firstLossOfAKnownFile() throws {
    let library = try library { ScannedLibrary.analysis(of: $0) }
    try library.night(ScanOptions(force: true)) { _ in Self.lost }
    let quarantine = try #require(try library.store.history(at: Self.path)?.quarantine)
    #expect(quarantine.losses == 1 && quarantine.signal == 6)
    #expect(quarantine.until.nanoseconds - quarantine.failed.nanoseconds == 86_400 * 1_000_000_000)
    #expect(try library.store.record(at: Self.path)?.tempo != nil)
  }

  @Test func quarantineListTellsAllAboutEachFile() throws {
    let library = try ScannedLibrary()
    for name in ["c", "a", "b", "gone"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in file.path == "/music/b" ? ScannedLibrary.broken : Self.lost }
    library.remove("/music/gone")
    try library.night(analyze: { _ in nil })
    let list = try library.store.quarantined(limit: 10)
    #expect(list.map(\.path) == ["/music/a", "/music/c"])
    for item in list {
      #expect(item.problem == Self.lost.problem)
      #expect(item.quarantine == (try library.store.history(at: item.path)?.quarantine))
    }
    #expect(try library.store.quarantined(limit: 2).count == 2)
    #expect(try library.store.quarantined(limit: 1).map(\.path) == ["/music/a"])
  }

  // MARK: - Later analyses of the same file

  /// The stored format of a file comes from decoding; headers read beside the tags do not replace it.
  @Test func tagsAloneKeepTheDecodedFormat() throws {
    let problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
    let remarks = [
      Problem(stage: .decode, code: "junk", message: "Junk."), Problem(stage: .open, code: "odd_tag", message: "Odd."),
    ]
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      (analysis.status, analysis.problem, analysis.remarks) = (.partial, problem, remarks)
      return analysis
    }
    let tags = AnalyzerIdentity(id: "tags", version: 2, digest: "")
    library.wanted = ScannedLibrary.wanted(tags: tags)
    var header = ScannedLibrary.format
    header.frameCount = 7
    let note = Problem(stage: .open, code: "other_tag", message: "Other.")
    try library.night { _ in
      FileAnalysis(
        status: .ok, remarks: [note], contentID: ScannedLibrary.contentID("sound"), format: header,
        outcomes: [AnalyzerOutcome(analyzer: tags, result: .finding(ScannedLibrary.tagFinding(title: "New")))])
    }
    let record = try #require(try library.store.record(at: Self.path))
    #expect(record.status == .partial && record.problem == problem && record.format == ScannedLibrary.format)
    // Remarks on the audio stay, and those on the tags are made anew.
    #expect(record.remarks == [note, remarks[0]])
  }

  /// A tag reader that runs alone neither repeats nor removes what an audio analyzer failed on.
  @Test func failedAnalyzerStaysFailedBesideNewTags() throws {
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.outcomes[1].result = .failed("No.")
      return analysis
    }
    let tags = AnalyzerIdentity(id: "tags", version: 2, digest: "")
    library.wanted = ScannedLibrary.wanted(tags: tags)
    try library.night { _ in
      FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("sound"),
        outcomes: [AnalyzerOutcome(analyzer: tags, result: .finding(ScannedLibrary.tagFinding(title: "New")))])
    }
    #expect(try library.store.record(at: Self.path)?.analyzerProblems.map(\.analyzer) == ["tempo"])
    #expect(try library.night().scan.cached == 1)
    // The audio is still known by its id, so copies can use what was found.
    #expect(try library.store.knownAudio(decodingID: ScannedLibrary.decodingID("sound")) != nil)
  }

  @Test func removedAnalyzerIsDueAgain() throws {
    let library = try ScannedLibrary()
    library.wanted = ScannedLibrary.wanted(extra: [Self.key])
    library.put(Self.path)
    func analyze(_ file: PendingFile) -> FileAnalysis {
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes.append(AnalyzerOutcome(analyzer: Self.key, result: .notApplicable("Too short.")))
      return analysis
    }
    try library.night(analyze: analyze)
    library.put(Self.path, size: 7)
    library.wanted = ScannedLibrary.wanted()
    try library.night()
    #expect(try library.night().scan.cached == 1)
    library.wanted = ScannedLibrary.wanted(extra: [Self.key])
    #expect(try library.night(analyze: { _ in nil }).scan.outdated == 1)
  }

  /// A changed file that cannot be read has none of its former ids.
  @Test func changedFileLosesItsIds() throws {
    let library = try library { ScannedLibrary.analysis(of: $0, audio: "sound") }
    let decodingID = ScannedLibrary.decodingID("sound")
    library.put(Self.path, size: 7)
    try library.night { _ in
      FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("other sound"), format: ScannedLibrary.format,
        outcomes: [AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(TagFinding()))])
    }
    #expect(try library.store.knownAudio(decodingID: decodingID) == nil)
    library.put(Self.path, size: 8)
    try library.night { _ in ScannedLibrary.broken }
    #expect(try library.store.record(at: Self.path)?.contentID == nil)
  }

  /// Outcomes for a touched file that could not be decoded: it may be a different one unless the system is the cause.
  @Test(arguments: ["corrupt", "odd", "read_error", "unreadable", nil] as [String?], [false, true])
  func touchedFileThatFails(code: String?, isLoss: Bool) throws {
    let library = try ScannedLibrary()
    library.put(Self.path, statusChanged: 6_500_000_000)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    library.put(Self.path, statusChanged: 7_500_000_000)
    try library.night { _ in
      FileAnalysis(
        status: .failed, problem: code.map { Problem(stage: .decode, code: $0, message: "No.") },
        workerLoss: isLoss ? WorkerLoss(cause: .signal(6), stage: .decode) : nil)
    }
    let record = try #require(try library.store.record(at: Self.path))
    let isKept = isLoss || code == "read_error" || code == "unreadable"
    #expect((record.tempo != nil) == isKept && (record.contentID != nil) == isKept)
  }

  // MARK: - Files with the same audio

  /// The findings of the file itself come before those of copies, and a copy gives only what is missing.
  @Test func ownFindingsComeBeforeThoseOfCopies() throws {
    let library = try ScannedLibrary()
    library.put("/music/1-copy.flac")
    library.put(Self.path)
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.outcomes[1] = Self.tempo(file.path == Self.path ? 126 : 99)
      return analysis
    }
    library.put(Self.path, size: 7)
    try library.night { _ in Self.reusing("sound") }
    let record = try #require(try library.store.record(at: Self.path, long: ["beats"]))
    #expect(record.tempo == ScannedLibrary.tempoFinding(126))
    // Tags belong to each file alone.
    #expect(record.tags == nil && record.analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tempo])
  }

  /// A copy that was analyzed by a later version replaces the own outcome of an earlier one.
  @Test func laterVersionIsTakenFromACopy() throws {
    let library = try ScannedLibrary()
    library.put(Self.path)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    let tempo2 = AnalyzerIdentity(id: "tempo", version: 2, digest: "o1")
    library.wanted = ScannedLibrary.wanted(tempo: tempo2)
    library.put("/music/copy.flac")
    try library.night { file in
      if file.path == Self.path { return nil }
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound", tempo: tempo2)
      analysis.outcomes[1] = Self.tempo(99, version: 2)
      return analysis
    }
    library.put(Self.path, size: 7)
    let tags = AnalyzerOutcome(
      analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: "New")))
    try library.night { _ in Self.reusing("sound", [tags]) }
    let record = try #require(try library.store.record(at: Self.path, long: ["beats"]))
    #expect(record.analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tags, tempo2])
    #expect(record.tempo == ScannedLibrary.tempoFinding(99))
    #expect(try library.night().scan.cached == 2)
    #expect(try library.store.check() == [])
  }

  /// Outcomes keep their kind when they are copied: one that does not apply is not tried again, and a failed one is.
  @Test(arguments: [false, true]) func copiedOutcomesKeepTheirKind(hasFailed: Bool) throws {
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.outcomes[2].result = hasFailed ? .failed("No.") : .notApplicable("Too short.")
      return analysis
    }
    library.put("/music/copy.flac")
    let tags = AnalyzerOutcome(
      analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: "Copy")))
    try library.night { _ in Self.reusing("sound", [tags]) }
    let scan = try library.night(ScanOptions(retryFailed: true), analyze: { _ in nil }).scan
    #expect(scan.retried == (hasFailed ? 2 : 0) && scan.cached == (hasFailed ? 0 : 2))
  }

  @Test func remarksComeWithKnownAudio() throws {
    let remark = Problem(stage: .decode, code: "junk", message: "Junk.")
    let library = try library { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.remarks = [remark]
      analysis.outcomes[2].result = .failed("No.")
      return analysis
    }
    let expected = KnownAudio(
      decodingID: ScannedLibrary.decodingID("sound"), analyzers: [ScannedLibrary.tempo], format: ScannedLibrary.format,
      remarks: [remark])
    #expect(try library.store.knownAudio(decodingID: expected.decodingID) == expected)
    library.put("/music/copy.flac")
    let night = try library.night()
    #expect(night.pending.map(\.knownAudio) == [[expected]])
  }
}
