import Analysis
import ArgumentParser
import Foundation
import Pipeline
import Records
import ResultStore
import System
import SystemPackage
import Text

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Sets what analyzers got wrong; no analysis ever overwrites it.",
    discussion: """
      What is set belongs to the audio: it holds for copies of the file, and when the file is moved or its tags change. \
      Analyses go on beneath it, and --unset brings their result back. Reports made afterwards show it.

      Beats follow the tempo: at a multiple of it they are thinned or filled in, and for any other tempo the file is read \
      again and beats of that tempo are laid on its onsets.
      """)

  @Argument(help: ArgumentHelp("Files that were analyzed.", valueName: "file"))
  var files: [PathArgument]

  @Option(help: ArgumentHelp("The tempo in beats per minute.", valueName: "number"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp("So many times the tempo it has now: 2, 1/2, 3, 1/3, 3/2, 2/3, 4/3 or 3/4.", valueName: "ratio"),
    completion: .list(BeatRatio.all.dropFirst().map(\.description)))
  var times: String?

  @Flag(help: "Half the tempo it has now.")
  var half = false

  @Flag(help: "Twice the tempo it has now.")
  var double = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Move all beats by a part of a beat, such as 0.5 or -1/4; 1 moves downbeats.", valueName: "beats"))
  var shiftBeats: String?

  @Option(
    help: ArgumentHelp("Move all beats so that one lies here, in seconds from the start.", valueName: "seconds"))
  var firstBeat: Double?

  @Option(help: ArgumentHelp("Go back to what was found: bpm.", valueName: "what"), completion: .list(["bpm"]))
  var unset: String?

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func validate() throws {
    let tempi = [bpm != nil, times != nil, half, double].count { $0 }
    let shifts = [shiftBeats != nil, firstBeat != nil].count { $0 }
    if unset != nil {
      if tempi + shifts > 0 { throw ValidationError("--unset goes alone.") }
    } else if tempi > 1 || shifts > 1 || tempi + shifts == 0 {
      throw ValidationError(
        "Give one of --bpm, --times, --half, --double and --unset; or one of --shift-beats and --first-beat, alone or too."
      )
    }
    if let bpm, !Self.tempi.contains(bpm) {
      throw ValidationError("--bpm expects beats per minute, 10 to 1000, not \(bpm).")
    }
    if let times, BeatRatio(times) == nil {
      let valid = BeatRatio.all.dropFirst().map(\.description).joined(separator: ", ")
      throw ValidationError("--times expects one of \(valid), not '\(times)'.")
    }
    if let shiftBeats, Self.fraction(shiftBeats) == nil {
      throw ValidationError(
        "--shift-beats expects a number or fraction from -16 to 16, such as 0.5, not '\(shiftBeats)'.")
    }
    if let firstBeat, !(0...1e6).contains(firstBeat) {
      throw ValidationError("--first-beat expects seconds from the start, not \(firstBeat).")
    }
    if let unset, unset != "bpm" { throw ValidationError("--unset expects bpm, not '\(unset)'.") }
  }

  private static let tempi = 10.0...1000.0

  private static func fraction(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    let value = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0].flatMap { a in parts[1].map { a / $0 } } : nil
    return value.flatMap { (-16...16).contains($0) ? $0 : nil }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      let store = try settings.openStore(.readWrite)
      var corrections: [ContentID: TempoFinding?] = [:]
      var lines: [String] = []
      for file in files {
        guard let record = try store.record(at: file.path, long: ["beats"]) else {
          throw CommandFailure.unknownFile(file.path)
        }
        guard let audio = record.contentID else {
          throw CommandFailure(
            .fatal,
            "No audio was found in \(printable(file.path.string)), so there is nothing to set. Nothing was set.")
        }
        var result: (tempo: TempoFinding?, note: String) = (nil, "")
        if unset == nil { result = try corrected(record, audio, settings) }
        corrections[audio] = .some(result.tempo)
        let copies = try store.fileCount(withAudio: audio) - 1
        lines.append(
          "\(printable(DisplayPath.text(of: file.path))): \(Self.text(record.tempo?.bpm)) → "
            + (result.tempo.map { "\(Self.text($0.bpm)), locked; \(result.note)" }
              ?? "\(Self.text(record.foundTempo?.bpm)), as found")
            + (copies > 0 ? " (as well as \(copies) \(copies == 1 ? "copy" : "copies") of the same audio)" : ""))
      }
      try store.correctTempo(corrections)
      for line in lines { Terminal.writeLine(line) }
    }
  }

  /// The tempo as the options want it, and what is to be said of its beats.
  private func corrected(
    _ record: FileRecord, _ audio: ContentID, _ settings: CommandSettings
  ) throws -> (TempoFinding, String) {
    var note: String?
    var tempo: TempoFinding
    if let bpm {
      (tempo, note) = try self.tempo(bpm, of: record, audio, settings)
    } else {
      let path = printable(record.path.string)
      guard let found = record.tempo, let now = found.bpm else {
        throw CommandFailure(.fatal, "\(path) has no tempo to change. Give it one with --bpm. Nothing was set.")
      }
      let ratio = half ? BeatRatio(1, 2) : double ? BeatRatio(2) : times.flatMap { BeatRatio($0) } ?? BeatRatio(1)
      let new = now * ratio.value
      guard Self.tempi.contains(new) else {
        throw CommandFailure(.fatal, "The tempo of \(path) would become \(Self.text(new)). Nothing was set.")
      }
      tempo = found.multiplied(by: ratio).locked(at: new)
    }
    if shiftBeats != nil || firstBeat != nil {
      guard tempo.beats.count > 1 else {
        throw CommandFailure(
          .fatal,
          "\(printable(record.path.string)) has no beats to move\(note.map { ": \($0)" } ?? ""). Nothing was set.")
      }
      let duration = record.format?.duration
      if let shift = shiftBeats.flatMap(Self.fraction) { tempo = tempo.shifted(byBeats: shift, duration: duration) }
      if let firstBeat {
        guard firstBeat <= duration ?? .infinity else {
          throw CommandFailure(
            .fatal, "\(printable(record.path.string)) ends before \(firstBeat) s. Nothing was set.")
        }
        tempo = tempo.withBeat(at: firstBeat, duration: duration)
      }
    }
    return (tempo, note ?? Self.beatText(tempo.beats.count))
  }

  /// A tempo in beats per minute, with its beats, or why there are none.
  private func tempo(
    _ bpm: Double, of record: FileRecord, _ audio: ContentID, _ settings: CommandSettings
  ) throws -> (TempoFinding, String?) {
    let now = record.tempo ?? TempoFinding(bpm: nil, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
    if now.beats.count > 1, let ratio = now.ratio(to: bpm) { return (now.multiplied(by: ratio).locked(at: bpm), nil) }
    do {
      let fitted = try BeatFitting(settings).finding(of: record.path, audio, bpm: bpm)
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
      return (now.without(beatsFor: bpm), "no beats, since \(failure.reason)")
    }
  }

  private static func beatText(_ count: Int) -> String { count == 1 ? "1 beat" : "\(count) beats" }

  private static func text(_ bpm: Double?) -> String {
    bpm.map { String(format: "%.2f BPM", $0) } ?? "no tempo"
  }
}

extension FileRecord {
  /// What the analyzer says, whatever a person has set.
  var foundTempo: TempoFinding? { tempoCorrection.map(\.found) ?? tempo }
}
