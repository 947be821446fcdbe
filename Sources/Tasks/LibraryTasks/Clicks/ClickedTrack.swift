package import Analysis
internal import AudioDecoding
package import AudioEncoding
internal import Foundation
internal import Library
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage

/// A track with clicks on its beats and accents on its downbeats.
package struct ClickedTrack: Sendable {
  package let path: FilePath
  package var sound = ClickSound.wood
  /// The peak level of accents, in dBFS, within `ClickLevels.range`; `nil` to follow the loudness of the music.
  package var level: Double?
  /// `true` to write only the clicks, in one channel, without reading the audio.
  package var isClicksOnly = false

  private let tempo: TempoFinding
  private let loudness: LoudnessFinding?
  private let format: AudioFormat?
  private let tags: AudioFileTags
  /// The audio that was analyzed; `nil` to accept any audio.
  private let analyzed: AnalyzedAudio?
  /// `true` if tempo and beats come from a correction.
  package let isLocked: Bool

  /// Uses the beats in effect: those of a correction if there is one, otherwise those that were found.
  ///
  /// - Throws: `UnknownFile`; `ClickError` if there are no beats; `StoreError`.
  package init(of path: FilePath, in store: ResultStore) throws {
    guard let record = try store.record(at: store.knownPath(of: path), long: ["beats"]) else { throw UnknownFile(path) }
    guard let tempo = record.tempo else { throw ClickError.notAnalyzed(path) }
    self.init(
      of: path, tempo, loudness: record.findings[LoudnessFinding.self], format: record.format,
      tags: AudioFileTags(
        title: "\(record.track.title) (clicks)", artist: record.track.artist,
        comment: ClickMark.text),
      analyzed: AnalyzedAudio(record), isLocked: record.tempoCorrection != nil)
    if tempo.beats.isEmpty {
      throw isLocked ? ClickError.noBeatsSet(path, bpm: tempo.bpm) : ClickError.noBeats(path, reason: tempo.reason)
    }
  }

  /// Uses any beats, such as those that a person has just proposed.
  ///
  /// - Parameters:
  ///   - tempo: The tempo, with its beats and downbeats.
  ///   - loudness: The loudness of the file, if known. The level of the clicks depends on it.
  ///   - format: The format of the file, if known.
  package init(
    of path: FilePath, _ tempo: TempoFinding, loudness: LoudnessFinding? = nil, format: AudioFormat? = nil
  ) {
    self.init(
      of: path, tempo, loudness: loudness, format: format, tags: AudioFileTags(), analyzed: nil, isLocked: false)
  }

  private init(
    of path: FilePath, _ tempo: TempoFinding, loudness: LoudnessFinding?, format: AudioFormat?, tags: AudioFileTags,
    analyzed: AnalyzedAudio?, isLocked: Bool
  ) {
    self.path = path
    self.tempo = tempo
    self.loudness = loudness
    self.format = format
    self.tags = tags
    self.analyzed = analyzed
    self.isLocked = isLocked
  }

  package var levels: ClickLevels {
    isClicksOnly ? ClickLevels(alone: level) : ClickLevels(level: level, over: loudness)
  }

  package var isLoudnessKnown: Bool { loudness?.integrated != nil }

  package struct Outcome: Sendable {
    /// The sample rate in Hz.
    package var sampleRate: Int
    package var channelCount: Int
    /// The duration in seconds.
    package var duration: Double
    package var clickCount: Int
    package var accentCount: Int
    /// Number of samples beyond full scale, which were clipped.
    package var clippedSampleCount: Int64
    /// The reason the music is incomplete; `nil` if it is complete.
    package var problem: DecodeError?
  }

  // MARK: - Writing

  /// Writes the track, or part of it. The audio is read once, in blocks.
  ///
  /// The music keeps its sample rate and channels. Samples have 24 bits if those of the music have more than 16,
  /// otherwise 16. Clicks are added to the first two channels, which are front left and right in all layouts.
  ///
  /// - Parameters:
  ///   - seconds: The part of the track to write; `nil` for all of it. Beats keep their positions in the music.
  ///   - progress: Called on the calling thread with the number of seconds of audio written so far.
  ///   - isCancelled: Called repeatedly. Once it returns `true`, writing stops and no file is created.
  /// - Returns: `nil` if writing was cancelled.
  /// - Throws: `AudioWriteError`, `ClickError`.
  package func write(
    to output: FilePath, as format: AudioFileFormat, replacesExisting: Bool = false, seconds: Range<Double>? = nil,
    progress: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Outcome? {
    try AudioFileWriter.check(output, replacesExisting: replacesExisting)
    guard !output.isSameFile(as: path) else { throw ClickError.wouldReplaceTrack(path) }
    let sink = Sink(
      path: output, format: format, replacesExisting: replacesExisting, progress: progress, isCancelled: isCancelled)
    return isClicksOnly ? try writeClicks(to: sink, seconds) : try writeMix(to: sink, seconds)
  }

  /// Writes the track, or part of it, to a temporary WAV file for a player. The file is removed with the returned
  /// object.
  ///
  /// - Parameter seconds: The part of the track to write; `nil` for all of it.
  /// - Returns: `nil` if writing was cancelled.
  /// - Throws: `AudioWriteError`, `ClickError`.
  package func temporaryFile(
    seconds: Range<Double>? = nil, progress: @escaping (Double) -> Void = { _ in },
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> (file: TemporaryAudio, outcome: Outcome)? {
    let file = try TemporaryAudio()
    let outcome = try write(
      to: file.path, as: .wav, seconds: seconds, progress: progress, isCancelled: isCancelled)
    return outcome.map { (file, $0) }
  }

  private struct Sink {
    var path: FilePath
    var format: AudioFileFormat
    var replacesExisting: Bool
    var progress: (Double) -> Void
    var isCancelled: () -> Bool
  }

  private func writeMix(to sink: Sink, _ seconds: Range<Double>?) throws -> Outcome? {
    guard !path.isObject else {
      throw ClickError.cannotRead(path, reason: "It is an object in a bucket. Download it, then analyze the file.")
    }
    guard path.exists else { throw ClickError.cannotRead(path, reason: "The file no longer exists.") }
    let isUnchanged: Bool
    var source: AudioSource
    do throws(DecodeError) {
      isUnchanged = try analyzed?.isUnchanged(at: path) ?? true
      source = try AudioSource(path: path)
    } catch {
      throw ClickError.cannotRead(path, reason: error.message)
    }
    guard isUnchanged else { throw ClickError.hasChanged(path) }
    let rate = source.format.sampleRate
    let part = Self.frames(seconds, rate)
    let levels = levels
    let track = clickTrack(rate, levels)
    let length = source.format.duration ?? format?.duration
    let writer = try AudioFileWriter(
      sink.path,
      AudioFileLayout(
        format: sink.format, sampleRate: rate, channelCount: source.format.channelCount,
        depth: SampleDepth(bitDepth: source.format.bitDepth), isDithered: true, tags: tags,
        // One second more than the header claims, because the header may be wrong. If the file turns out to be short,
        // RF64 becomes WAV.
        expectedFrameCount: length.map { Int64(min($0, 1e9) * Double(rate)) + Int64(rate) }),
      replacesExisting: sink.replacesExisting)
    let gain = Float(ClickLevels.amplitude(levels.music))
    var block = AudioBlock(channelCount: source.format.channelCount)
    var position: Int64 = 0
    while position < part.upperBound, source.read(into: &block) {
      if sink.isCancelled() { return nil }
      let frames = Range(uncheckedBounds: (position, position + Int64(block.frameCount))).clamped(to: part)
      if !frames.isEmpty {
        if gain != 1 {
          for channel in 0..<block.channelCount {
            for index in block.range(ofChannel: channel) { block.samples[index] *= gain }
          }
        }
        track.mix(
          into: &block.samples, stride: AudioBlock.capacity, channelCount: min(2, block.channelCount),
          frameCount: block.frameCount, from: position)
        try writer.write(
          planar: block.samples, stride: AudioBlock.capacity,
          frames: Int(frames.lowerBound - position)..<Int(frames.upperBound - position))
      }
      position += Int64(block.frameCount)
      sink.progress(Double(position) / Double(rate))
    }
    return outcome(
      try writer.finish(), track, part.clamped(to: 0..<position), source.format.channelCount, source.summary.problem)
  }

  private func writeClicks(to sink: Sink, _ seconds: Range<Double>?) throws -> Outcome? {
    let rate = format?.sampleRate ?? 44_100
    let duration = format?.duration ?? (tempo.beats.last ?? 0) + 1
    let length = format?.frameCount ?? Int64((duration * Double(rate)).rounded())
    let part = Self.frames(seconds, rate).clamped(to: 0..<length)
    let track = clickTrack(rate, levels)
    let writer = try AudioFileWriter(
      sink.path,
      AudioFileLayout(
        format: sink.format, sampleRate: rate, channelCount: 1, tags: tags, expectedFrameCount: Int64(part.count)),
      replacesExisting: sink.replacesExisting)
    let summary = try track.write(part, to: writer, progress: sink.progress, isCancelled: sink.isCancelled)
    return summary.map { outcome($0, track, part, 1, nil) }
  }

  private func clickTrack(_ rate: Int, _ levels: ClickLevels) -> ClickTrack {
    ClickTrack(
      ClickTrack.clicks(onBeats: tempo.beats, downbeats: tempo.downbeats ?? [], sampleRate: rate), sound: sound,
      sampleRate: rate, level: levels.clicks)
  }

  private static func frames(_ seconds: Range<Double>?, _ rate: Int) -> Range<Int64> {
    guard let seconds else { return 0..<Int64.max }
    let bounds = [seconds.lowerBound, seconds.upperBound].map { Int64((min(max($0, 0), 1e9) * Double(rate)).rounded()) }
    return bounds[0]..<bounds[1]
  }

  private func outcome(
    _ summary: AudioFileWriter.Summary, _ track: ClickTrack, _ part: Range<Int64>, _ channelCount: Int,
    _ problem: DecodeError?
  ) -> Outcome {
    let written = track.clicks.filter { part.contains($0.frame) }
    return Outcome(
      sampleRate: summary.sampleRate, channelCount: channelCount,
      duration: Double(summary.frameCount) / Double(summary.sampleRate), clickCount: written.count,
      accentCount: written.count { $0.isAccent }, clippedSampleCount: summary.clippedSampleCount, problem: problem)
  }
}

extension ClickedTrack {
  /// The tempo in effect, in beats per minute.
  package var bpm: Double? { tempo.bpm }
  package var metre: String? { tempo.metre }
  /// The duration in seconds; `nil` if it is unknown.
  package var duration: Double? { format?.duration }
  package var hasDownbeats: Bool { !(tempo.downbeats ?? []).isEmpty }

  /// Returns the default file name: the name of the track's file without its extension, followed by `.click.` and the
  /// extension of the format.
  package func defaultName(_ format: AudioFileFormat) -> FilePath {
    let name = path.lastComponent.map { FilePath(root: nil, [$0]).withBytes { Array($0) } } ?? []
    let stem = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? name[..<$0] : nil } ?? name[...]
    return FilePath(bytes: stem + Array(".click.\(format.fileExtension)".utf8))
  }
}
