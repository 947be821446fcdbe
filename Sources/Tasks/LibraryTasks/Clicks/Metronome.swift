package import AudioEncoding
internal import Foundation
package import SystemPackage

/// A plain click track. Click k, counted from 0, starts at the frame nearest to k · 60 / bpm seconds.
package struct Metronome: Sendable {
  /// A time signature.
  package struct Metre: Hashable, Sendable, CustomStringConvertible {
    package let beats: Int
    /// The note that is one beat, such as 4 for a quarter note.
    package let unit: Int

    package init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, let beats = parts[0], let unit = parts[1], (1...32).contains(beats),
        [1, 2, 4, 8, 16, 32].contains(unit)
      else { return nil }
      self.beats = beats
      self.unit = unit
    }

    package var description: String { "\(beats)/\(unit)" }
  }

  /// Clicks per minute, regardless of the unit of the meter.
  package var tempo: ExactTempo
  package var metre: Metre
  /// The duration in seconds, within `durations`.
  package var duration: Double
  /// `true` to accent the first beat of each bar; `false` to make all clicks sound the same.
  package var hasAccents = true
  package var sound = ClickSound.wood
  /// Peak level of an accent, in dBFS, within `ClickLevels.range`; `nil` for `ClickLevels.standard`.
  package var level: Double?
  /// The sample rate in Hz, within `sampleRates`.
  package var sampleRate = 44_100

  package static let durations = 0.1...86_400.0
  package static let sampleRates = 8_000...192_000

  package init(tempo: ExactTempo, metre: Metre, duration: Double) {
    self.tempo = tempo
    self.metre = metre
    self.duration = duration
  }

  /// The clicks. Each position is computed independently, so errors do not accumulate.
  package var clicks: [ClickTrack.Click] {
    var clicks: [ClickTrack.Click] = []
    while true {
      let index = Int64(clicks.count)
      let frame = tempo.frame(ofBeat: index, sampleRate: sampleRate)
      guard frame < frameCount else { return clicks }
      clicks.append(ClickTrack.Click(frame: frame, isAccent: hasAccents && index.isMultiple(of: Int64(metre.beats))))
    }
  }

  package var frameCount: Int64 { Int64((duration * Double(sampleRate)).rounded()) }

  package var peak: Double { ClickLevels(alone: level).clicks }

  package struct Outcome: Sendable {
    package var sampleRate: Int
    package var duration: Double
    package var clickCount: Int
    package var accentCount: Int
  }

  /// - Parameters:
  ///   - progress: Called with the number of seconds written so far.
  ///   - isCancelled: Called repeatedly. Once it returns `true`, writing stops and no file is created.
  /// - Returns: `nil` if writing was cancelled.
  package func write(
    to output: FilePath, as format: AudioFileFormat, replacesExisting: Bool = false,
    progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
  ) throws(AudioWriteError) -> Outcome? {
    let writer = try AudioFileWriter(
      output,
      AudioFileLayout(
        format: format, sampleRate: sampleRate, channelCount: 1,
        tags: AudioFileTags(title: title, comment: ClickMark.text),
        expectedFrameCount: frameCount), replacesExisting: replacesExisting)
    let clicks = clicks
    let track = ClickTrack(clicks, sound: sound, sampleRate: sampleRate, level: peak)
    let summary = try track.write(0..<frameCount, to: writer, progress: progress, isCancelled: isCancelled)
    return summary.map {
      Outcome(
        sampleRate: $0.sampleRate, duration: Double($0.frameCount) / Double($0.sampleRate), clickCount: clicks.count,
        accentCount: clicks.count { $0.isAccent })
    }
  }

  /// Writes a temporary WAV file for a player; see `ClickedTrack.temporaryFile`.
  package func temporaryFile(
    progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
  ) throws(AudioWriteError) -> (file: TemporaryAudio, outcome: Outcome)? {
    let file = try TemporaryAudio()
    let outcome = try write(to: file.path, as: .wav, progress: progress, isCancelled: isCancelled)
    return outcome.map { (file, $0) }
  }

  private var title: String { "Metronome, \(tempo) BPM" + (hasAccents ? ", \(metre)" : "") }

  /// Returns the default file name, such as `metronome-120bpm.flac`.
  package func defaultName(_ format: AudioFileFormat) -> FilePath {
    FilePath("metronome-\(tempo.description.replacing("/", with: "_"))bpm.\(format.fileExtension)")
  }
}
