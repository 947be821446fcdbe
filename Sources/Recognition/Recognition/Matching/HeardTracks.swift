internal import Landmarks

/// A track that is heard in a query.
struct HeardTrack {
  /// With places as they are in the whole query.
  var finding: Finding
  /// The columns of the query in which it is heard.
  var part: Range<Double>
}

/// All tracks of a query, one after another or one over another.
///
/// The query is matched as a whole; then what lies before and after the part in which the track is heard, each as a
/// query of its own. If two tracks are heard in about equal parts, neither explains the whole, and each is the other's
/// rival: then the parts in which they seem to be heard are judged for themselves, since only what explains the same
/// stretch is a rival.
extension Matcher {
  /// The probable tracks, in the order in which they begin.
  mutating func tracks(in query: RecognitionQuery) -> [HeardTrack] {
    var tracks: [HeardTrack] = []
    var open = [query.sound]
    while let columns = open.popLast() {
      guard let finding = finding(in: query, columns) else { continue }
      let heard = heardPart(of: finding.hit, in: query)
      let part = heard.clamped(to: Double(columns.lowerBound)..<Double(columns.upperBound))
      guard !part.isEmpty else { continue }
      if let index = tracks.firstIndex(where: { $0.isContinued(by: finding) }) {
        let known = tracks[index].part
        tracks[index].part =
          min(known.lowerBound, heard.lowerBound)..<max(known.upperBound, heard.upperBound)
      } else {
        tracks.append(HeardTrack(finding: finding, part: heard))
      }
      for rest in [columns.lowerBound..<Int(part.lowerBound), Int(part.upperBound)..<columns.upperBound]
      where rest.count >= Self.leastColumnCount && !goesOn(finding.hit, in: query, rest, from: part) {
        open.append(rest)
      }
    }
    for track in tracks {
      guard let companion = companion(of: track, in: query) else { continue }
      if !tracks.contains(where: { isCopy(companion.finding, of: $0.finding, in: query) }) { tracks.append(companion) }
    }
    return tracks.sorted { $0.part.lowerBound < $1.part.lowerBound }
  }

  /// Whether two findings are of one track or of copies of it. A passage that a track repeats fits at several places.
  private mutating func isCopy(_ finding: Finding, of other: Finding, in query: RecognitionQuery) -> Bool {
    for hit in [finding.hit] + finding.twins {
      for known in [other.hit] + other.twins where hit.isSameTrack(as: known) { return true }
    }
    return isSameRecording(finding.hit, as: other.hit, query)
  }

  /// Three seconds, in columns: of less, there is too little to tell a track by.
  static let leastColumnCount = 94

  /// The probable track of some columns.
  private mutating func finding(in query: RecognitionQuery, _ columns: Range<Int>) -> Finding? {
    let part = query.part(columns)
    var hits: [Hit] = []
    guard var finding = match(part, &hits) else { return nil }
    if finding.isAccepted {
      finding.move(from: columns, toColumnCount: query.columnCount)
      return finding
    }
    for hit in hits.prefix(Self.rivalCount) where hit.z >= Self.relocationThreshold {
      let heard = heardPart(of: hit, in: part)
      let narrow = Int(heard.lowerBound)..<Int(heard.upperBound)
      guard narrow.count >= Self.leastColumnCount, Double(narrow.count) < Self.mostOfPart * Double(part.columnCount),
        isProbable(hit, hits, in: part, narrow)
      else { continue }
      let inner = columns.lowerBound + narrow.lowerBound..<columns.lowerBound + narrow.upperBound
      if let finding = self.finding(in: query, inner) { return finding }
    }
    guard var separated = separated(hits, in: part) else { return nil }
    separated.move(from: columns, toColumnCount: query.columnCount)
    return separated
  }

  /// Hits that are looked at, if none explains the whole.
  static let rivalCount = 3
  /// A track heard in more than this share of a stretch has been judged with it.
  private static let mostOfPart = 0.85

  /// Whether a hit would be accepted in some columns, as far as is known without looking for others there.
  private mutating func isProbable(_ hit: Hit, _ hits: [Hit], in query: RecognitionQuery, _ columns: Range<Int>) -> Bool
  {
    let moved = hits.map { hit in
      var hit = hit
      hit.placement = hit.placement.moved(fromColumnCount: query.columnCount, to: columns)
      return hit
    }
    return judgement(of: hit, moved, in: query.part(columns))?.isAccepted ?? false
  }

  /// The finding of a hit, if it is the best of some hits in a query.
  mutating func judgement(of hit: Hit, _ hits: [Hit], in query: RecognitionQuery) -> Finding? {
    let finding = MatchedFilter.with(query.filter) { filter -> Finding? in
      var hits = hits
      for index in hits.indices {
        load(hits[index], filter)
        (hits[index].z, hits[index].placement) = points.withUnsafeBufferPointer {
          filter.best($0, hits[index].placement)
        }
      }
      hits.sort { $0.z > $1.z }
      guard let best = hits.first, best.isSameTrack(as: hit) else { return nil }
      return judge(hits, query, filter)
    }
    return finding ?? nil
  }

  /// Whether the track of a hit is heard in some columns about as well as in the part before or after them.
  private mutating func goesOn(_ hit: Hit, in query: RecognitionQuery, _ columns: Range<Int>, from part: Range<Double>)
    -> Bool
  {
    let z = fit(hit, in: query, columns)
    guard z >= Self.relocationThreshold else { return false }
    let heard = Int(part.lowerBound)..<max(Int(part.lowerBound) + 1, Int(part.upperBound))
    let expected = fit(hit, in: query, heard) * (Float(columns.count) / Float(heard.count)).squareRoot()
    return z >= expected / 2
  }

  /// How well the track of a hit fits to some columns.
  mutating func fit(_ hit: Hit, in query: RecognitionQuery, _ columns: Range<Int>) -> Float {
    let z = MatchedFilter.with(query.part(columns).filter) { filter -> Float in
      var hit = hit
      hit.placement = hit.placement.moved(fromColumnCount: query.columnCount, to: columns)
      load(hit, filter)
      return points.withUnsafeBufferPointer { filter.best($0, hit.placement).z }
    }
    return z ?? 0
  }
}

extension HeardTrack {
  /// Whether what was found in another part is the same recording at the same place.
  fileprivate func isContinued(by other: Finding) -> Bool {
    ([finding.hit] + finding.twins).contains { hit in
      ([other.hit] + other.twins).contains {
        hit.isSameTrack(as: $0) && abs(hit.placement.center - $0.placement.center) < Self.tolerance
      }
    }
  }

  /// A second, in columns.
  private static let tolerance = Float(LandmarkSpectrum.columnsPerSecond)
}
