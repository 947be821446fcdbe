package import Analysis
internal import Foundation
internal import Records

/// The details in a track's panel that are not in the columns: short data for all tracks of a small library, and curves
/// and beats for as many tracks as fit.
struct TrackDetails {
  private static let maxCandidates = 5
  private static let maxSections = 60
  private static let maxKeys = 4
  private static let maxKeySections = 24
  private static let maxTags = 40
  private static let maxTagLength = 500
  private static let maxOnsets = 6000
  private static let wavePoints = 432
  private static let maxFaults = 100

  private let others: FindingLines

  init(_ options: ReportOptions) {
    others = FindingLines(options.findings)
  }

  // MARK: Short

  /// Writes the short data as members of an object.
  func writeShort(_ record: FileRecord, into json: inout ScriptJSON) {
    if record.status != .ok { writeProblem(of: record, into: &json) }
    if !record.remarks.isEmpty || !(record.tags?.remarks.isEmpty ?? true) {
      json.key("remarks")
      json.strings(record.remarks.map(\.message) + (record.tags?.remarks ?? []))
    }
    if let tempo = record.tempo { write(tempo, into: &json) }
    if let key = record.findings[KeyFinding.self] { write(key, into: &json) }
    writeTags(record.tags, into: &json)
    if let sections = record.findings[SectionsFinding.self]?.map, !sections.isEmpty {
      json.key("sections")
      json.beginArray()
      for section in sections.prefix(Self.maxSections) {
        json.beginArray()
        json.number(section.startSeconds, decimals: 2)
        json.string(section.label)
        json.endArray()
      }
      json.endArray()
    }
    if let cues = record.findings[CuesFinding.self] { write(cues, into: &json) }
    if let faults = record.findings[HealthFinding.self]?.faults, !faults.isEmpty { write(faults, into: &json) }
    let texts = others.lines(of: record).map { $0.map { "\($0.label): \($0.text)" }.joined(separator: "; ") }
    if !texts.isEmpty {
      json.key("findings")
      json.strings(texts)
    }
  }

  private func writeProblem(of record: FileRecord, into json: inout ScriptJSON) {
    if let problem = record.problem {
      json.key("problem")
      json.beginObject()
      json.key("what")
      json.string(ProblemSentence.text(of: problem, record.format))
      json.key("do")
      json.string(ProblemWords(code: problem.code).advice())
      json.endObject()
    }
    if let size = record.sizeBytes {
      json.key("size")
      json.integer(size)
    }
    if let format = record.format, let claimed = format.claimedSeconds, let found = format.decodedSeconds,
      abs(claimed - found) > 0.1
    {
      json.key("claimed")
      json.number(claimed, decimals: 2)
    }
  }

  private func write(_ tempo: TempoFinding, into json: inout ScriptJSON) {
    let candidates = tempo.candidates.filter { $0.bpm.isFinite && $0.weight.isFinite }
    if !candidates.isEmpty {
      json.key("candidates")
      json.beginArray()
      for candidate in candidates.prefix(Self.maxCandidates) {
        json.beginArray()
        json.number(candidate.bpm, decimals: 1)
        json.number(candidate.weight, decimals: 3)
        json.endArray()
      }
      json.endArray()
    }
    let map = tempo.map.filter { $0.bpm.isFinite && $0.startSeconds.isFinite }
    if map.count > 1 {
      json.key("map")
      json.beginArray()
      for section in map.prefix(Self.maxSections) { json.numbers([section.startSeconds, section.bpm], decimals: 2) }
      json.endArray()
    }
    if let metre = tempo.metre {
      json.key("meter")
      json.string(metre)
    }
  }

