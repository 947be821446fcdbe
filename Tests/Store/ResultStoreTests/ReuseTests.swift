import Analysis
import AnalysisTesting
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@Suite(.bounded) struct ReuseTests {
  private func retagged(_ file: PendingFile, title: String, audio: String) -> FileAnalysis {
    FileAnalysis(
      status: .ok, contentID: ScannedLibrary.contentID(audio), decodingID: ScannedLibrary.decodingID(audio),
      format: ScannedLibrary.format,
      reusesKnownAudio: true,
      outcomes: [
        AnalyzerOutcome(analyzer: ScannedLibrary.tags, result: .finding(ScannedLibrary.tagFinding(title: title)))
      ])
  }

  /// An estimate is distinguished from a claim, and is a length for readers of the table.
  @Test func estimatedLengthsComeBack() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.mp3")
    var format = ScannedLibrary.format
    format.frameCount = nil
    format.claimedFrameCount = nil
    format.estimatedFrameCount = 441_000
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.format = format
      return analysis
    }
    let stored = try #require(try library.store.record(at: "/music/a.mp3")?.format)
    #expect(stored == format)
    #expect(stored.durationIsEstimated && stored.duration == 10)
  }

  @Test func retaggedFileKeepsTempoAndFingerprint() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { ScannedLibrary.analysis(of: $0, title: "Old", audio: "sound") }
    library.put("/music/a.flac", size: 1010)
    let night = try library.night { file in
      #expect(file.knownAudio.first?.decodingID == ScannedLibrary.decodingID("sound"))
      #expect(file.knownAudio.first?.format == ScannedLibrary.format)
      #expect(file.knownAudio.first?.analyzers == [ScannedLibrary.chromaprint, ScannedLibrary.tempo])
      return retagged(file, title: "New", audio: "sound")
    }
    #expect(night.written.reused == 1)
    let record = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(record.tags?.fields["title"] == ["New"])
    #expect(record.tempo == ScannedLibrary.tempoFinding() && record.fingerprint != nil)
    #expect(try library.night().scan.cached == 1)
  }

  /// Cues computed along with sections stay current for a run without sections, and are reused for copies.
  @Test func findingsMadeBesideMoreAreKept() throws {
    let library = try ScannedLibrary()
    let rich = AnalyzerIdentity(id: "cues", version: 1, digest: "beside sections")
    let plain = AnalyzerIdentity(id: "cues", version: 1, digest: "alone")
    func cues(_ file: PendingFile) -> FileAnalysis {
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.outcomes.append(AnalyzerOutcome(analyzer: rich, result: .notApplicable("too short")))
      return analysis
    }
    library.wanted = ScannedLibrary.wanted(extra: [rich])
    library.put("/music/a.flac")
    try library.night(analyze: cues)

    library.wanted = ScannedLibrary.wanted(extra: [plain])
    #expect(try library.night(analyze: cues).scan.outdated == 1)
    library.wanted.members[3].superseding = [rich]
    #expect(try library.night().scan.cached == 1)
    library.put("/music/copy.flac")
    try library.night { retagged($0, title: "Copy", audio: "sound") }
    #expect(try library.night().scan.cached == 2)
  }

  @Test func copyTakesOverWhatTheOriginalHas() throws {
    let library = try ScannedLibrary()
    let key = AnalyzerIdentity(id: "key", version: 1, digest: "")
    let signature = AnalyzerIdentity(id: "signature", version: 1, digest: "")
    library.wanted = ScannedLibrary.wanted(extra: [key, signature])
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, title: "Original", audio: "sound")
      analysis.outcomes += [
        AnalyzerOutcome(analyzer: key, result: .finding(JSONFinding(.object(["key": .string("C#m")])))),
        AnalyzerOutcome(
          analyzer: signature, result: .finding(SignatureFinding(version: 1, landmarkCount: 2, data: [1, 2, 3]))),
      ]
      analysis.outcomes[2].result = .notApplicable("Too short.")
      return analysis
    }
    library.put("/music/copy.flac")
    try library.night { file in
      #expect(file.knownAudio.map(\.decodingID) == [ScannedLibrary.decodingID("sound")])
      return retagged(file, title: "Copy", audio: "sound")
    }
    var original = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    var copy = try #require(try library.store.record(at: "/music/copy.flac", long: ["beats"]))
    #expect(copy.tags?.fields["title"] == ["Copy"])
    #expect(copy.otherFindings == ["key": .object(["key": .string("C#m")])])
    #expect(copy.signature?.landmarkCount == 2)
    #expect(copy.analyzerProblems.map(\.analyzer) == ["chromaprint"])
    original.path = copy.path
    original.analyzed = copy.analyzed
    original.tags = nil
    copy.tags = nil
    #expect(copy == original)
    #expect(try library.night().scan.cached == 2)
  }

  @Test(arguments: [Problem.timeLimit, "corrupt"]) func whatIsNotWholeIsNotForOthers(code: String) throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.status = .partial
      analysis.problem = Problem(stage: .decode, code: code, message: "The rest was left out.")
      return analysis
    }
    library.put("/music/copy.flac")
    try library.night { file in
      #expect(file.knownAudio.isEmpty)
      #expect((try? library.store.knownAudio(decodingID: ScannedLibrary.decodingID("sound"))) == nil)
      return ScannedLibrary.analysis(of: file, audio: "sound")
    }
    // Two files, one of them intact.
    #expect(try library.store.knownAudio(decodingID: ScannedLibrary.decodingID("sound")) != nil)
  }

  @Test func vanishedOriginalServesACopyAsWell() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    library.remove("/music/a.flac")
    library.put("/music/elsewhere.flac", size: 2000)
    let night = try library.night { file in
      #expect(file.knownAudio.isEmpty)
      #expect((try? library.store.knownAudio(decodingID: ScannedLibrary.decodingID("sound"))) != nil)
      return retagged(file, title: "Moved by copying", audio: "sound")
    }
    #expect(night.totals == RunTotals(analyzed: 1, vanished: 1))
    #expect(try library.store.record(at: "/music/elsewhere.flac")?.tempo != nil)
  }

  @Test func nothingIsTakenFromOtherAudioOrOtherVersions() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    // The audio is known, but not to the wanted version of the tempo analyzer.
    library.wanted = ScannedLibrary.wanted(tempo: AnalyzerIdentity(id: "tempo", version: 2, digest: "o1"))
    library.put("/music/copy.flac")
    library.put("/music/other.flac")
    try library.night { file in
      switch file.path.stem {
      case "copy": retagged(file, title: "x", audio: "sound")
      case "other": retagged(file, title: "x", audio: "other sound")
      default: nil
      }
    }
    let copy = try #require(try library.store.record(at: "/music/copy.flac"))
    #expect(copy.tempo == nil && copy.fingerprint != nil)
    let other = try #require(try library.store.record(at: "/music/other.flac"))
    #expect(other.tempo == nil && other.fingerprint == nil)
    // A missing analysis is still due.
    #expect(try library.night(analyze: { _ in nil }).scan.outdated == 3)
  }

  /// The intact copy may offer its findings, depending on timing; the damaged one has none to give.
  @Test func findingsOfADamagedFileDoNotOutliveIt() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.status = .partial
      analysis.problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
      return analysis
    }
    library.put("/music/a.flac", size: 1010)
    try library.night { retagged($0, title: "x", audio: "sound") }
    let record = try #require(try library.store.record(at: "/music/a.flac"))
    #expect(record.tempo == nil && record.fingerprint == nil)
  }

  /// Only tags were requested, so the audio was not read.
  @Test func whatIsKnownOfAFileStaysWhereNothingWasDecoded() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    let problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
    let remark = Problem(stage: .decode, code: "junk", message: "Junk.")
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      analysis.status = .partial
      analysis.problem = problem
      analysis.remarks = [remark]
      return analysis
    }
    let tags = AnalyzerIdentity(id: "tags", version: 2, digest: "")
    library.wanted = ScannedLibrary.wanted(tags: tags)
    let night = try library.night { _ in
      FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("sound"), format: nil,
        outcomes: [AnalyzerOutcome(analyzer: tags, result: .finding(ScannedLibrary.tagFinding(title: "New")))])
    }
    #expect(night.written.partial == 1 && night.written.newlyDamaged == 0)
    let record = try #require(try library.store.record(at: "/music/a.flac"))
    #expect(record.status == .partial && record.problem == problem && record.remarks == [remark])
    #expect(record.format == ScannedLibrary.format && record.tempo != nil && record.tags?.fields["title"] == ["New"])
  }

  @Test func changedAudioLeavesNothingStale() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    library.put("/music/a.flac", size: 2000)
    try library.night { file in
      FileAnalysis(
        status: .ok, contentID: ScannedLibrary.contentID("other sound"), format: nil,
        outcomes: [AnalyzerOutcome(analyzer: ScannedLibrary.tempo, result: .failed("No."))])
    }
    let record = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(record.tags == nil && record.tempo == nil && record.fingerprint == nil && record.format == nil)
    #expect(record.analyzers == [ScannedLibrary.tempo])
  }

  @Test func manyFilesOfOneSizeAreNotAllOffered() throws {
    let library = try ScannedLibrary()
    for index in 0..<30 { library.put(FilePath("/music/\(index).wav"), size: 44) }
    try library.night()
    library.put("/music/new.wav", size: 44)
    let night = try library.night()
    #expect((1...9).contains(try #require(night.pending.first).knownAudio.count))
  }
}
