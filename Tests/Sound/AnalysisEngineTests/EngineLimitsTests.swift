import Analysis
import AnalysisTesting
import AudioDecoding
import DSP
import Foundation
import Platform
import SystemPackage
import Testing
import Text

@testable import AnalysisEngine

private let mono = Feed.samples(SampleLayout(rate: .native))

@Suite(.bounded) struct TimeLimitTests {
  @Test func usersSetSeconds() {
    for (seconds, processor, standstill) in [
      (500.0, 500.0, 500.0), (10, 10, 10), (9, 9, 10), (-3, 0, 10), (1e12, 1e12, 1e9),
    ] {
      let limit = TimeLimit(seconds: seconds)
      #expect(limit.processorSeconds == processor && limit.standstillSeconds == standstill && limit.perAudioSecond == 0)
      #expect(limit.processorSeconds(afterDecoding: 1_000) == processor)
    }
  }

  @Test func limitsGrowWithTheAudio() {
    let limit = TimeLimit.standard
    #expect(limit.processorSeconds == 120 && limit.perAudioSecond == 0.25 && limit.standstillSeconds == 300)
    #expect(limit.processorSeconds(afterDecoding: 0) == 120 && limit.processorSeconds(afterDecoding: 100) == 145)
    // A hundred hours; longer audio is considered endless.
    #expect(limit.processorSeconds(afterDecoding: 359_999) == 90_119.75)
    #expect(
      limit.processorSeconds(afterDecoding: 360_001) == 90_120 && limit.processorSeconds(afterDecoding: 1e9) == 90_120)
    #expect(limit.outerProcessorSeconds(afterDecoding: 0) == 160)
    #expect(limit.outerProcessorSeconds(afterDecoding: 100) == 191.25)
  }

  /// Less than a quarter of the file is stored.
  @Test func mostlyHoles() {
    let limit = TimeLimit.standard
    #expect(limit.processorSeconds(ofFileWith: 1_000, stored: 249) == 60)
    #expect(limit.processorSeconds(ofFileWith: 1_000, stored: 250) == nil)
  }

  @Test func comesBackAsJSON() throws {
    let limit = TimeLimit(processorSeconds: 1, perAudioSecond: 2, standstillSeconds: 3)
    #expect(
      try JSONValue(encoding: limit).canonicalText == #"{"processor_per_audio_s":2,"processor_s":1,"standstill_s":3}"#)
  }
}

@Suite(.bounded) struct StageClockTests {
  private func wait() {
    let start = MonotonicTime.nanoseconds
    while MonotonicTime.nanoseconds == start {}
  }

  @Test func stagesHaveTheirNames() throws {
    let clock = StageClock(isRunning: true)
    let stages: [(StageClock.Stage, String)] = [
      (.other, "other"), (.open, "open"), (.decode, "decode"), (.downmix, "downmix"), (.resample, "resample"),
      (.spectrum, "spectrum"), (.checksum, "checksum"), (clock.stage(ofAnalyzer: "a"), "analyzer a"),
      (clock.stage(ofAnalyzer: "b"), "analyzer b"), (clock.stage(ofAnalyzer: "a"), "analyzer a"),
    ]
    var before = clock.times?.total ?? 0
    for (stage, name) in stages {
      let known = clock.times?.seconds[name] ?? 0
      clock.enter(stage)
      wait()
      let times = try #require(clock.times)
      #expect(times.seconds[name] ?? 0 > known, "\(name)")
      #expect(times.total > before)
      before = times.total
    }
    #expect(Set(clock.times?.seconds.keys.map { $0 } ?? []) == Set(stages.map(\.1)))
  }

  @Test func theEndedStageIsReturned() {
    let clock = StageClock(isRunning: true)
    clock.enter(.decode)
    let outer = clock.enter(.spectrum)
    clock.enter(outer)
    wait()
    let times = clock.times
    #expect(times?.seconds["decode"] ?? 0 > 0)
    #expect(times?.total ?? 0 >= times?.seconds["decode"] ?? 0)
  }

  @Test func aClockThatDoesNotRunMeasuresNothing() {
    let clock = StageClock()
    clock.enter(.decode)
    wait()
    #expect(clock.times == nil)
  }
}

@Suite(.bounded) struct FileChecksumTests {
  private let directory: TemporaryDirectory
  private let bytes: [UInt8]