  private func write(_ finding: KeyFinding, into json: inout ScriptJSON) {
    let candidates = finding.candidates.compactMap { candidate in
      CamelotIndex.index(key: candidate.key).map { ($0, candidate.probability) }
    }
    if !candidates.isEmpty {
      json.key("keys")
      json.beginArray()
      for (index, probability) in candidates.prefix(Self.maxKeys) {
        json.numbers([Double(index), probability], decimals: 3)
      }
      json.endArray()
    }
    let map = finding.map.compactMap { section in
      CamelotIndex.index(key: section.key).map { (section.startSeconds, $0) }
    }
    if map.count > 1 {
      json.key("key_map")
      json.beginArray()
      for (start, index) in map.prefix(Self.maxKeySections) { json.numbers([start, Double(index)], decimals: 1) }
      json.endArray()
    }
    if let tuning = finding.tuningHertz, tuning.isFinite {
      json.key("tuning")
      json.number(tuning, decimals: 1)
    }
  }

  private func write(_ cues: CuesFinding, into json: inout ScriptJSON) {
    func pair(_ name: String, _ first: Double?, _ second: Double?, decimals: Int = 2) {
      guard let first, let second, first.isFinite, second.isFinite else { return }
      json.key(name)
      json.numbers([first, second], decimals: decimals)
    }
    func place(_ name: String, _ seconds: Double?) {
      guard let seconds, seconds.isFinite else { return }
      json.key(name)
      json.number(seconds, decimals: 2)
    }
    json.key("cues")
    json.beginObject()
    place("first_beat", cues.firstBeat)
    place("intro_end", cues.introEnd)
    place("outro_start", cues.outroStart)
    pair("highlight", cues.highlightStart, cues.highlightEnd)
    pair("silence", cues.leadingSilence, cues.trailingSilence, decimals: 3)
    pair("fade", cues.fadeIn, cues.fadeOut, decimals: 1)
    json.endObject()
  }

  /// Writes the positions of faults, for the strip.
  private func write(_ faults: [HealthFinding.Fault], into json: inout ScriptJSON) {
    json.key("faults")
    json.beginArray()
    for fault in faults.prefix(Self.maxFaults) {
      json.beginArray()
      json.number(fault.startSeconds, decimals: 2)
      json.number(fault.endSeconds, decimals: 2)
      json.endArray()
    }
    json.endArray()
  }

  private func writeTags(_ tags: TagFinding?, into json: inout ScriptJSON) {
    guard let tags else { return }
    let rows = TagLabel.rows(of: tags)
    guard !rows.isEmpty else { return }
    json.key("tags")
    json.beginArray()
    for (label, value) in rows.prefix(Self.maxTags) {
      json.strings([label, String(value.prefix(Self.maxTagLength))])
    }
    json.endArray()
  }

  // MARK: Curves and beats

  /// Writes curves and beats as members of an object. The record must have been read with beats and waveform.
  func writeStrips(_ record: FileRecord, into json: inout ScriptJSON) {
    if let tempo = record.tempo { writeBeats(of: tempo, into: &json) }
    writeOnsets(of: record, into: &json)
    if let waveform = record.findings[WaveformFinding.self] { writeWave(waveform, into: &json) }
  }

