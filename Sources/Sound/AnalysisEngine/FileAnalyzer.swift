public import Analysis
internal import AudioDecoding
public import DSP
public import Platform

/// Analyzes one file, from opening it to the findings. The call blocks while decoding, so use it on a worker thread or
/// in a worker process.
public struct FileAnalyzer: Sendable {
  private let plugins: [AnalyzerPlugin]
  private let resampler: ResamplerKind
  private let readsToEnd: Bool
  private let verifiesChecksums: Bool

  /// - Parameters:
  ///   - plugins: All analyzers of the pipeline. Outcomes have the same order.
  ///   - readsToEnd: `true` to decode to the end even if no analyzer wants more, in order to find damage and wrong
  ///     durations.
  ///   - verifiesChecksums: `true` to decode every file, even if its audio is known, and to compare the audio with the
  ///     checksum in the file's header, unless the job has `decodesNothing`.
  public init(
    plugins: [AnalyzerPlugin], resampler: ResamplerKind, readsToEnd: Bool = true, verifiesChecksums: Bool = false
  ) {
    self.plugins = plugins
    self.resampler = resampler
    self.readsToEnd = readsToEnd
    self.verifiesChecksums = verifiesChecksums
  }

  /// Analyzes a file: identifies its audio, decodes the audio if some analyzers have no stored outcome for it, and runs
  /// these analyzers. Verifying checksums also requires decoding. Analyzers that read the file itself run even if there
  /// is no audio.
  ///
  /// The status, the problem and the remarks about the container always describe this file. The outcomes of known audio
  /// are reused only if this file and the one they come from are undamaged and decoders receive the same input from
  /// both. When in doubt, this file is decoded.
  ///
  /// - Parameters:
  ///   - isCancelled: Called between blocks and between stages.
  ///   - findAudio: Looks up audio by its `decodingID` if it is not among the job's known audio.
  ///   - enter: Called before each stage, so that an observer can tell in which stage this process crashed.
  ///   - hasDecoded: Called after every ten seconds of audio with the number of seconds decoded so far.
  ///   - processorTime: Returns the processor time of this thread in seconds.
  /// - Returns: `nil` if the analysis was canceled. Any other failure is part of the result.
  public func analyze(
    _ job: AnalysisJob, isCancelled: () -> Bool = { false }, findAudio: (ContentID) -> KnownAudio? = { _ in nil },
    enter: (Problem.Stage) -> Void = { _ in }, hasDecoded: (Double) -> Void = { _ in },
    processorTime: () -> Double = { ProcessorTime.ofThisThread }
  ) -> FileAnalysis? {
    let start = processorTime()
    let clock = StageClock(isRunning: job.isProfiled)
    let verifiesChecksums = verifiesChecksums && !job.decodesNothing
    let chosen = plugins.filter { job.analyzers?.contains($0.id) ?? true }
    // Adds the analyzers whose findings `members` read, even if those findings are known.
    func withAllTheyRead(_ members: [AnalyzerPlugin]) -> [AnalyzerPlugin] {
      plugins.selecting(Set(members.map(\.id)))
    }
    let audioPlugins = chosen.filter { $0.feed != .file }
    var analysis = FileAnalysis(status: .ok)
    var outcomes: [AnalyzerOutcome] = []
    var audioBytes: Range<Int>?

    enter(.open)
    clock.enter(.open)
    let openedFile = OpenedFile(at: job.path)
    let path = openedFile?.path ?? job.path
    let storedLimit = openedFile?.extent.flatMap {
      job.timeLimit?.processorSeconds(ofFileWith: $0.size, stored: $0.stored)
    }
    func isLate(_ audio: Double) -> Bool {
      guard let limit = job.timeLimit else { return false }
      return processorTime() - start >= min(limit.processorSeconds(afterDecoding: audio), storedLimit ?? .infinity)
    }
    do {
      let content = try AudioContent(path: path)
      analysis.contentID = content.id
      audioBytes = content.bytes
      // Verifying a checksum requires decoding.
      let known = verifiesChecksums ? nil : knownAudio(of: content, job, findAudio)
      let missing = audioPlugins.filter { !$0.isCovered(by: known?.analyzers ?? []) }
      analysis.reusesKnownAudio = known != nil
      if known != nil || !missing.isEmpty || verifiesChecksums { analysis.decodingID = content.decodingID }
      if missing.isEmpty, let known {
        analysis.remarks = content.remarks + known.remarks.filter { $0.stage == .decode }
        // If the known audio was not decoded to its end, its format comes from its container, which may differ in this
        // file.
        analysis.format = known.format?.frameCount != nil ? known.format : try AudioSource(path: path).format
      } else {
        var source = try AudioSource(path: path, verifiesChecksum: verifiesChecksums)
        analysis.format = source.format
        if !missing.isEmpty || verifiesChecksums {
          enter(.decode)
          clock.enter(.other)
          let timeSpent = { processorTime() - start }
          guard
            var found = decode(
              &source, job, withAllTheyRead(missing), clock, isCancelled: isCancelled, hasDecoded: hasDecoded,
              timeSpent: timeSpent, isLate: isLate, into: &analysis)
          else { return nil }
          if analysis.problem?.stage == .decode {
            // A problem while decoding shows that this file's audio differs from the known audio, so no known outcome
            // applies to it.
            analysis.reusesKnownAudio = false
            if missing.count < audioPlugins.count {
              var source = try AudioSource(path: path)
              guard
                let all = decode(
                  &source, job, withAllTheyRead(audioPlugins), clock, isCancelled: isCancelled, hasDecoded: hasDecoded,
                  timeSpent: timeSpent, isLate: isLate, into: &analysis)
              else { return nil }
              found = all
            }
          }
          outcomes = found.filter { outcome in chosen.contains { $0.identity == outcome.analyzer } }
        }
      }
      if analysis.format?.frameCount == nil, let format = analysis.format, let bitRate = content.bitRate(of: format) {
        analysis.format?.bitRate = bitRate
      }
    } catch {
      analysis.status = .failed
      analysis.problem = Problem(error, at: .open)
      analysis.format = analysis.format ?? error.format
    }

    guard !isCancelled() else { return nil }
    if let digests = job.digests {
      clock.enter(.checksum)
      // At this point, the file is in the page cache.
      let audio = audioBytes.map { Int64($0.lowerBound)..<Int64($0.upperBound) }
      analysis.checksum = try? FileChecksum.reading(path, audio: audio, kinds: digests, isCancelled: isCancelled)
    }

    guard !isCancelled() else { return nil }
    enter(.analyze)
    clock.enter(.other)
    let file = AudioFile(path: job.path, openPath: path, format: analysis.format)
    outcomes += chosen.filter { $0.feed == .file }.map { plugin in
      let outer = clock.enter(clock.stage(ofAnalyzer: plugin.id))
      defer { clock.enter(outer) }
      return plugin.outcome(for: file)
    }
    analysis.remarks += outcomes.flatMap(\.remarks)
    let order = Dictionary(plugins.enumerated().map { ($1.identity, $0) }) { first, _ in first }
    analysis.outcomes = outcomes.sorted { order[$0.analyzer, default: 0] < order[$1.analyzer, default: 0] }
    if openedFile?.hasChanged ?? false { analysis.noteChange() }
    analysis.stageTimes = clock.times
    return analysis
  }

