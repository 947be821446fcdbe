internal import AnalysisEngine
internal import AudioDecoding
internal import DSP

/// The analyzers' findings about a file or about PCM audio.
///
///     let analyses = try Analyses(of: "song.flac", [.tempo, .tags])
///     print(analyses.tempo?.bpm ?? 0, analyses.tags?.fields["title"] ?? [])
///
/// The findings are the same as those of the command `analyze` with the pipeline `default`. The initializers block
/// until the analysis is complete, so call them off the main actor, concurrently if you like. Each analyzer takes about
/// a hundredth of a second per minute of audio. Memory use hardly depends on the duration of the audio.
public struct Analyses: Sendable {
  /// Outcomes of the analyzers, in the order in which they were requested. If the audio cannot be decoded, there are
  /// only outcomes of analyzers that read files.
  public let outcomes: [AnalyzerOutcome]
  /// The audio format; `nil` if there was no audio.
  public let format: AudioFormat?
  /// A hash of a file's encoded audio, independent of its tags; `nil` for PCM.
  public let contentID: ContentID?
  /// The reason the findings cover only part of the audio, or none of it; `nil` if they cover all of it.
  public let problem: Problem?
  /// Notes for the user about the audio, even if it was analyzed completely.
  public let remarks: [Problem]

  /// Analyzes a file, decoding it once for all analyzers.
  ///
  /// - Parameters:
  ///   - path: A file in any format that Nocturne decodes. The format is detected by content, not by name.
  ///   - kinds: Analyzers of Nocturne, or your own: `AnalyzerKind(MyAnalyzer.self)`.
  /// - Throws: `DecodeError` if there are no findings because the file cannot be read or has no audio. A file that is
  ///   damaged, or has tags but no audio, does not throw: see `problem`.
  public init(of path: FilePath, _ kinds: [AnalyzerKind] = BuiltInAnalyzers.all) throws(DecodeError) {
    let analyzer = FileAnalyzer(plugins: kinds.map(\.standardPlugin).asOnePipeline(), resampler: .soxr)
    // `analyze` returns `nil` only if it is canceled.
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

  /// - Parameters:
  ///   - channels: The samples of each channel, full scale ±1. All channels have the same length. Samples that are not
  ///     finite count as 0.
  ///   - sampleRate: Sample rate in Hz.
  ///   - kinds: The analyzers to run. Analyzers that read files, such as `.tags`, produce no finding.
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
    var audioOutcomes = graph.finish().makeIterator()
    outcomes = plugins.map { plugin in
      guard plugin.feed == .file else { return audioOutcomes.next() }
      return AnalyzerOutcome(analyzer: plugin.identity, result: .notApplicable("PCM is not a file."))
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

  /// The finding of this type; `nil` if its analyzer was not requested or produced no finding (see `outcomes`).
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
  /// A plugin for this analyzer, with default settings.
  fileprivate var standardPlugin: AnalyzerPlugin {
    do {
      return try make(resampler: ResamplerKind.soxr.rawValue)
    } catch {
      preconditionFailure("the analyzer \(id) rejects its default settings: \(error)")
    }
  }
}
