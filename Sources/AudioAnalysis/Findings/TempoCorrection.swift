/// What a person has said about the tempo of a recording. It counts instead of what was found, whatever is found later.
public struct TempoCorrection: Hashable, Sendable {
  public var bpm: Double
  public var corrected: Timestamp
  /// What the analyzer says; `nil` if it has not been at it.
  public var found: TempoFinding?

  public init(bpm: Double, corrected: Timestamp, found: TempoFinding?) {
    self.bpm = bpm
    self.corrected = corrected
    self.found = found
  }

  /// The finding as the person has corrected it.
  ///
  /// If the tempo is the found one, or 2 or 3 times as fast or slow, to within 4% (as right tempi are counted in the
  /// literature), the map follows it, and the beats are kept, thinned or filled in. Else there is one section, and no beats.
  public var finding: TempoFinding {
    var result =
      found ?? TempoFinding(bpm: nil, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
    result.bpm = bpm
    result.confidence = 1
    result.octaveConfidence = 1
    result.reason = nil
    let ratio = found?.bpm.map { bpm / $0 } ?? 0
    let factor = [1, 2, 3, 0.5, 1.0 / 3].first { abs(ratio / $0 - 1) <= 0.04 }
    guard let factor else {
      result.isStable = true
      result.map = [TempoFinding.Section(startSeconds: 0, bpm: bpm)]
      result.beats = []
      result.metre = nil
      result.downbeats = nil
      return result
    }
    for index in result.map.indices { result.map[index].bpm *= ratio }
    if factor == 1 { return result }
    result.beats =
      factor > 1
      ? Self.filled(result.beats, Int(factor.rounded()))
      : Self.thinned(result.beats, Int((1 / factor).rounded()), from: result.downbeats?.first)
    // How the new beats make up bars is not known.
    result.metre = nil
    result.downbeats = nil
    return result
  }

  private static func filled(_ beats: [Double], _ factor: Int) -> [Double] {
    var filled: [Double] = []
    filled.reserveCapacity(beats.count * factor)
    for (beat, next) in zip(beats, beats.dropFirst()) {
      for part in 0..<factor { filled.append(beat + (next - beat) * Double(part) / Double(factor)) }
    }
    if let last = beats.last { filled.append(last) }
    return filled
  }

  /// Every second or third beat: those with the first downbeat among them, or with the first beat if no downbeat is sure.
  private static func thinned(_ beats: [Double], _ factor: Int, from downbeat: Double?) -> [Double] {
    let first = downbeat.flatMap { downbeat in beats.firstIndex { $0 >= downbeat - 0.01 } } ?? 0
    return stride(from: first % factor, to: beats.count, by: factor).map { beats[$0] }
  }
}
