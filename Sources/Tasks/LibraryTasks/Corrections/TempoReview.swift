package import Analysis
package import Filters
internal import Library
package import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage

/// A review of the tracks whose tempo is doubtful. Each decision is stored immediately, so a review can be ended at any
/// time, and the next one continues where it ended.
package struct TempoReview {
  package enum Decision: Hashable, Sendable {
    /// The tempo that was found is right.
    case confirm
    case half
    case double
    /// The tempo is this one, in beats per minute.
    case tempo(Double)
    /// There is no steady beat.
    case noTempo

    fileprivate var request: TempoChange.Request {
      switch self {
      case .confirm: .set(nil, nil)
      case .half: .set(.times(BeatRatio(1, 2)), nil)
      case .double: .set(.times(BeatRatio(2)), nil)
      case .tempo(let bpm): .set(.beatsPerMinute(bpm), nil)
      case .noTempo: .noTempo
      }
    }
  }

  package struct Tally: Hashable, Sendable {
    package var confirmed = 0
    package var changed = 0
    package var skipped = 0
  }

  private enum Step {
    case decided(isConfirmed: Bool)
    case skipped(wasSkipped: Bool)
  }

  /// The default minimum confidence of a tempo that is not doubtful.
  package static let doubtfulConfidence = 0.6

  private let store: ResultStore
  private let fitting: BeatFitting
  private let tracks: [DoubtfulTempo]
  /// Index of the current track in `tracks`; `tracks.count` at the end.
  private var place = 0
  private var steps: [(place: Int, step: Step)] = []
  package private(set) var tally = Tally()

  /// - Parameter tracks: The tracks in review order.
  package init(of tracks: [DoubtfulTempo], in store: ResultStore, fitting: BeatFitting) {
    self.tracks = tracks
    self.store = store
    self.fitting = fitting
  }

  /// Returns the tracks to review, in review order.
  /// - Parameters:
  ///   - filter: A filter for the tracks; `nil` for the whole library.
  ///   - limit: Maximum number of tracks; `nil` for all.
  package static func tracks(
    in store: ResultStore, below confidence: Double, matching filter: TrackFilter?, limit: Int?
  ) throws(StoreError) -> [DoubtfulTempo] {
    var tracks = try store.doubtfulTempi(below: confidence)
    if let filter {
      let matching = Set(try store.tracks(matching: filter).compactMap(\.contentID))
      tracks.removeAll { !matching.contains($0.audio) }
    }
    return limit.map { Array(tracks.prefix($0)) } ?? tracks
  }

  /// Total number of tracks.
  package var count: Int { tracks.count }
  /// Position of the current track, counted from 1.
  package var position: Int { place + 1 }
  package var canUndo: Bool { !steps.isEmpty }

  /// Returns the current track; `nil` at the end. Tracks whose audio was removed or changed, or whose tempo was
  /// corrected elsewhere in the meantime, are left out.
  package mutating func track() throws -> ReviewedTrack? {
    while place < tracks.count {
      let next = tracks[place]
      if let record = try store.record(at: next.path, long: ["beats"]), record.contentID == next.audio,
        record.tempoCorrection == nil, let track = ReviewedTrack(record)
      {
        return track
      }
      place += 1
    }
    return nil
  }

  /// Stores a decision about the current track and moves on. Returns `nil` at the end.
  /// - Throws: `TempoChangeError` if the track cannot have this tempo; `StoreError`.
  package mutating func decide(_ decision: Decision) throws -> TempoChange.Change? {
    guard place < tracks.count else { return nil }
    let change = TempoChange(decision.request, in: store, fitting: fitting)
    let changes = try change.perform(on: [tracks[place].path])
    steps.append((place, .decided(isConfirmed: decision == .confirm)))
    if decision == .confirm { tally.confirmed += 1 } else { tally.changed += 1 }
    place += 1
    return changes.first
  }

  /// Skips the current track. The next review shows it after the tracks that were not skipped.
  package mutating func skip() throws {
    guard place < tracks.count else { return }
    try store.skipTempo(of: tracks[place].audio)
    steps.append((place, .skipped(wasSkipped: tracks[place].wasSkipped)))
    tally.skipped += 1
    place += 1
  }

  /// Reverts the last decision or skip and returns to its track.
  /// - Returns: `false` if there is nothing to undo.
  package mutating func undo() throws -> Bool {
    guard let (last, step) = steps.last else { return false }
    let track = tracks[last]
    switch step {
    case .decided(let isConfirmed):
      try store.correctTempo([track.audio: nil])
      if track.wasSkipped { try store.skipTempo(of: track.audio) }
      if isConfirmed { tally.confirmed -= 1 } else { tally.changed -= 1 }
    case .skipped(let wasSkipped):
      try store.skipTempo(of: track.audio, wasSkipped)
      tally.skipped -= 1
    }
    steps.removeLast()
    place = last
    return true
  }
}

