public import Analysis
public import AudioDecoding
public import DSP

/// Computes the feeds that the analyzers of a file require, each only once, from the decoded blocks, and passes them to
/// the sessions.
///
///     block ─┬─ native channels ───────────────────────────── sessions
///            ├─ AcoustID conversion ───────────────────────── sessions
///            ├─ each channel resampled, once per rate ─────── sessions
///            └─ mean of the channels, once
///                 └─ resampled, once per rate ─┬───────────── sessions
///                                              └─ STFT, once per layout ─ sessions
///
/// A session that throws, or that wants no more input, receives no further input; the others are not affected. A feed
/// is no longer computed once none of its sessions wants input. Memory use is a few blocks per feed, regardless of the
/// file's duration. A graph is used for one file, on one thread.
public final class FeedGraph {
  private let participants: [Participant]
  /// Indices of the participants in the order in which they finish, each with the IDs of the analyzers whose findings
  /// it reads.
  private let endings: [(participant: Int, reads: [String])]
  private var branches: [any Branch] = []
  private var monoBranches: [MonoBranch] = []
  private var mono: [Float] = []
  private let clock: StageClock

  private enum Participant {
    case subscriber(Subscriber)
    /// The outcome of an analyzer whose session could not be created.
    case outcome(AnalyzerOutcome)
  }

  /// Creates the sessions. Sessions with the feed `.file` receive no samples; they do their work in `finish`.
  ///
  /// - Parameters:
  ///   - file: The file, as passed to sessions.
  ///   - format: The sample rate and channel count of the blocks.
  ///   - encoding: The sample encoding that the decoder outputs, which the AcoustID feed depends on.
  ///   - clock: Measures the time of each stage.
  public init(
    plugins: [AnalyzerPlugin], file: AudioFile, format: AudioFormat, encoding: SampleEncoding, resampler: ResamplerKind,
    clock: StageClock = StageClock()
  ) {
    self.clock = clock
    var participants: [Participant] = []
    var subscribers: [Feed: [Subscriber]] = [:]
    var feeds: [Feed] = []
    for plugin in plugins {
      let subscriber: Subscriber
      do {
        subscriber = Subscriber(plugin.identity, try plugin.makeSession(for: file), clock)
      } catch {
        participants.append(.outcome(AnalyzerOutcome(analyzer: plugin.identity, result: error.outcome)))
        continue
      }
      participants.append(.subscriber(subscriber))
      if subscribers[plugin.feed] == nil { feeds.append(plugin.feed) }
      subscribers[plugin.feed, default: []].append(subscriber)
    }
    self.participants = participants
    endings = plugins.readingOrder.map { ($0, plugins[$0].reads) }

    var monoBranches: [Int: MonoBranch] = [:]
    func mono(at rate: Int) -> MonoBranch {
      if let branch = monoBranches[rate] { return branch }
      let branch = MonoBranch(from: format.sampleRate, to: rate, resampler, clock)
      monoBranches[rate] = branch
      self.monoBranches.append(branch)
      return branch
    }
    for feed in feeds {
      let subscribers = subscribers[feed] ?? []
      switch feed {
      case .file:
        break
      case .spectrum(let layout):
        mono(at: layout.sampleRate).spectra.append(SpectrumBranch(layout, subscribers, clock))
      case .samples(let layout):
        let rate = if case .hertz(let rate) = layout.rate { rate } else { format.sampleRate }
        switch (layout.conversion, layout.channels) {
        case (.standard, .mono):
          mono(at: rate).subscribers += subscribers
        case (.standard, .native):
          branches.append(
            NativeBranch(
              channelCount: format.channelCount, from: format.sampleRate, to: rate, resampler, subscribers, clock))
        case (.acoustID, .mono) where rate == AcoustIDConverter.outputRate:
          branches.append(AcoustIDBranch(format, encoding, subscribers, clock))
        case (.acoustID, _):
          subscribers.fail("The AcoustID conversion only produces mono at \(AcoustIDConverter.outputRate) Hz.")
        }
      }
    }
    update()
  }

