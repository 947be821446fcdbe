internal import Glibc
internal import Landmarks

/// Matches queries with a catalog and looks up what the hits stand for.
struct CatalogMatcher: ~Copyable {
  private let catalog: CustomCatalog
  private var matcher: Matcher

  /// - Parameter catalog: Sealed.
  init(_ catalog: CustomCatalog) {
    self.catalog = catalog
    matcher = Matcher(segments: catalog.segments, removed: catalog.removed)
  }

  /// The probable tracks of a query, in the order in which they begin.
  mutating func matches(_ query: RecognitionQuery, at start: Double = 0, elapsed: Double = 0) -> [SignatureMatch] {
    let rate = LandmarkSpectrum.columnsPerSecond
    return matcher.tracks(in: query).map { track in
      let finding = track.finding
      let items = ([finding.hit] + finding.twins).flatMap {
        mediaItems(of: $0, query, confidence: finding.confidence, elapsed: elapsed)
      }
      return SignatureMatch(
        mediaItems: items, queryStart: start, queryDuration: query.duration,
        heard: track.part.lowerBound / rate..<track.part.upperBound / rate)
    }
  }

  /// The best that was found, probable or not.
  /// - Parameter excluded: A reference that is to be taken as not in the catalog.
  mutating func finding(for query: RecognitionQuery, without excluded: String?) -> Finding? {
    guard let excluded else { return matcher.match(query) }
    var removed = catalog.removed
    for segment in removed.indices {
      for track in 0..<catalog.segments[segment].trackCount
      where catalog.record(segment: segment, track: track).identifier == excluded { removed[segment].insert(track) }
    }
    var matcher = Matcher(segments: catalog.segments, removed: removed)
    return matcher.match(query)
  }

  /// Seconds from the start of the reference to where the query's first sample lies.
  func matchOffset(of hit: Matcher.Hit, _ query: RecognitionQuery) -> Double {
    let first = Double(hit.placement.center) - Double(hit.placement.slope) * Double(query.columnCount) / 2
    return first / LandmarkSpectrum.columnsPerSecond
  }

  func identifier(of hit: Matcher.Hit) -> String { catalog.record(segment: hit.segment, track: hit.track).identifier }

  private func mediaItems(of hit: Matcher.Hit, _ query: RecognitionQuery, confidence: Double, elapsed: Double)
    -> [MatchedMediaItem]
  {
    let record = catalog.record(segment: hit.segment, track: hit.track)
    let offset = matchOffset(of: hit, query)
    let skew = exp2(Double(hit.placement.shift) / Double(LandmarkSpectrum.bandsPerOctave)) - 1
    let duration =
      Double(catalog.segments[hit.segment].track(hit.track).columnCount) / LandmarkSpectrum.columnsPerSecond
    let items = record.items.filter { $0.applies(at: offset, skew: skew) }
    return (items.isEmpty ? [MediaItem()] : items).map {
      MatchedMediaItem(
        item: $0, referenceIdentifier: record.identifier, referenceDuration: duration, matchOffset: offset,
        elapsed: elapsed,
        speed: Double(hit.placement.slope), frequencySkew: skew, confidence: confidence)
    }
  }
}