/// A track whose tempo is doubtful, with the data needed to decide.
package struct ReviewedTrack: Sendable {
  package struct Choice: Hashable, Sendable {
    /// The tempo in beats per minute.
    package var bpm: Double
    /// The tempo's share of the evidence, from 0 to 1; `nil` if the analyzer did not consider this tempo.
    package var weight: Double?
  }

  package var path: FilePath
  package var artist: String?
  package var title: String?
  /// The duration in seconds.
  package var duration: Double?
  package var tempo: TempoFinding
  package var found: Choice
  package var half: Choice
  package var double: Choice
  /// The other candidates, best first.
  package var others: [Choice]

  private static let maxOthers = 5
  /// Minimum share of the evidence for each of the other candidates.
  private static let minWeight = 0.01
  /// Maximum relative difference between two tempi that count as the same.
  private static let tempoTolerance = 0.02

  /// Returns `nil` if the record has no tempo.
  init?(_ record: FileRecord) {
    guard let tempo = record.tempo, let bpm = tempo.bpm else { return nil }
    path = record.path
    artist = record.track.artist
    title = record.track.titleTag
    duration = record.format?.duration
    self.tempo = tempo
    func isNear(_ a: Double, _ b: Double) -> Bool { abs(a / b - 1) <= Self.tempoTolerance }
    func choice(_ bpm: Double) -> Choice {
      Choice(bpm: bpm, weight: tempo.candidates.first { isNear($0.bpm, bpm) }?.weight)
    }
    found = choice(bpm)
    half = choice(bpm / 2)
    double = choice(bpm * 2)
    var others: [Choice] = []
    for candidate in tempo.candidates where candidate.weight >= Self.minWeight && others.count < Self.maxOthers {
      let known = [bpm, bpm / 2, bpm * 2] + others.map(\.bpm)
      if known.contains(where: { isNear($0, candidate.bpm) }) || !TempoChange.tempi.contains(candidate.bpm) { continue }
      others.append(Choice(bpm: candidate.bpm, weight: candidate.weight))
    }
    self.others = others
  }

  /// The candidates for a tapped tempo, in beats per minute.
  package var tempi: [Double] { [found.bpm, half.bpm, double.bpm] + others.map(\.bpm) }

  /// Describes a confidence in one or two words.
  package static func words(for confidence: Double) -> String {
    switch confidence {
    case ..<0.2: "very doubtful"
    case ..<0.4: "doubtful"
    case ..<0.6: "uncertain"
    case ..<0.8: "likely"
    default: "sure"
    }
  }

  /// A sentence that says why the tempo is doubtful; `nil` if there is nothing to add.
  package var doubt: String? {
    let octave = tempo.octaveConfidence
    guard octave > 0 else { return nil }
    if tempo.confidence / octave >= 0.75, octave < 0.75 {
      return "The pulse is clear; half or double tempo is in doubt."
    }
    if !tempo.isStable { return "The tempo varies." }
    return nil
  }
}