  /// `true` while any session wants samples.
  public private(set) var wantsMore = false

  /// Processes the next decoded frames.
  public func push(_ block: borrowing AudioBlock) {
    guard wantsMore, block.frameCount > 0 else { return }
    for branch in branches where branch.isWanted { branch.push(block) }
    if monoBranches.contains(where: \.isWanted) {
      if block.channelCount == 1 {
        pushMono(block.samples.span.extracting(block.range(ofChannel: 0)))
      } else {
        let outer = clock.enter(.downmix)
        let count = block.downmix(into: &mono)
        clock.enter(outer)
        let mono = mono
        pushMono(mono.span.extracting(first: count))
      }
    }
    update()
  }

  private func pushMono(_ frames: Span<Float>) {
    for branch in monoBranches where branch.isWanted { branch.push(frames) }
  }

  private func update() {
    wantsMore = branches.contains(where: \.isWanted) || monoBranches.contains(where: \.isWanted)
  }

  /// Flushes the feeds and closes the sessions.
  ///
  /// - Returns: One outcome for each plugin, in the same order.
  public func finish() -> [AnalyzerOutcome] {
    for branch in branches where branch.isWanted { branch.finish() }
    for branch in monoBranches where branch.isWanted { branch.finish() }
    var outcomes: [Int: AnalyzerOutcome] = [:]
    for (index, reads) in endings {
      switch participants[index] {
      case .subscriber(let subscriber):
        let earlier = outcomes.values.filter { reads.contains($0.analyzer.id) }.compactMap(\.finding)
        outcomes[index] = subscriber.finish(after: EarlierFindings(earlier))
      case .outcome(let outcome):
        outcomes[index] = outcome
      }
    }
    return participants.indices.compactMap { outcomes[$0] }
  }
}

// MARK: - Sessions

/// The session of an analyzer, or the error with which it failed.
private final class Subscriber {
  private let identity: AnalyzerIdentity
  private var session: (any AnalysisSession)?
  private var failure: AnalysisError?
  private(set) var wantsMore: Bool
  private let clock: StageClock
  private let stage: StageClock.Stage

  init(_ identity: AnalyzerIdentity, _ session: any AnalysisSession, _ clock: StageClock) {
    self.identity = identity
    self.clock = clock
    stage = clock.stage(ofAnalyzer: identity.id)
    self.session = session
    wantsMore = session.wantsMore
  }

  func consume(_ values: Span<Float>, at index: Int64) {
    guard wantsMore, session != nil else { return }
    let outer = clock.enter(stage)
    defer { clock.enter(outer) }
    do {
      wantsMore = try hand(values, at: index, to: &session!)
    } catch {
      fail(error)
    }
  }

  /// Opens the existential only once, in place. Calls through the protocol would copy the session and retain all its
  /// arrays.
  private func hand<Session: AnalysisSession>(
    _ values: Span<Float>, at index: Int64, to session: inout Session
  ) throws(AnalysisError) -> Bool {
    try session.consume(values, at: index)
    return session.wantsMore
  }

  func fail(_ error: AnalysisError) {
    failure = error
    wantsMore = false
    // Frees the session's memory.
    session = nil
  }

  func finish(after earlier: EarlierFindings) -> AnalyzerOutcome {
    wantsMore = false
    let outer = clock.enter(stage)
    defer {
      session = nil
      clock.enter(outer)
    }
    do throws(AnalysisError) {
      if let failure { throw failure }
      guard let finding = try session?.finish(after: earlier) else {
        throw AnalysisError.failed("The session is already closed.")
      }
      return AnalyzerOutcome(analyzer: identity, result: .finding(finding))
    } catch {
      return AnalyzerOutcome(analyzer: identity, result: error.outcome)
    }
  }
}

extension [Subscriber] {
  fileprivate var wantMore: Bool { contains(where: \.wantsMore) }

