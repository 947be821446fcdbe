import Analysis
import Application
import ArgumentParser
import ResultStore

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Correct a tempo or its beats; no analysis overwrites it",
    discussion: """
      What is set belongs to the audio: it holds for copies of the file, and when the file is moved or its tags change. \
      Analyses go on beneath it, and --unset brings their result back. Reports made afterwards show it.

      Beats follow the tempo: at a multiple of it they are thinned or filled in, and for any other tempo the file is read \
      again and beats of that tempo are laid on its onsets.
      """)

  @Argument(help: ArgumentHelp("Files that were analyzed", valueName: "file"))
  var files: [PathArgument]

  @Option(help: ArgumentHelp("The tempo in beats per minute", valueName: "number"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp("Multiply the present tempo: 2, 1/2, 3, 1/3, 3/2, 2/3, 4/3 or 3/4", valueName: "ratio"),
    completion: .list(BeatRatio.all.dropFirst().map(\.description)))
  var times: String?

  @Flag(help: "Halve the present tempo")
  var half = false

  @Flag(help: "Double the present tempo")
  var double = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Move all beats by a part of a beat, such as 0.5 or -1/4; 1 moves downbeats", valueName: "beats"))
  var shiftBeats: String?

  @Option(
    help: ArgumentHelp("Move all beats so that one lies here, in seconds from the start", valueName: "seconds"))
  var firstBeat: Double?

  @Option(help: ArgumentHelp("Go back to the analyzed value: bpm", valueName: "what"), completion: .list(["bpm"]))
  var unset: String?

  @OptionGroup
  var database: DatabaseArgument

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
    if let bpm, !TempoChange.tempi.contains(bpm) {
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

  private static func fraction(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    let value = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0].flatMap { a in parts[1].map { a / $0 } } : nil
    return value.flatMap { (-16...16).contains($0) ? $0 : nil }
  }

  /// What the options ask for, once they are valid.
  private var wish: TempoChange.Wish {
    if unset != nil { return .unset }
    let ratio = half ? BeatRatio(1, 2) : double ? BeatRatio(2) : times.flatMap { BeatRatio($0) }
    return .set(
      bpm.map { .beatsPerMinute($0) } ?? ratio.map { .times($0) },
      shiftBeats.flatMap(Self.fraction).map { .beats($0) } ?? firstBeat.map { .firstBeat($0) })
  }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      let change = TempoChange(
        wish, of: files.map(\.path), in: try settings.openStore(.readWrite),
        fitting: BeatFitting(timeLimit: settings.timeLimit) { settings.isolation($0, only: [], $1) })
      for change in try change.perform() { Terminal.writeLine(change.text) }
    }
  }
}
