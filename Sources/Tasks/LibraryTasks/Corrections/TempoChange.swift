package import Analysis
internal import Foundation
package import Library
internal import LibraryStore
internal import Platform
package import Records
package import ResultStore
package import SystemPackage
internal import Text

/// Changes the tempo and beats of files. A change applies to all copies of the audio; see `TempoCorrection`.
package struct TempoChange {
  package enum Tempo: Sendable {
    /// A tempo in beats per minute, within `TempoChange.tempi`.
    case beatsPerMinute(Double)
    /// The current tempo, multiplied by a ratio.
    case times(BeatRatio)
  }

  package enum Shift: Sendable {
    /// Moves all beats by a fraction of a beat.
    case beats(Double)
    /// Moves all beats by a number of seconds.
    case seconds(Double)
    /// Moves all beats so that one of them is at this time, in seconds from the start.
    case firstBeat(Double)
  }

  package enum Bars: Sendable {
    /// Lets bars begin this many beats later.
    case laterByBeats(Int)
    /// Sets the number of beats per bar.
    case ofBeats(Int)
  }

  package enum Request: Sendable {
    /// Removes the correction, so that the findings apply again.
    case unset
    /// States that there is no steady beat.
    case noTempo
    /// Sets the given values. If all are `nil`, confirms the current tempo.
    case set(Tempo?, Shift?, Bars? = nil)
  }

  /// The tempi that can be set, in beats per minute.
  package static let tempi = 10.0...1000.0

  package var request: Request
  package var store: ResultStore
  /// Fits beats to the audio if the beats that were found cannot be used; `nil` for a preview, which does not read the
  /// audio.
  package var fitting: BeatFitting?

  package init(_ request: Request, in store: ResultStore, fitting: BeatFitting?) {
    self.request = request
    self.store = store
    self.fitting = fitting
  }

  /// The change of one file.
  package struct Change: Sendable {
    package var path: FilePath
    package var audio: ContentID
    /// The tempo before the change, in beats per minute.
    package var before: Double?
    /// The tempo after the change, in beats per minute.
    package var after: Double?
    package var isLocked: Bool
    /// A remark about the beats; empty if the correction is removed.
    package var note: String
    /// Number of other files with the same audio.
    package var copies: Int

    package init(
      path: FilePath, audio: ContentID, before: Double?, after: Double?, isLocked: Bool, note: String, copies: Int
    ) {
      self.path = path
      self.audio = audio
      self.before = before
      self.after = after
      self.isLocked = isLocked
      self.note = note
      self.copies = copies
    }

    /// One line for the terminal.
    package var text: String {
      "\(printable(DisplayPath.text(of: path))): \(TempoChange.text(before)) → "
        + (isLocked ? "\(TempoChange.text(after)), locked; \(note)" : "\(TempoChange.text(after)), as found")
        + (copies > 0 ? " (as well as \(copies) \(copies == 1 ? "copy" : "copies") of the same audio)" : "")
    }
  }

  /// Changes all files or none.
  /// - Throws: `UnknownFile`, `TempoChangeError`, `StoreError`.
  package func perform(on files: [FilePath], isDryRun: Bool = false) throws -> [Change] {
    var corrections: [ContentID: TempoCorrection?] = [:]
    var changes: [Change] = []
    for path in files {
      guard let record = try store.record(at: store.knownPath(of: path), long: ["beats"]) else {
        throw UnknownFile(path)
      }
      let (audio, correction, change) = try self.change(of: record)
      corrections[audio] = .some(correction)
      changes.append(change)
    }
    if !isDryRun { try store.correctTempo(corrections) }
    return changes
  }

  /// Computes the change for the audio of a file without storing it.
  /// - Parameter record: The record of the file, with its beats.
  /// - Throws: `TempoChangeError`, `StoreError`.
  package func change(of record: FileRecord) throws -> (ContentID, TempoCorrection?, Change) {
    guard let audio = record.contentID else { throw TempoChangeError.noAudio(record.path) }
    // The analyzer's finding, without a correction.
    let found = record.tempoCorrection.map(\.found) ?? record.tempo
    var correction: TempoCorrection?
    var note = ""
    switch request {
    case .unset: break
    case .noTempo:
      correction = TempoCorrection(bpm: nil, grid: nil, corrected: .now)
      note = "no steady beat"
    case .set(let tempo, let shift, let bars):
      let result = try corrected(record, audio, tempo, shift, bars)
      correction = TempoCorrection(result.tempo, corrected: .now)
      note = result.note
    }
    let change = Change(
      path: record.path, audio: audio, before: record.tempo?.bpm,
      after: correction == nil ? found?.bpm : correction?.bpm,
      isLocked: correction != nil, note: note, copies: try store.fileCount(withAudio: audio) - 1)
    return (audio, correction, change)
  }

  /// Returns the requested tempo, and a remark about its beats.
  private func corrected(
    _ record: FileRecord, _ audio: ContentID, _ wanted: Tempo?, _ shift: Shift?, _ bars: Bars?
  ) throws -> (tempo: TempoFinding, note: String) {
    let path = record.path
    var note: String?
    var tempo: TempoFinding
    if case .beatsPerMinute(let bpm) = wanted {
      (tempo, note) = try self.tempo(bpm, of: record, audio)
    } else {
      guard let found = record.tempo, let now = found.bpm else { throw TempoChangeError.noTempo(path) }
      let ratio = if case .times(let ratio) = wanted { ratio } else { BeatRatio(1) }
      let new = now * ratio.value
      guard Self.tempi.contains(new) else { throw TempoChangeError.outOfRange(path, bpm: new) }
      tempo = found.multiplied(by: ratio).locked(at: new)
    }
    if let shift {
      guard tempo.beats.count > 1 else { throw TempoChangeError.noBeats(path, reason: note) }
      let duration = record.format?.duration
      switch shift {
      case .beats(let beats): tempo = tempo.shifted(byBeats: beats, duration: duration)
      case .seconds(let seconds): tempo = tempo.shifted(bySeconds: seconds, duration: duration)
      case .firstBeat(let seconds):
        guard seconds <= duration ?? .infinity else { throw TempoChangeError.endsBefore(path, seconds: seconds) }
        tempo = tempo.withBeat(at: seconds, duration: duration)
      }
    }
    switch bars {
    case nil: break
    case .ofBeats(let count):
      guard tempo.beats.count > 1 else { throw TempoChangeError.noBeats(path, reason: note) }
      tempo = tempo.withBars(ofBeats: count)
    case .laterByBeats(let count):
      guard let moved = tempo.withBars(laterByBeats: count) else { throw TempoChangeError.noBars(path) }
      tempo = moved
    }
    return (tempo, note ?? Self.beatText(tempo.beats.count))
  }

  /// Returns a tempo with the given beats per minute, its beats, and a remark about their origin. The remark is `nil`
  /// if the beats were derived exactly.
  private func tempo(
    _ bpm: Double, of record: FileRecord, _ audio: ContentID
  ) throws -> (TempoFinding, String?) {
    let now = record.tempo ?? TempoFinding(bpm: nil, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
    if now.beats.count > 1, let ratio = now.ratio(to: bpm) { return (now.multiplied(by: ratio).locked(at: bpm), nil) }
    guard let fitting else { return (now.locked(at: bpm), "beats to be laid on the audio") }
    do {
      let fitted = try fitting.finding(of: record.path, audio, bpm: bpm)
      var tempo = now
      tempo.isStable = fitted.isStable
      tempo.map = fitted.map
      tempo.beats = fitted.beats
      tempo.metre = nil
      tempo.downbeats = nil
      tempo.bpm = fitted.bpm
      return (tempo.locked(at: bpm), Self.beatText(tempo.beats.count) + " laid on the audio")
    } catch let failure as BeatFitting.Failure {
      if now.beats.count > 1, let ratio = now.roughRatio(to: bpm) {
        return (now.multiplied(by: ratio).locked(at: bpm), "the beats are those found, since \(failure.reason)")
      }
      return (now.withoutBeats(bpm: bpm), "no beats, since \(failure.reason)")
    }
  }

  private static func beatText(_ count: Int) -> String { counted(count, "beat") }

  package static func text(_ bpm: Double?) -> String {
    bpm.map { String(format: "%.2f BPM", $0) } ?? "no tempo"
  }
}

/// The reason a tempo cannot be set. If files were given by name, none of them was changed.
package enum TempoChangeError: Error, CustomStringConvertible {
  case noAudio(FilePath)
  /// The file has no tempo to multiply.
  case noTempo(FilePath)
  case outOfRange(FilePath, bpm: Double)
  case noBeats(FilePath, reason: String?)
  /// The downbeats are unknown.
  case noBars(FilePath)
  /// The file ends before the requested beat.
  case endsBefore(FilePath, seconds: Double)

  package var description: String {
    let sentence =
      switch self {
      case .noAudio(let path): "No audio was found in \(printable(path.string)), so there is nothing to set."
      case .noTempo(let path): "\(printable(path.string)) has no tempo to change. Give it one with --bpm."
      case .outOfRange(let path, let bpm):
        "The tempo of \(printable(path.string)) would become \(TempoChange.text(bpm))."
      case .noBeats(let path, let reason):
        "\(printable(path.string)) has no beats to move\(reason.map { ": \($0)" } ?? "")."
      case .noBars(let path):
        "It is not known where the bars of \(printable(path.string)) begin, so they cannot be moved."
      case .endsBefore(let path, let seconds): "\(printable(path.string)) ends before \(seconds) s."
      }
    return sentence + " Nothing was set."
  }

  /// The kind of error when there are many files: a machine-readable code, and text that completes “3 files …”.
  var kind: (code: String, text: String) {
    switch self {
    case .noAudio: ("no_audio", "without audio")
    case .noTempo: ("no_tempo", "without a tempo to change")
    case .outOfRange:
      (
        "out_of_range",
        "with a tempo that would not be from \(Int(TempoChange.tempi.lowerBound)) to "
          + "\(Int(TempoChange.tempi.upperBound)) BPM"
      )
    case .noBeats: ("no_beats", "without beats to move")
    case .noBars: ("no_bars", "without known bars to move")
    case .endsBefore: ("too_short", "that end before the beat")
    }
  }
}
