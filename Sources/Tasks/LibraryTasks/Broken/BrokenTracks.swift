internal import Analysis
package import Filters
internal import LibraryStore
package import Records
package import ResultStore
internal import SystemPackage

/// Lists the files with a problem, worst first: damaged files, audible damage, and audio that is of lossy origin,
/// upsampled or padded.
package enum BrokenTracks {
  package struct Reason: Sendable, Hashable {
    /// The code of a `Problem`, the kind of a fault, or `lossy_origin`, `upsampled` or `padded`.
    package var kind: String
    /// A human-readable sentence.
    package var message: String
    package var startSeconds: Double?
    package var endSeconds: Double?
    package var channel: Int?
    package var confidence: Double?
  }

  package struct Track: Sendable {
    package var record: FileRecord
    /// The severity, from 0 to 1.
    package var severity: Double
    package var reasons: [Reason]
  }

  package struct Answer: Sendable {
    /// The tracks, worst first, then sorted by path.
    package var tracks: [Track]
    /// Number of files that were checked.
    package var count: Int
    /// Number of readable audio files without a `health` finding, so that it is unknown whether their audio is damaged.
    package var unjudgedCount: Int
  }

  /// - Parameters:
  ///   - filter: A filter for the files; `nil` for all files.
  ///   - severity: The minimum severity to list, from 0 to 1.
  /// - Throws: `StoreError`.
  package static func list(in store: ResultStore, matching filter: TrackFilter?, from severity: Double) throws -> Answer
  {
    var answer = Answer(tracks: [], count: 0, unjudgedCount: 0)
    try store.extract(RecordSelection(), matching: filter) { extract in
      try extract.forEachRecord { record in
        answer.count += 1
        if record.status != .failed, record.status != .skipped, record.findings[HealthFinding.self] == nil {
          answer.unjudgedCount += 1
        }
        let track = judged(record)
        if !track.reasons.isEmpty, track.severity >= severity { answer.tracks.append(track) }
      }
    }
    answer.tracks.sort { ($0.severity, $1.record.path.description) > ($1.severity, $0.record.path.description) }
    return answer
  }

  private static func judged(_ record: FileRecord) -> Track {
    var track = Track(record: record, severity: 0, reasons: [])
    func add(_ severity: Double, _ reasons: [Reason]) {
      guard !reasons.isEmpty else { return }
      track.reasons = severity > track.severity ? reasons + track.reasons : track.reasons + reasons
      track.severity = max(track.severity, severity)
    }
    if let problem = record.problem, [.failed, .partial].contains(record.status) {
      let isOfFile = ProblemWords(code: problem.code).cause == .file
      if isOfFile { add(record.status == .failed ? 1 : 0.95, [Reason(kind: problem.code, message: problem.message)]) }
    }
    if let health = record.findings[HealthFinding.self], let severity = health.severity {
      add(severity, reasons(of: health))
    }
    if let origin = record.findings[OriginFinding.self] {
      for (severity, reason) in reasons(of: origin) { add(severity, [reason]) }
    }
    return track
  }

  /// Returns a reason for each fault, grouped by kind, with the worst kind first.
  private static func reasons(of health: HealthFinding) -> [Reason] {
    var kinds: [String] = []
    for fault in health.faults where !kinds.contains(fault.kind) { kinds.append(fault.kind) }
    if let worst = health.worst, let index = kinds.firstIndex(of: worst) {
      kinds.remove(at: index)
      kinds.insert(worst, at: 0)
    }
    return kinds.flatMap { kind -> [Reason] in
      let places = health.faults.filter { $0.kind == kind }
      return places.map { fault in
        Reason(
          kind: kind, message: FaultWords.sentence(kind: kind, strength: fault.strength),
          startSeconds: fault.startSeconds, endSeconds: fault.endSeconds, channel: fault.channel,
          confidence: fault.confidence)
      }
    }
  }

  private static func reasons(of origin: OriginFinding) -> [(Double, Reason)] {
    var reasons: [(Double, Reason)] = []
    let evidence = origin.evidence.joined(separator: "; ")
    let words = evidence.isEmpty ? origin.text : "\(origin.text) (\(evidence))"
    if origin.verdict == OriginFinding.Verdict.lossy.rawValue {
      reasons.append(
        (0.5 * (origin.confidence ?? 1), Reason(kind: "lossy_origin", message: words, confidence: origin.confidence)))
    }
    if let rate = origin.upsampledFrom {
      let message = "No content above what a sample rate of \(rate) Hz can hold"
      reasons.append((0.2, Reason(kind: "upsampled", message: message)))
    }
    if origin.isPadded == true, let bits = origin.usedBits {
      reasons.append((0.1, Reason(kind: "padded", message: "Only \(bits) bits of each sample are used")))
    }
    return reasons
  }
}

/// Human-readable sentences for kinds of faults.
package enum FaultWords {
  package static func sentence(kind: String, strength: Double) -> String {
    let number = { (decimals: Int) in decimals == 0 ? "\(Int(strength.rounded()))" : "\((strength * 10).rounded() / 10)"
    }
    return switch kind {
    case "clipping": "Clipped: \(number(0)) samples cut flat"
    case "dropout": "Dropout of \(number(1)) ms"
    case "silence": "Digital silence of \(number(0)) ms in the middle of the audio"
    case "repeat": "A block of \(number(1)) ms is repeated"
    case "click": "Click, \(number(0)) times its surroundings"
    case "dc_offset": "DC offset of \(number(0)) dB"
    case "dead_channel": "A channel is dead"
    case "silent": "There is no sound, only silence"
    case "inverted": "One channel is the inverse of the other"
    case "identical": "Both channels are the same"
    case "hum": "Mains hum at \(number(0)) dB"
    case "hiss": "Hiss at \(number(0)) dB"
    case "cut_start": "Audio is cut off at the start"
    case "cut_end": "Audio is cut off at the end"
    default: kind
    }
  }
}
