internal import Landmarks

/// Separates two tracks that sound at the same time, as in a mash-up, or in a mix while both decks play.
///
/// Each of the tracks hides the other: it explains peaks that the other one does not explain, and fits about as well.
/// Therefore, the places where one track has landmarks are removed from the query, and the other track is judged by the
/// rest. Tracks that share a loop, and copies of the same track, are rejected, because little of one remains without
/// the landmarks of the other.
extension Matcher {
  /// Returns an accepted track that sounds at the same time as a detected one; `nil` if there is none.
  mutating func companion(of track: DetectedTrack, in query: RecognitionQuery) -> DetectedTrack? {
    let columns = Int(track.part.lowerBound)..<Int(track.part.upperBound)
    guard columns.count >= Self.minColumnCount else { return nil }
    let part = query.part(columns)
    var first = track.finding.hit
    first.placement = first.placement.moved(fromColumnCount: query.columnCount, to: columns)
    let isClear = track.finding.hit.z >= Self.clearFit * Float(columns.count).squareRoot()
    let isMixture = isClear && track.finding.overlap.explained < Self.maxExplained
    let stages = isMixture ? Self.mixtureStages : [Self.stages[0]]
    guard var finding = clearMatch(rest(of: part, without: first), in: stages), keepsItsLandmarks(finding.hit, in: part)
    else { return nil }
    finding.move(from: columns, toColumnCount: query.columnCount)
    return DetectedTrack(finding: finding, part: detectedPart(of: finding.hit, in: query))
  }

  /// Maximum share of the query that the first track may explain for other speeds and tempos to be searched. Most clips
  /// contain a single track, and a search with all transforms is as slow as one for a track that the catalog lacks. The
  /// search thus runs only if the first track fits clearly, without noise, and leaves part of the query unexplained.
  /// DJs match tempos, but hardly ever change only the pitch.
  private static let maxExplained: Float = 0.95
  /// Minimum ratio of z to the square root of the number of columns. In ten seconds, z must thus be 21.
  private static let clearFit: Float = 1.2
  private static let mixtureStages = Array(stages.prefix(3))

  /// Returns the finding for the best hit if it and a rival are both accepted after the landmarks of the other one are
  /// removed; otherwise `nil`.
  mutating func separated(_ hits: [Hit], in query: RecognitionQuery) -> Finding? {
    guard let best = hits.first, best.z >= Self.relocationThreshold else { return nil }
    let rivals = hits.filter { !$0.isSameTrack(as: best) && $0.z >= Self.relocationThreshold }
    for rival in rivals.prefix(Self.rivalCount) {
      guard let finding = judgement(of: best, hits, in: rest(of: query, without: rival)), finding.isAccepted,
        keepsItsLandmarks(finding.hit, in: query),
        let other = judgement(of: rival, hits, in: rest(of: query, without: best)), other.isAccepted,
        keepsItsLandmarks(other.hit, in: query)
      else { continue }
      return finding
    }
    return nil
  }

  /// Returns a query without the places of a hit's landmarks.
  private mutating func rest(of query: RecognitionQuery, without hit: Hit) -> RecognitionQuery {
    let places = MatchedFilter.with(query.filter) { filter in
      load(hit, filter)
      return points.map { filter.place(of: $0, hit.placement) }
    }
    return query.without(places ?? [])
  }

  /// Returns whether a track that was found in the rest of a query does not fit the whole query much better. Unrelated
  /// tracks share about 6% of their landmarks.
  private mutating func keepsItsLandmarks(_ hit: Hit, in query: RecognitionQuery) -> Bool {
    fit(hit, in: query, 0..<query.columnCount) * Self.minShare <= hit.z
  }

  private static let minShare: Float = 0.75
}
