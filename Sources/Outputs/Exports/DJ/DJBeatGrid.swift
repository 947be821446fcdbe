internal import Analysis
internal import Library

/// Beats in the form that DJ programs store: anchors, each followed by beats at a constant tempo.
struct DJBeatGrid: Equatable {
  struct Anchor: Equatable {
    /// Time of a beat, in seconds from the start of the audio.
    var seconds: Double
    /// The tempo from this beat on, in beats per minute.
    var bpm: Double
    /// Position of the beat in its bar, counted from 1; `nil` if bars are unknown.
    var beatInBar: Int?
    var beat: Int
  }

  /// The anchors in ascending order.
  var anchors: [Anchor]
  /// The time signature, such as `4/4`; `nil` if unknown.
  var metre: String?

  /// Maximum deviation, in seconds, of a beat from its time computed from the anchor before it.
  static let tolerance = 0.005

  /// Returns `nil` if there is no tempo, if there are fewer than two beats, or if their times do not ascend.
  ///
  /// A new anchor is set where no tempo that starts at the last anchor would keep all beats within `tolerance`.
  ///
  /// - Parameter bpmPlaces: Number of decimal places that the format has for tempi. Tempi are rounded accordingly, and
  ///   anchors are set so that the rounding errors do not accumulate over a long track.
  init?(_ tempo: TempoFinding, bpmPlaces: Int) {
    guard tempo.bpm != nil, tempo.beats.count > 1, zip(tempo.beats, tempo.beats.dropFirst()).allSatisfy({ $0 < $1 })
    else { return nil }
    let beats = tempo.beats
    let bars = BarNumbers(tempo)
    metre = tempo.metre
    anchors = []
    var start = 0
    while start < beats.count - 1 {
      let found = tempo.map.last { $0.startSeconds <= beats[start] }?.bpm
      let run = Self.run(of: beats, from: start, preferring: found, bpmPlaces: bpmPlaces)
      anchors.append(
        Anchor(seconds: beats[start], bpm: run.bpm, beatInBar: bars?.beatInBar(start), beat: start))
      start = run.last
    }
  }

  /// Returns the last beat and the tempo of the longest series of beats that starts at beat `start` and has a single
  /// tempo.
  ///
  /// Each beat bounds the period from both sides. The series is extended while a tempo with `bpmPlaces` decimals is
  /// within all bounds: the preferred tempo if possible, or else the least-squares tempo (the cone of O'Rourke, "An
  /// on-line algorithm for fitting straight lines between data ranges", 1981).
  private static func run(
    of beats: [Double], from start: Int, preferring preferred: Double?, bpmPlaces: Int
  ) -> (last: Int, bpm: Double) {
    var (shortest, longest) = (0.0, Double.infinity)
    let scale = (0..<bpmPlaces).reduce(1.0) { scale, _ in scale * 10 }
    func rounded(_ bpm: Double) -> Double { (bpm * scale).rounded() / scale }
    let preferred = preferred.map { rounded($0) } ?? 0
    var result = (last: start + 1, bpm: rounded(60 / (beats[start + 1] - beats[start])))
    // Sums for the least-squares fit of the period, with the first beat fixed.
    var (products, squares) = (0.0, 0.0)
    for index in start + 1..<beats.count {
      let count = Double(index - start)
      let time = beats[index] - beats[start]
      shortest = max(shortest, (time - tolerance) / count)
      longest = min(longest, (time + tolerance) / count)
      products += count * time
      squares += count * count
      guard shortest <= longest else { break }
      let period = min(max(products / squares, shortest), longest)
      let bpm = rounded(60 / period)
      // The rounded tempo is out of bounds only if the bounds are narrower than the rounding step.
      let choice = [preferred, bpm].first { $0 > 0 && (shortest...longest).contains(60 / $0) }
      guard let choice else { break }
      result = (index, choice)
    }
    return result
  }

  /// Returns the time of a beat in the grid, computed from the last anchor at or before it; `nil` if there is no such
  /// anchor.
  func time(ofBeat index: Int) -> Double? {
    guard let anchor = anchors.last(where: { $0.beat <= index }) else { return nil }
    return anchor.seconds + Double(index - anchor.beat) * 60 / anchor.bpm
  }
}

/// The positions of beats in their bars.
struct BarNumbers {
  /// The indices of the beats that begin bars, ascending.
  private let downbeats: [Int]
  private let beatsPerBar: Int

  /// Returns `nil` if bars are unknown.
  init?(_ tempo: TempoFinding) {
    guard let beatsPerBar = tempo.beatsPerBar else { return nil }
    self.beatsPerBar = beatsPerBar
    downbeats = tempo.downbeatNumbers
  }

  /// The first beat that begins a bar.
  var firstDownbeat: Int { downbeats[0] }

  /// Returns the position of a beat in its bar, counted from 1. Beats before the first downbeat are counted backward
  /// from it.
  func beatInBar(_ index: Int) -> Int {
    let downbeat = downbeats.last { $0 <= index } ?? downbeats[0]
    let offset = (index - downbeat) % beatsPerBar
    return (offset < 0 ? offset + beatsPerBar : offset) + 1
  }
}