  /// Returns known audio whose outcomes can be used for this file; `nil` if there is none.
  private func knownAudio(
    of content: AudioContent, _ job: AnalysisJob, _ findAudio: (ContentID) -> KnownAudio?
  ) -> KnownAudio? {
    guard content.fault == nil,
      let known = job.knownAudio.first(where: { $0.decodingID == content.decodingID }) ?? findAudio(content.decodingID)
    else { return nil }
    // If the file of the known audio was not decoded to its end, it may be damaged beyond that point.
    return known.format?.frameCount != nil || !readsToEnd ? known : nil
  }

  /// - Returns: `nil` if decoding was canceled.
  private func decode(
    _ source: inout AudioSource, _ job: AnalysisJob, _ plugins: [AnalyzerPlugin], _ clock: StageClock,
    isCancelled: () -> Bool, hasDecoded: (Double) -> Void, timeSpent: () -> Double,
    isLate: (Double) -> Bool, into analysis: inout FileAnalysis
  ) -> [AnalyzerOutcome]? {
    let feeds = FeedGraph(
      plugins: plugins,
      file: AudioFile(path: job.path, format: source.format, channelMask: source.encoding.channelMask),
      format: source.format, encoding: source.encoding, resampler: resampler, clock: clock)
    var block = AudioBlock(channelCount: source.format.channelCount)
    var hasEnded = false
    var isOver = false
    let rate = Double(source.format.sampleRate)
    var duration = 0.0
    var lastReported = 0.0
    while !hasEnded, !isOver, readsToEnd || feeds.wantsMore {
      let outer = clock.enter(.decode)
      let isRead = source.read(into: &block)
      clock.enter(outer)
      if isRead { feeds.push(block) } else { hasEnded = true }
      if isCancelled() { return nil }
      duration = Double(source.summary.frameCount) / rate
      if duration >= lastReported + 10 {
        lastReported = duration
        hasDecoded(duration)
      }
      isOver = isLate(duration)
    }
    let summary = source.summary
    analysis.remarks = summary.remarks
    analysis.format = source.format
    analysis.decodedDuration = duration
    if hasEnded {
      if let problem = summary.problem {
        analysis.status = .partial
        analysis.problem = Problem(problem, at: .decode)
      }
    } else if isOver {
      analysis.status = .partial
      analysis.problem = Problem(
        stage: .analyze, code: "time_limit",
        message: """
          The analysis took too much processor time: \(Int(timeSpent())) s for \(Int(duration)) s of audio. The \
          findings cover only that part.
          """)
    }
    return feeds.finish()
  }
}

extension AnalyzerPlugin {
  /// Runs an analyzer that reads the file itself.
  fileprivate func outcome(for file: AudioFile) -> AnalyzerOutcome {
    do {
      var session = try makeSession(for: file)
      return AnalyzerOutcome(analyzer: identity, result: .finding(try session.finish()))
    } catch {
      return AnalyzerOutcome(analyzer: identity, result: error.outcome)
    }
  }
}

extension AnalyzerOutcome {
  fileprivate var remarks: [Problem] {
    guard case .finding(let finding) = result else { return [] }
    return finding.remarks.map { Problem(stage: .analyze, code: "\(analyzer.id)_remark", message: $0) }
  }
}

extension Problem {
  fileprivate init(_ error: DecodeError, at stage: Stage) {
    self.init(stage: stage, code: error.code.rawValue, message: error.message)
  }
}