  init() throws {
    directory = try TemporaryDirectory()
    var random = SplitMix64(seed: 4)
    bytes = (0..<600_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test func theWholeAndTheAudioAreHashed() throws {
    let path = try directory.write(bytes, as: "a")
    let plain = try #require(try FileChecksum.reading(path))
    #expect(plain == FileChecksum(whole: ContentID(hashing: bytes), byteCount: 600_000))
    // The file is read in parts of 262,144 bytes.
    for audio: Range<Int64> in [
      0..<600_000, 100..<262_144, 262_144..<262_145, 262_000..<599_999, 5..<5, 599_000..<700_000,
    ] {
      let found = try #require(try FileChecksum.reading(path, audio: audio, fromDisk: audio.lowerBound == 100))
      let part = bytes[Int(audio.lowerBound)..<min(Int(audio.upperBound), bytes.count)]
      #expect(found.audioHash == ContentID(hashing: Array(part)), "\(audio)")
      #expect(found.audio == audio && found.whole == plain.whole && found.digests.isEmpty)
    }
    #expect(try FileChecksum.reading(directory.write([], as: "empty"))?.byteCount == 0)
  }

  @Test func digestsAreThoseOfOtherPrograms() throws {
    func hex(_ bytes: [UInt8]?) -> String? {
      bytes?.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    let path = try directory.write(Array("abc".utf8), as: "abc")
    let both = try #require(try FileChecksum.reading(path, kinds: [.sha256, .md5]))
    #expect(hex(both.digests[.md5]) == "900150983cd24fb0d6963f7d28e17f72")
    #expect(
      hex(both.digests[.sha256]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(try FileChecksum.reading(path, kinds: [.md5])?.digests.keys.map { $0 } == [.md5])
    #expect(try FileChecksum.reading(path, kinds: [.sha256])?.digests.keys.map { $0 } == [.sha256])
  }

  @Test func readingIsCanceledBetweenParts() throws {
    let path = try directory.write(bytes, as: "a")
    for limit in 1...5 {
      var count = 0
      let found = try FileChecksum.reading(path) {
        count += 1
        return count == limit
      }
      // Three parts, and the end.
      #expect((found == nil) == (limit <= 4))
    }
  }

  /// A folder, and a sparse file of a gigabyte.
  @Test func whatIsNoFileOfBytesHasNone() throws {
    #expect(try FileChecksum.reading(directory.path) == nil)
    let sparse = try directory.write([1], as: "sparse")
    try #require(truncate(sparse.string, 1 << 30) == 0)
    #expect(try FileChecksum.reading(sparse) == nil)
    #expect(throws: Errno.noSuchFileOrDirectory) { try FileChecksum.reading(directory.file("none")) }
  }
}

@Suite(.bounded) struct OpenedFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func onlyRegularFilesAreOpened() throws {
    #expect(OpenedFile(at: directory.path) == nil && OpenedFile(at: directory.file("none")) == nil)
    let name = try directory.write([1, 2, 3], as: "a")
    let file = try #require(OpenedFile(at: name))
    #expect(try file.path != name && Data(contentsOf: URL(filePath: file.path.string)) == Data([1, 2, 3]))
    #expect(file.extent?.size == 3 && file.extent?.stored == 3)
  }

  @Test func changesAreSeen() throws {
    let name = try directory.write([1, 2, 3], as: "a")
    let file = try #require(OpenedFile(at: name))
    #expect(!file.hasChanged)
    try directory.write([1, 2, 3, 4], as: "a")
    #expect(file.hasChanged)
  }

  /// A file that loses its name is still the same.
  @Test func aReplacedFileStaysTheSame() throws {
    let name = try directory.write([1, 2, 3], as: "a")
    let file = try #require(OpenedFile(at: name))
    let other = try directory.write([4, 5, 6], as: "b")
    try #require(rename(other.string, name.string) == 0)
    #expect(!file.hasChanged)
    #expect(try Data(contentsOf: URL(filePath: file.path.string)) == Data([1, 2, 3]))
  }

  @Test func holesAreNotStored() throws {
    let name = try directory.write([UInt8](repeating: 1, count: 100_000), as: "a")
    try #require(truncate(name.string, 1 << 28) == 0)
    let extent = try #require(OpenedFile(at: name)?.extent)
    #expect(extent.size == 1 << 28 && (100_000..<1_000_000).contains(extent.stored))
  }
}

@Suite(.bounded) struct FileAnalyzerLimitsTests {
  private let directory: TemporaryDirectory
  private let tone = Signal.sine(440, sampleRate: 8_000, seconds: 2)

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func analyzer(_ plugins: [AnalyzerPlugin] = [Probe.plugin("probe", mono)], verifies: Bool = false)
    -> FileAnalyzer
  {
    FileAnalyzer(plugins: plugins, resampler: .soxr, verifiesChecksums: verifies)
  }

  @Test func progressIsReportedEveryTenSeconds() throws {
    let path = try directory.write(.silence(sampleRate: 8_000, seconds: 45), as: "a.wav")
    var reported: [Double] = []
    _ = analyzer().analyze(AnalysisJob(path: path), hasDecoded: { reported.append($0) })
    #expect(reported.count == 4 && zip([0] + reported, reported).allSatisfy { $1 - $0 >= 10 && $1 - $0 < 13 })
    var none: [Double] = []
    let short = try directory.write(.silence(sampleRate: 8_000, seconds: 9), as: "b.wav")
    _ = analyzer().analyze(AnalysisJob(path: short), hasDecoded: { none.append($0) })
    #expect(none.isEmpty)
  }

  @Test func stagesAreAnnounced() throws {
    func stages(_ name: String, _ bytes: [UInt8], analyzers: Set<String>? = nil) throws -> [Problem.Stage] {
      var stages: [Problem.Stage] = []
      let job = AnalysisJob(path: try directory.write(bytes, as: name), analyzers: analyzers)
      _ = analyzer().analyze(job, enter: { stages.append($0) })
      return stages
    }
    #expect(try stages("a.wav", WAVFile(tone).bytes) == [.open, .decode, .analyze])
    #expect(try stages("b.wav", WAVFile(tone).bytes, analyzers: []) == [.open, .analyze])
    #expect(try stages("c.mp3", []) == [.open, .analyze])
  }

  @Test func knownAudioIsLookedUp() throws {
    let path = try directory.write(tone, as: "a.wav")
    let first = try #require(analyzer().analyze(AnalysisJob(path: path)))
    let id = try #require(first.decodingID)
    let known = KnownAudio(decodingID: id, analyzers: Set(first.outcomes.map(\.analyzer)), format: first.format)
    var asked: [ContentID] = []
    let again = try #require(
      analyzer().analyze(
        AnalysisJob(path: path),
        findAudio: {
          asked.append($0)
          return known
        }))
    #expect(asked == [id] && again.reusesKnownAudio && again.outcomes.isEmpty && again.format == first.format)
    // Verifying needs the samples, unless the job says that nothing is to be decoded.
    let verified = try #require(analyzer(verifies: true).analyze(AnalysisJob(path: path), findAudio: { _ in known }))
    #expect(!verified.reusesKnownAudio && verified.decodedDuration == 2)
    var job = AnalysisJob(path: path)
    job.decodesNothing = true
    let unverified = try #require(analyzer(verifies: true).analyze(job, findAudio: { _ in known }))
    #expect(unverified.reusesKnownAudio && unverified.decodedDuration == nil)
  }

  @Test func aFileThatChangesIsPartial() throws {
    let path = try directory.write(tone, as: "a.wav")
    var job = AnalysisJob(path: path)
    job.digests = []
    let unchanged = try #require(analyzer().analyze(job))
    #expect(unchanged.status == .ok && unchanged.checksum?.byteCount == 32_044 && unchanged.checksum?.audio != nil)
    #expect(unchanged.checksum?.digests.isEmpty == true)
    let changed = try #require(
      analyzer().analyze(
        job,
        enter: { stage in
          if stage == .analyze { _ = try? directory.write(WAVFile(tone).bytes + [0], as: "a.wav") }
        }))
    #expect(changed.status == .partial && changed.problem?.code == "changed_while_reading")
    #expect(
      changed.problem?.stage == .decode && changed.problem?.message.contains("next run analyzes it again") == true)
    #expect(
      changed.contentID == nil && changed.decodingID == nil && changed.checksum == nil && !changed.reusesKnownAudio)
    #expect(changed.outcomes.count == 1)
    #expect(analyzer().analyze(AnalysisJob(path: path))?.checksum == nil)
  }

  @Test func aFailureStaysOne() {
    var analysis = FileAnalysis(status: .failed, contentID: ContentID(high: 1, low: 1), reusesKnownAudio: true)
    analysis.note(code: "gone", "It vanished.")
    #expect(
      analysis.status == .failed && analysis.problem?.code == "gone" && analysis.problem?.message == "It vanished.")
    #expect(analysis.contentID == nil && !analysis.reusesKnownAudio)
  }

  @Test func theLimitIsTold() throws {
    let path = try directory.write(.silence(sampleRate: 8_000, seconds: 60), as: "a.wav")
    var time = 0.0
    let found = analyzer().analyze(
      AnalysisJob(path: path, timeLimit: TimeLimit(processorSeconds: 7, perAudioSecond: 0, standstillSeconds: 1)),
      processorTime: {
        time += 2
        return time
      })
    // The time is read once at the start, and after each of the blocks of 2.05 s.
    #expect(found?.problem?.stage == .analyze)
    #expect(
      found?.problem?.message.hasPrefix("The analysis took too much processor time: 10 s for 8 s of audio.") == true)
  }

  /// Between blocks, before the checksum, and before the analyzers that read the file.
  @Test func cancellationIsAskedFor() throws {
    let path = try directory.write(tone, as: "a.wav")
    var job = AnalysisJob(path: path)
    job.digests = []
    var count = 0
    _ = analyzer().analyze(
      job,
      isCancelled: {
        count += 1
        return false
      })
    for limit in 1...count {
      var asked = 0
      let found = analyzer().analyze(
        job,
        isCancelled: {
          asked += 1
          return asked >= limit
        })
      #expect(found == nil && asked >= limit)
    }
  }

  @Test func jobsKeepTheirFlags() throws {
    var job = AnalysisJob(path: "/a", isProfiled: true)
    job.digests = [.md5]
    job.decodesNothing = true
    #expect(try JSONDecoder().decode(AnalysisJob.self, from: JSONEncoder().encode(job)) == job)
    let text = try JSONValue(encoding: job).canonicalText
    for part in [#""profile":true"#, #""decodes_nothing":true"#, #""digests":["md5"]"#] { #expect(text.contains(part)) }
    let plain = try JSONDecoder().decode(AnalysisJob.self, from: Data(#"{"path":"/a","known_audio":[]}"#.utf8))
    #expect(plain == AnalysisJob(path: "/a") && !plain.isProfiled && !plain.decodesNothing && plain.digests == nil)
  }

  @Test func singleFilesHaveTheLimit() throws {
    let analysis = SingleFileAnalysis(timeLimit: TimeLimit(seconds: 12)) { job, request in
      let message = "\(job.path) \(job.timeLimit?.processorSeconds ?? 0) \(request.name)"
      return FileAnalysis(status: .ok, problem: Problem(stage: .open, code: "told", message: message))
    }
    let request = SingleFileAnalysis.Request(name: "beats", analyzers: [], kinds: [])
    #expect(try analysis("/a", request)?.problem?.message == "/a 12.0 beats")
  }

  // MARK: - Rates

  /// Ratios of sample rates below 256.
  @Test(arguments: [(173, true), (172, false), (11_289_599, true), (11_289_600, false)]) func ratios(
    rate: Int, isPossible: Bool
  ) throws {
    let format = AudioFormat(
      container: "wav", codec: "pcm_float", sampleRate: 44_100, channelCount: 1, isLossless: true)
    for channels in [SampleLayout.Channels.mono, .native] {
      let graph = FeedGraph(
        plugins: [Probe.plugin("probe", .samples(SampleLayout(rate: .hertz(rate), channels: channels)))],
        file: AudioFile(path: "/a.wav", format: format), format: format, encoding: SampleEncoding(sampleType: .float),
        resampler: .soxr)
      var block = AudioBlock(channelCount: 1)
      block.frameCount = 10
      graph.push(block)
      let outcome = try #require(graph.finish().first)
      #expect((outcome.failure == nil) == isPossible)
      if !isPossible { #expect(outcome.failure == "Audio at 44100 Hz cannot be resampled to \(rate) Hz.") }
    }
  }
}
