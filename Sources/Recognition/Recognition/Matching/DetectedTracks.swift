internal import Landmarks

/// A track detected in a query.
struct DetectedTrack {
  /// The finding, with placements in the whole query.
  var finding: Finding
  /// Columns of the query in which the track is heard.
  var part: Range<Double>
}

/// Detects all tracks of a query, whether they play in sequence or at the same time.
///
/// First, the query is matched as a whole. Then the columns before and after the part in which the track is heard are
/// each matched as separate queries. If two tracks are heard in parts of about equal length, neither explains the whole
/// query, and each counts as a rival of the other. In that case, the parts in which they seem to be heard are judged
/// separately, because only tracks that explain the same stretch are rivals.
extension Matcher {
  /// Returns the accepted tracks, ordered by start.
  mutating func tracks(in query: RecognitionQuery) -> [DetectedTrack] {
    var tracks: [DetectedTrack] = []
    var open = [query.sound]
    while let columns = open.popLast() {
      guard let finding = finding(in: query, columns) else { continue }
      let heard = detectedPart(of: finding.hit, in: query)
      let part = heard.clamped(to: Double(columns.lowerBound)..<Double(columns.upperBound))
      guard !part.isEmpty else { continue }
      if let index = tracks.firstIndex(where: { $0.isContinued(by: finding) }) {
        let known = tracks[index].part
        tracks[index].part =
          min(known.lowerBound, heard.lowerBound)..<max(known.upperBound, heard.upperBound)
      } else {
        tracks.append(DetectedTrack(finding: finding, part: heard))
      }
      for rest in [columns.lowerBound..<Int(part.lowerBound), Int(part.upperBound)..<columns.upperBound]
      where rest.count >= Self.minColumnCount && !continues(finding.hit, in: query, rest, from: part) {
        open.append(rest)
      }
    }
    for track in tracks {
      guard let companion = companion(of: track, in: query) else { continue }
      if !tracks.contains(where: { isCopy(companion.finding, of: $0.finding, in: query) }) { tracks.append(companion) }
    }
    return tracks.sorted { $0.part.lowerBound < $1.part.lowerBound }
  }

  /// Returns whether two findings are of the same track or of copies of it. A passage that is repeated in a track fits
  /// at several places.
  private mutating func isCopy(_ finding: Finding, of other: Finding, in query: RecognitionQuery) -> Bool {
    for hit in [finding.hit] + finding.twins {
      for known in [other.hit] + other.twins where hit.isSameTrack(as: known) { return true }
    }
    return isSameRecording(finding.hit, as: other.hit, query)
  }

  /// 3 s in columns. A track cannot be recognized in fewer columns.
  static let minColumnCount = 94

  /// Returns an accepted finding in a range of columns; `nil` if there is none.
  private mutating func finding(in query: RecognitionQuery, _ columns: Range<Int>) -> Finding? {
    let part = query.part(columns)
    var hits: [Hit] = []
    guard var finding = match(part, &hits) else { return nil }
    if finding.isAccepted {
      finding.move(from: columns, toColumnCount: query.columnCount)
      return finding
    }
    for hit in hits.prefix(Self.rivalCount) where hit.z >= Self.relocationThreshold {
      let heard = detectedPart(of: hit, in: part)
      let narrow = Int(heard.lowerBound)..<Int(heard.upperBound)
      guard narrow.count >= Self.minColumnCount, Double(narrow.count) < Self.maxPartShare * Double(part.columnCount),
        isProbable(hit, hits, in: part, narrow)
      else { continue }
      let inner = columns.lowerBound + narrow.lowerBound..<columns.lowerBound + narrow.upperBound
      if let finding = self.finding(in: query, inner) { return finding }
    }
    guard var separated = separated(hits, in: part) else { return nil }
    separated.move(from: columns, toColumnCount: query.columnCount)
    return separated
  }

  /// Maximum number of hits that are examined if none explains the whole query.
  static let rivalCount = 3
  /// Maximum share of a stretch that a part may cover to be judged separately. A track that is heard in more of the
  /// stretch has already been judged with the whole stretch.
  private static let maxPartShare = 0.85

  /// Returns whether a hit would be accepted in a range of columns if it were compared only with the known hits.
  private mutating func isProbable(_ hit: Hit, _ hits: [Hit], in query: RecognitionQuery, _ columns: Range<Int>) -> Bool
  {
    let moved = hits.map { hit in
      var hit = hit
      hit.placement = hit.placement.moved(fromColumnCount: query.columnCount, to: columns)
      return hit
    }
    return judgement(of: hit, moved, in: query.part(columns))?.isAccepted ?? false
  }

  /// Returns the finding for a hit; `nil` if a hit in another track fits the query better.
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

  /// Returns whether the track of a hit fits a range of columns about as well as it fits the part before or after them.
  private mutating func continues(
    _ hit: Hit, in query: RecognitionQuery, _ columns: Range<Int>, from part: Range<Double>
  ) -> Bool {
    let z = fit(hit, in: query, columns)
    guard z >= Self.relocationThreshold else { return false }
    let heard = Int(part.lowerBound)..<max(Int(part.lowerBound) + 1, Int(part.upperBound))
    let expected = fit(hit, in: query, heard) * (Float(columns.count) / Float(heard.count)).squareRoot()
    return z >= expected / 2
  }

  /// Returns the best z of a hit's track in a range of columns.
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

extension DetectedTrack {
  /// Returns whether a finding in another part is of the same recording at the same place.
  fileprivate func isContinued(by other: Finding) -> Bool {
    ([finding.hit] + finding.twins).contains { hit in
      ([other.hit] + other.twins).contains {
        hit.isSameTrack(as: $0) && abs(hit.placement.center - $0.placement.center) < Self.tolerance
      }
    }
  }

  /// 1 s in columns.
  private static let tolerance = Float(LandmarkSpectrum.columnsPerSecond)
}
