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
  /// The largest sample of accents, in dBFS, within `ClickLevels.range`; `nil` to follow the loudness of the music.
  package var level: Double?
  /// Without the music, in one channel. Then no audio is read.
  package var isClicksOnly = false

  private let tempo: TempoFinding
  private let loudness: LoudnessFinding?
  private let format: AudioFormat?
  private let tags: AudioFileTags
  /// The file as it was analyzed; `nil` if any audio will do.
  private let analyzed: AnalyzedAudio?
  /// Whether tempo and beats are those of a correction.
  package let isLocked: Bool

  /// Beats as they count now: those that were found, or those of a correction.
  ///
  /// - Throws: `UnknownFile`, `ClickError` if there are no beats, or the file has changed; `StoreError`.
  package init(of path: FilePath, in store: ResultStore) throws {
    guard let record = try store.record(at: store.knownPath(of: path), long: ["beats"]) else { throw UnknownFile(path) }
    guard let tempo = record.tempo else { throw ClickError.notLookedFor(path) }
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

  /// Any beats over a file, such as those that a person has just proposed.
  ///
  /// - Parameters:
  ///   - tempo: Its beats and downbeats.
  ///   - loudness: The file's loudness, if it is known: the level of clicks depends on it.
  ///   - format: The file's format, if it is known.
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

  /// Whether the loudness of the music is known.
  package var isLoudnessKnown: Bool { loudness?.integrated != nil }

  /// The result of writing.
  package struct Outcome: Sendable {
    /// Samples per second.
    package var sampleRate: Int
    package var channelCount: Int
    /// Seconds.
    package var duration: Double
    package var clickCount: Int
    package var accentCount: Int
    /// Samples beyond full scale, which were limited.
    package var clippedSampleCount: Int64
    /// Why the music is not whole.
    package var problem: DecodeError?
  }

  // MARK: - Writing

  /// Writes the track, or a part of it, reading the audio once, in blocks.
  ///
  /// The music keeps its rate and channels, with 24 bits if it has more than 16. Clicks are in the first two channels: the
  /// front left and right of all layouts.
  ///
  /// - Parameters:
  ///   - seconds: The part of the track; `nil` for all of it. Beats keep their places in the music.
  ///   - progress: Called with seconds of audio that are done; not called from another thread.
  ///   - isCancelled: Asked again and again. If it says so, nothing is written.
  /// - Returns: `nil` if it was cancelled.
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

  /// A part of the track with clicks as a WAV file for a player. It is removed when the object is no longer used.
  ///
  /// - Parameter seconds: As in `write`.
  /// - Returns: `nil` if it was cancelled.
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
      throw ClickError.cannotRead(path, reason: "It is an object. Download it, and analyze the file.")
    }
    guard path.exists else { throw ClickError.cannotRead(path, reason: "There is no such file any more.") }
    let isStill: Bool
    var source: AudioSource
    do throws(DecodeError) {
      isStill = try analyzed?.isStill(at: path) ?? true
      source = try AudioSource(path: path)
    } catch {
      throw ClickError.cannotRead(path, reason: error.message)
    }
    guard isStill else { throw ClickError.hasChanged(path) }
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
        // Headers may lie, and RF64 that turns out to be short becomes WAV.
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
    let heard = track.clicks.filter { part.contains($0.frame) }
    return Outcome(
      sampleRate: summary.sampleRate, channelCount: channelCount,
      duration: Double(summary.frameCount) / Double(summary.sampleRate), clickCount: heard.count,
      accentCount: heard.count { $0.isAccent }, clippedSampleCount: summary.clippedSampleCount, problem: problem)
  }
}

extension ClickedTrack {
  /// The tempo in force, in beats per minute.
  package var bpm: Double? { tempo.bpm }
  package var metre: String? { tempo.metre }
  /// Seconds, if the length of the file is known.
  package var duration: Double? { format?.duration }
  /// Whether it is known which beats begin a bar.
  package var hasDownbeats: Bool { !(tempo.downbeats ?? []).isEmpty }

  /// The name of a file for it: that of the track, with `.click.` and the extension of the format.
  package func defaultName(_ format: AudioFileFormat) -> FilePath {
    let name = path.lastComponent.map { FilePath(root: nil, [$0]).withBytes { Array($0) } } ?? []
    let stem = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? name[..<$0] : nil } ?? name[...]
    return FilePath(bytes: stem + Array(".click.\(format.fileExtension)".utf8))
  }
}
