internal import Analysis
internal import Foundation
internal import HTTPTypes
internal import Library
internal import LibraryTasks
internal import Serving
internal import Text

struct TempoRequest {
  let change: TempoChange.Request
  /// `true` if the change is only shown, not stored.
  let isPreview: Bool

  static let members: [RouteParameter] = [
    .number("bpm"), .text("times"), .of("taps", .list(.number)), .of("no_tempo", .flag), .of("confirm", .flag),
    .number("shift_beats"), .number("shift_ms"), .number("first_beat_s"), .of("move_bar", .integer),
    .of("bar_beats", .integer), .of("preview", .flag),
  ]
  private static let fields = Set(members.map(\.name))

  /// - Parameter candidates: Tempi to which a tapped tempo snaps if it is near one of them.
  /// - Throws: `RequestError` with a sentence about an invalid field or combination of fields.
  init(_ body: [String: JSONValue], candidates: [Double]) throws {
    if let unknown = body.keys.sorted().first(where: { !Self.fields.contains($0) }) {
      let hint = Suggestion.hint(for: unknown, in: Self.fields.sorted())
      throw Self.invalid("There is no field '\(printable(String(unknown.prefix(40))))'; \(hint)")
    }
    isPreview = try Self.flag("preview", body)
    let (noTempo, confirm) = (try Self.flag("no_tempo", body), try Self.flag("confirm", body))
    let tempo = try Self.tempo(body, candidates)
    let shift = try Self.shift(body)
    let bars = try Self.bars(body)
    let isChange = tempo != nil || shift != nil || bars != nil
    switch (noTempo, confirm, isChange) {
    case (true, false, false): change = .noTempo
    case (false, true, false): change = .set(nil, nil)
    case (false, false, true): change = .set(tempo, shift, bars)
    case (false, false, false): throw Self.invalid("Say what to change: bpm, times, taps, a shift, bars, or no_tempo.")
    default: throw Self.invalid("no_tempo and confirm can't be combined with other changes.")
    }
  }

  private static func tempo(_ body: [String: JSONValue], _ candidates: [Double]) throws -> TempoChange.Tempo? {
    try one(of: ["bpm", "times", "taps"], body)
    let tempi = TempoChange.tempi
    if let bpm = try number("bpm", body, in: tempi) { return .beatsPerMinute(bpm) }
    switch body["times"] {
    case nil, .null?: break
    case .string(let text)?:
      guard let ratio = BeatRatio(text) else { fallthrough }
      return .times(ratio)
    default:
      let valid = BeatRatio.all.dropFirst().map(\.description).joined(separator: ", ")
      throw invalid("times expects one of \(valid), as a text.")
    }
    guard let taps = body["taps"], taps != .null else { return nil }
    guard case .array(let values) = taps, (TapTempo.minTaps...64).contains(values.count) else {
      throw invalid("taps expects \(TapTempo.minTaps) to 64 times in seconds.")
    }
    let times = values.compactMap(\.number)
    guard times.count == values.count, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw invalid("taps expects ascending times in seconds.")
    }
    var tapped = TapTempo()
    for time in times { tapped.tap(at: time) }
    guard let bpm = tapped.bpm(near: candidates), tempi.contains(bpm) else {
      throw invalid("These taps give no tempo. Tap at least \(TapTempo.minTaps) beats without a long pause.")
    }
    return .beatsPerMinute(bpm)
  }

  private static func shift(_ body: [String: JSONValue]) throws -> TempoChange.Shift? {
    try one(of: ["shift_beats", "shift_ms", "first_beat_s"], body)
    if let beats = try number("shift_beats", body, in: -16...16) { return .beats(beats) }
    if let milliseconds = try number("shift_ms", body, in: -60_000...60_000) { return .seconds(milliseconds / 1000) }
    return try number("first_beat_s", body, in: 0...1e6).map { .firstBeat($0) }
  }

  private static func bars(_ body: [String: JSONValue]) throws -> TempoChange.Bars? {
    try one(of: ["move_bar", "bar_beats"], body)
    if let beats = try whole("move_bar", body, in: -64...64) { return .laterByBeats(beats) }
    return try whole("bar_beats", body, in: 1...12).map { .ofBeats($0) }
  }

  // MARK: Values

  private static func one(of names: [String], _ body: [String: JSONValue]) throws {
    let given = names.filter { (body[$0] ?? .null) != .null }
    guard given.count <= 1 else { throw invalid("Give one of \(names.joined(separator: ", ")), not several.") }
  }

  private static func flag(_ name: String, _ body: [String: JSONValue]) throws -> Bool {
    switch body[name] {
    case nil, .null?: false
    case .bool(let value)?: value
    default: throw invalid("\(name) expects true or false.")
    }
  }

  private static func number(
    _ name: String, _ body: [String: JSONValue], in range: ClosedRange<Double>
  ) throws -> Double? {
    guard let value = body[name], value != .null else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw invalid("\(name) expects a number from \(text(range.lowerBound)) to \(text(range.upperBound)).")
    }
    return number
  }

  private static func whole(_ name: String, _ body: [String: JSONValue], in range: ClosedRange<Int>) throws -> Int? {
    guard let value = body[name], value != .null else { return nil }
    guard case .integer(let number) = value, range.contains(Int(clamping: number)) else {
      throw invalid("\(name) expects a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return Int(number)
  }

  private static func text(_ number: Double) -> String { String(format: "%g", number) }

  private static func invalid(_ sentence: String) -> RequestError { RequestError(.unprocessableContent, sentence) }
}

extension JSONValue {
  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
}
