internal import AnalysisEngine
internal import AudioDecoding
internal import DSP

/// Findings of analyzers in a file or in PCM.
///
///     let analyses = try Analyses(of: "song.flac", [.tempo, .tags])
///     print(analyses.tempo?.bpm ?? 0, analyses.tags?.fields["title"] ?? [])
///
/// Findings are those of `analyze` with the pipeline `default`. An initializer blocks until all is analyzed, in memory that
/// does not depend on the length of the audio; a minute of audio takes about a hundredth of a second for each analyzer.
/// Call it off the main actor, and on several threads at once as you like.
public struct Analyses: Sendable {
  /// The outcomes of all analyzers, in the order in which they were asked for.
  public let outcomes: [AnalyzerOutcome]
  /// `nil` where there was no audio.
  public let format: AudioFormat?
  /// Identifies the encoded audio of a file, whatever its tags; `nil` for PCM.
  public let contentID: ContentID?
  /// Why findings are of a part of the audio only; `nil` if it is whole.
  public let problem: Problem?
  /// Notes for people although the audio is whole.
  public let remarks: [Problem]

  /// Analyzes a file. It is decoded once, whatever its analyzers ask for.
  ///
  /// - Parameters:
  ///   - path: A file of any format that Nocturne decodes; known by its content, not by its name.
  ///   - kinds: Analyzers of Nocturne, and your own: `AnalyzerKind(MyAnalyzer.self)`.
  /// - Throws: `DecodeError` if no analyzer finds anything, since the file cannot be read or has no audio. A file that is
  ///   damaged, or without audio but with tags, is no error: see `problem`.
  public init(of path: FilePath, _ kinds: [AnalyzerKind] = BuiltInAnalyzers.all) throws(DecodeError) {
    let analyzer = FileAnalyzer(plugins: kinds.map(\.standardPlugin).asOnePipeline(), resampler: .soxr)
    // It is `nil` only for analyses that are cancelled.
    let analysis = analyzer.analyze(AnalysisJob(path: path)) ?? FileAnalysis(status: .failed)
    if analysis.status == .failed, !analysis.outcomes.contains(where: { $0.finding != nil }),
      let problem = analysis.problem
    {
      throw DecodeError(
        DecodeError.Code(rawValue: problem.code) ?? .readError, problem.message, format: analysis.format)
    }
    outcomes = analysis.outcomes
    format = analysis.format
    contentID = analysis.contentID
    problem = analysis.problem
    remarks = analysis.remarks
  }

  /// Analyzes PCM.
  ///
  /// - Parameters:
  ///   - channels: The samples of each channel; full scale is ±1. All have the same length. Samples that are not finite
  ///     count as 0.
  ///   - sampleRate: Samples per second.
  ///   - kinds: As for a file; those that look at files, such as `.tags`, have nothing to do.
  public init(of channels: [[Float]], sampleRate: Int, _ kinds: [AnalyzerKind] = BuiltInAnalyzers.all) {
    precondition(!channels.isEmpty && sampleRate > 0, "PCM has a channel and a rate")
    let frameCount = channels[0].count
    precondition(channels.allSatisfy { $0.count == frameCount }, "channels have the same length")
    var format = AudioFormat(
      container: "pcm", codec: "pcm_float", sampleRate: sampleRate, channelCount: channels.count, isLossless: true)
    let plugins = kinds.map(\.standardPlugin).asOnePipeline()
    let graph = FeedGraph(
      plugins: plugins.filter { $0.feed != .file }, file: AudioFile(path: "", format: format), format: format,
      encoding: SampleEncoding(sampleType: .float), resampler: .soxr)
    var block = AudioBlock(channelCount: channels.count)
    for start in stride(from: 0, to: frameCount, by: AudioBlock.capacity) where graph.wantsMore {
      block.frameCount = min(AudioBlock.capacity, frameCount - start)
      for (channel, samples) in channels.enumerated() {
        block.samples.replaceSubrange(block.range(ofChannel: channel), with: samples[start..<start + block.frameCount])
      }
      block.sanitize(limit: AudioSource.sampleLimit)
      graph.push(block)
    }
    var heard = graph.finish().makeIterator()
    outcomes = plugins.map { plugin in
      guard plugin.feed == .file else { return heard.next() }
      return AnalyzerOutcome(analyzer: plugin.identity, result: .notApplicable("PCM is no file."))
    }.compactMap(\.self)
    format.frameCount = Int64(frameCount)
    self.format = format
    contentID = nil
    problem = nil
    remarks = []
  }

  /// Analyzes mono PCM.
  public init(of samples: [Float], sampleRate: Int, _ kinds: [AnalyzerKind] = BuiltInAnalyzers.all) {
    self.init(of: [samples], sampleRate: sampleRate, kinds)
  }

  /// The finding of a type; `nil` if none was asked for, or its analyzer has failed: see `outcomes`.
  public subscript<Finding: AnalysisFinding>(_ type: Finding.Type) -> Finding? {
    for outcome in outcomes { if let finding = outcome.finding as? Finding { return finding } }
    return nil
  }

  public var tags: TagFinding? { self[TagFinding.self] }
  public var tempo: TempoFinding? { self[TempoFinding.self] }
  public var key: KeyFinding? { self[KeyFinding.self] }
  public var loudness: LoudnessFinding? { self[LoudnessFinding.self] }
  public var waveform: WaveformFinding? { self[WaveformFinding.self] }
  public var sections: SectionsFinding? { self[SectionsFinding.self] }
  public var cues: CuesFinding? { self[CuesFinding.self] }
  public var traits: TraitsFinding? { self[TraitsFinding.self] }
  public var likeness: LikenessFinding? { self[LikenessFinding.self] }
  public var fingerprint: FingerprintFinding? { self[FingerprintFinding.self] }
  public var signature: SignatureFinding? { self[SignatureFinding.self] }
}

extension AnalyzerKind {
  /// With the settings that it has by itself.
  fileprivate var standardPlugin: AnalyzerPlugin {
    do {
      return try make(resampler: ResamplerKind.soxr.rawValue)
    } catch {
      preconditionFailure("the analyzer \(id) refuses its own settings: \(error)")
    }
  }
}