  fileprivate func consume(_ values: Span<Float>, at index: Int64) {
    for subscriber in self { subscriber.consume(values, at: index) }
  }

  fileprivate func fail(_ reason: String) {
    for subscriber in self { subscriber.fail(.failed(reason)) }
  }
}

extension AnalysisError {
  var outcome: AnalyzerOutcome.Result {
    switch self {
    case .notApplicable(let reason): .notApplicable(reason)
    case .failed(let reason): .failed(reason)
    }
  }
}

// MARK: - Branches

/// Computes one feed from decoded blocks.
private protocol Branch: AnyObject {
  var isWanted: Bool { get }
  func push(_ block: borrowing AudioBlock)
  func finish()
}

extension ResamplerKind {
  /// Upper limit, exclusive, of the ratio of the sample rates. Larger ratios do not occur in music, and libsamplerate
  /// rejects them.
  private static let maxRatio = 256

  /// - Returns: `nil` if no resampling is needed.
  /// - Throws: `AnalysisError.failed` if a rate is not positive or the ratio is not below `maxRatio`.
  fileprivate func resampler(from inputRate: Int, to outputRate: Int) throws(AnalysisError) -> (any Resampler)? {
    guard inputRate != outputRate else { return nil }
    guard inputRate > 0, outputRate > 0, inputRate / outputRate < Self.maxRatio,
      outputRate / inputRate < Self.maxRatio
    else { throw .failed("Audio at \(inputRate) Hz cannot be resampled to \(outputRate) Hz.") }
    return makeResampler(from: inputRate, to: outputRate)
  }
}

/// The mono signal at one sample rate, and the feeds derived from it.
private final class MonoBranch {
  var subscribers: [Subscriber] = []
  var spectra: [SpectrumBranch] = []
  private let resampler: Result<(any Resampler)?, AnalysisError>
  private var resampled: [Float] = []
  private var frameCount: Int64 = 0
  private let clock: StageClock

  init(from inputRate: Int, to outputRate: Int, _ kind: ResamplerKind, _ clock: StageClock) {
    self.clock = clock
    resampler = Result { () throws(AnalysisError) in try kind.resampler(from: inputRate, to: outputRate) }
  }

  var isWanted: Bool { subscribers.wantMore || spectra.contains(where: \.isWanted) }

  func push(_ frames: Span<Float>) {
    switch resampler {
    case .success(nil):
      emit(frames)
    case .success(let resampler?):
      let outer = clock.enter(.resample)
      let count = resampler.push(frames, into: &resampled)
      clock.enter(outer)
      emit(resampled, count)
    case .failure(let error):
      for subscriber in subscribers { subscriber.fail(error) }
      for spectrum in spectra { for subscriber in spectrum.subscribers { subscriber.fail(error) } }
    }
  }

  func finish() {
    if case .success(let resampler?) = resampler {
      let count = resampler.finish(into: &resampled)
      emit(resampled, count)
    }
    for spectrum in spectra where spectrum.isWanted { spectrum.finish() }
  }

  private func emit(_ buffer: [Float], _ count: Int) {
    emit(buffer.span.extracting(first: count))
  }

  private func emit(_ frames: Span<Float>) {
    guard !frames.isEmpty else { return }
    subscribers.consume(frames, at: frameCount)
    for spectrum in spectra where spectrum.isWanted { spectrum.push(frames) }
    frameCount += Int64(frames.count)
  }
}

/// The STFT with one layout.
private final class SpectrumBranch {
  let subscribers: [Subscriber]
  private var stft: STFT
  private let clock: StageClock

  init(_ layout: SpectrumLayout, _ subscribers: [Subscriber], _ clock: StageClock) {
    self.subscribers = subscribers
    self.clock = clock
    stft = STFT(windowLength: layout.windowLength, hop: layout.hop)
  }

  var isWanted: Bool { subscribers.wantMore }

  func push(_ frames: Span<Float>) {
    let outer = clock.enter(.spectrum)
    defer { clock.enter(outer) }
    stft.push(frames) { [subscribers] column, index in subscribers.consume(column, at: index) }
  }