  /// Writes the first beat and the intervals between beats, in whole milliseconds, and marks the downbeats. Writes
  /// nothing if an interval does not fit into two bytes.
  private func writeBeats(of tempo: TempoFinding, into json: inout ScriptJSON) {
    guard tempo.beats.allSatisfy({ $0.isFinite && abs($0) < 1e6 }), tempo.beats.count > 1 else { return }
    let times = tempo.beats.map { Int(($0 * 1000).rounded()) }
    let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
    guard let least = intervals.min(), let most = intervals.max(), least >= 0, most <= 0xFFFF else { return }
    let step = most - least <= 255 ? least + 128 : 0
    json.key("beats")
    json.beginArray()
    json.integer(times[0])
    json.integer(step)
    json.base64(
      step > 0
        ? intervals.map { UInt8($0 - step + 128) } : intervals.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    json.endArray()
    guard let downbeats = tempo.downbeats, !downbeats.isEmpty else { return }
    let marked = Set(downbeats.compactMap { $0.isFinite && abs($0) < 1e6 ? Int(($0 * 1000).rounded()) : nil })
    var bits = [UInt8](repeating: 0, count: (times.count + 7) / 8)
    for (index, time) in times.enumerated() where marked.contains(time) { bits[index / 8] |= 1 << UInt8(index % 8) }
    json.key("downbeats")
    json.base64(bits)
  }

  private func writeOnsets(of record: FileRecord, into json: inout ScriptJSON) {
    var values: [UInt8]
    var step: Double
    if let waveform = record.findings[WaveformFinding.self], !waveform.onsets.isEmpty {
      (values, step) = (waveform.onsets, waveform.onsetStepSeconds)
    } else if let onsets = record.tempo?.onsets, !onsets.values.isEmpty {
      let strengths = onsets.values.map { $0.isFinite ? max($0, 0) : 0 }
      let scale = 255 / max(strengths.max() ?? 0, 1e-9)
      (values, step) = (strengths.map { UInt8(min(($0 * scale).rounded(), 255)) }, onsets.stepSeconds)
    } else {
      return
    }
    guard step.isFinite, step > 0 else { return }
    let group = (values.count + Self.maxOnsets - 1) / Self.maxOnsets
    if group > 1 {
      values = stride(from: 0, to: values.count, by: group).map {
        values[$0..<min($0 + group, values.count)].max() ?? 0
      }
      step *= Double(group)
    }
    json.key("onsets")
    json.beginArray()
    json.number(step, decimals: 4)
    json.base64(values)
    json.endArray()
  }

  private func writeWave(_ waveform: WaveformFinding, into json: inout ScriptJSON) {
    let count = min(waveform.minima.count, waveform.maxima.count, waveform.rms.count)
    guard count > 0 else { return }
    let points = min(count, Self.wavePoints)
    var peaks: [UInt8] = []
    var means: [UInt8] = []
    for point in 0..<points {
      let range = point * count / points..<(point + 1) * count / points
      let magnitude = range.map { max(Int(waveform.maxima[$0]) - 128, 128 - Int(waveform.minima[$0])) }.max() ?? 0
      peaks.append(UInt8(min(max(2 * magnitude, 0), 255)))
      means.append(UInt8(range.reduce(0) { $0 + Int(waveform.rms[$1]) } / max(range.count, 1)))
    }
    json.key("wave")
    json.beginArray()
    json.base64(peaks)
    json.base64(means)
    json.endArray()
  }
}

extension AudioFormat {
  fileprivate var claimedSeconds: Double? { seconds(claimedFrameCount) }
  fileprivate var decodedSeconds: Double? { seconds(frameCount) }

  private func seconds(_ frames: Int64?) -> Double? {
    frames.flatMap { sampleRate > 0 ? Double($0) / Double(sampleRate) : nil }
  }
}

/// The problem of a file, as a sentence.
package enum ProblemSentence {
  package static func text(of problem: Problem, _ format: AudioFormat?) -> String {
    extent(of: problem, format) ?? problem.message
  }

  /// Returns how much of a truncated file could be read; `nil` if unknown.
  static func extent(of problem: Problem, _ format: AudioFormat?) -> String? {
    guard problem.code == "truncated", let claimed = format?.claimedSeconds, let found = format?.decodedSeconds,
      found < claimed, found >= 0
    else { return nil }
    if PageFormatter.clock(found) == PageFormatter.clock(claimed) {
      return "All but the last \(PageFormatter.decimal(max(claimed - found, 0.1))) s could be read."
    }
    func length(_ seconds: Double) -> String {
      claimed < 60 || seconds < 60 ? "\(PageFormatter.decimal(seconds)) s" : PageFormatter.clock(seconds)
    }
    return "Only the first \(length(found)) of \(length(claimed)) could be read."
  }
}
