internal import Landmarks

/// Two tracks that sound at the same time: a mash-up, or a mix while both decks play.
///
/// Each of them is in the way of the other: it explains peaks that the other one does not, and fits about as well. So
/// the places where one track has landmarks are taken out of the query, and the other one is judged by the rest. Tracks
/// that share a loop, or copies of each other, do not pass: without the landmarks of one, little of the other is left.
extension Matcher {
  /// What sounds together with a track that was found, if it is probable.
  mutating func companion(of track: HeardTrack, in query: RecognitionQuery) -> HeardTrack? {
    let columns = Int(track.part.lowerBound)..<Int(track.part.upperBound)
    guard columns.count >= Self.leastColumnCount else { return nil }
    let part = query.part(columns)
    var first = track.finding.hit
    first.placement = first.placement.moved(fromColumnCount: query.columnCount, to: columns)
    let isClear = track.finding.hit.z >= Self.clearFit * Float(columns.count).squareRoot()
    let isMixture = isClear && track.finding.overlap.explained < Self.mostExplained
    let stages = isMixture ? Self.mixtureStages : [Self.stages[0]]
    guard var finding = clearMatch(rest(of: part, without: first), in: stages), keepsItsLandmarks(finding.hit, in: part)
    else { return nil }
    finding.move(from: columns, toColumnCount: query.columnCount)
    return HeardTrack(finding: finding, part: heardPart(of: finding.hit, in: query))
  }

  /// In most clips nothing else sounds, and to look for it at all speeds and pitches costs as much as to look for what
  /// is in no catalog. So that is done only if the first track fits clearly, as in no noise, and leaves something to
  /// explain. Decks are brought to one tempo, hardly ever to another pitch alone.
  private static let mostExplained: Float = 0.95
  /// z over the root of the number of columns: 21 in ten seconds.
  private static let clearFit: Float = 1.2
  private static let mixtureStages = Array(stages.prefix(3))

  /// The best of some hits, if it and another one are probable once the landmarks of the other are taken out.
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

  /// A query without the places where the track of a hit has landmarks.
  private mutating func rest(of query: RecognitionQuery, without hit: Hit) -> RecognitionQuery {
    let places = MatchedFilter.with(query.filter) { filter in
      load(hit, filter)
      return points.map { filter.place(of: $0, hit.placement) }
    }
    return query.without(places ?? [])
  }

  /// Whether a track that was found in the rest of a query does not fit much better to all of it. Unrelated tracks
  /// share some 6% of their landmarks.
  private mutating func keepsItsLandmarks(_ hit: Hit, in query: RecognitionQuery) -> Bool {
    fit(hit, in: query, 0..<query.columnCount) * Self.leastShare <= hit.z
  }

  private static let leastShare: Float = 0.75
}