  func finish() {
    let outer = clock.enter(.spectrum)
    defer { clock.enter(outer) }
    stft.finish { [subscribers] column, index in subscribers.consume(column, at: index) }
  }
}

/// The feed with all channels, at the file's sample rate or another one.
private final class NativeBranch: Branch {
  private let subscribers: [Subscriber]
  private let resamplers: Result<[any Resampler], AnalysisError>
  private var resampled: [Float] = []
  private var planar: [Float] = []
  private var frameCount: Int64 = 0
  private let clock: StageClock

  init(
    channelCount: Int, from inputRate: Int, to outputRate: Int, _ kind: ResamplerKind, _ subscribers: [Subscriber],
    _ clock: StageClock
  ) {
    self.subscribers = subscribers
    self.clock = clock
    resamplers = Result { () throws(AnalysisError) in
      var resamplers: [any Resampler] = []
      for _ in 0..<channelCount {
        guard let resampler = try kind.resampler(from: inputRate, to: outputRate) else { break }
        resamplers.append(resampler)
      }
      return resamplers
    }
  }

  var isWanted: Bool { subscribers.wantMore }

  func push(_ block: borrowing AudioBlock) {
    switch resamplers {
    case .failure(let error):
      for subscriber in subscribers { subscriber.fail(error) }
    case .success(let resamplers) where resamplers.isEmpty && block.frameCount == AudioBlock.capacity:
      // In a full block, the channels are contiguous already. All blocks except the last are full.
      subscribers.consume(block.samples.span, at: frameCount)
      frameCount += Int64(block.frameCount)
    case .success(let resamplers) where resamplers.isEmpty:
      planar.removeAll(keepingCapacity: true)
      for channel in 0..<block.channelCount { planar += block.samples[block.range(ofChannel: channel)] }
      emit(frames: block.frameCount)
    case .success(let resamplers):
      let outer = clock.enter(.resample)
      planar.removeAll(keepingCapacity: true)
      var count = 0
      for (channel, resampler) in resamplers.enumerated() {
        count = resampler.push(block.samples.span.extracting(block.range(ofChannel: channel)), into: &resampled)
        planar += resampled[..<count]
      }
      clock.enter(outer)
      emit(frames: count)
    }
  }

  func finish() {
    guard case .success(let resamplers) = resamplers, !resamplers.isEmpty else { return }
    planar.removeAll(keepingCapacity: true)
    var count = 0
    for resampler in resamplers {
      count = resampler.finish(into: &resampled)
      planar += resampled[..<count]
    }
    emit(frames: count)
  }

  private func emit(frames: Int) {
    guard frames > 0 else { return }
    let planar = planar
    subscribers.consume(planar.span, at: frameCount)
    frameCount += Int64(frames)
  }
}

/// The feed with fpcalc's mono signal at 11,025 Hz.
private final class AcoustIDBranch: Branch {
  private let subscribers: [Subscriber]
  private var converter: AcoustIDConverter
  private var converted: [Float] = []
  private var frameCount: Int64 = 0
  private let clock: StageClock

  init(_ format: AudioFormat, _ encoding: SampleEncoding, _ subscribers: [Subscriber], _ clock: StageClock) {
    self.subscribers = subscribers
    self.clock = clock
    converter = AcoustIDConverter(format: format, encoding: encoding)
  }

  var isWanted: Bool { subscribers.wantMore }

  func push(_ block: borrowing AudioBlock) {
    let outer = clock.enter(.resample)
    let count = converter.push(block, into: &converted)
    clock.enter(outer)
    emit(count)
  }

  /// Does nothing. fpcalc never flushes the last millisecond from its filter; flushing it would lengthen one
  /// fingerprint in 150 by a word.
  func finish() {}

  private func emit(_ count: Int) {
    guard count > 0 else { return }
    let converted = converted
    subscribers.consume(converted.span.extracting(first: count), at: frameCount)
    frameCount += Int64(count)
  }
}
