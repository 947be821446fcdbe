public import Analysis

extension TempoCorrection {
  public var finding: TempoFinding {
    let found = found ?? TempoFinding(bpm: nil, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
    guard let bpm else { return found.withoutTempo() }
    guard let grid else {
      guard let ratio = found.roughRatio(to: bpm) else { return found.withoutBeats(bpm: bpm) }
      return found.multiplied(by: ratio).locked(at: bpm)
    }
    var result = found
    result.isStable = grid.isStable
    result.map = grid.map
    result.beats = grid.beats
    result.metre = grid.metre
    result.downbeats = grid.downbeats
    // Keeps `locked(at:)` from scaling the map, which has already been corrected.
    result.bpm = nil
    return result.locked(at: bpm)
  }
}
