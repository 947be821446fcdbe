internal import Mathematics
internal import Landmarks

/// Matches queries with a catalog and looks up what the hits stand for.
struct CatalogMatcher: ~Copyable {
  private let catalog: CustomCatalog
  private var matcher: Matcher

  /// - Parameters:
  ///   - catalog: Sealed.
  ///   - parts: Catalogs elsewhere that are asked, too.
  init(_ catalog: CustomCatalog, parts: [any CatalogPart] = []) {
    self.catalog = catalog
    matcher = Matcher(segments: catalog.segments, removed: catalog.removed, parts: parts)
  }

  /// The answer to what is asked of the catalog as a part of a larger one.
  mutating func answer(_ question: PartQuestion) -> [UInt8] { matcher.answer(question) }

  /// The parts that have not answered since this was asked last.
  mutating func takeMissing() -> [MissingCatalog] { matcher.takeMissing() }

  /// The probable tracks of a query, in the order in which they begin.
  mutating func matches(_ query: RecognitionQuery, at start: Double = 0, elapsed: Double = 0) -> [SignatureMatch] {
    let rate = LandmarkSpectrum.columnsPerSecond
    matcher.begin()
    return matcher.tracks(in: query).map { track in
      let finding = track.finding
      var seen: Set<String> = []
      let items = ([finding.hit] + finding.twins).flatMap { hit -> [MatchedMediaItem] in
        let record = matcher.record(ofTrackOf: hit)
        // What several parts have is one track.
        guard seen.insert(record.identifier).inserted else { return [] }
        return mediaItems(record, of: hit, query, confidence: finding.confidence, elapsed: elapsed)
      }
      return SignatureMatch(
        mediaItems: items, queryStart: start, queryDuration: query.duration,
        heard: track.part.lowerBound / rate..<track.part.upperBound / rate)
    }
  }

  /// The best that was found, probable or not.
  /// - Parameter excluded: A reference that is to be taken as not in the catalog.
  mutating func finding(for query: RecognitionQuery, without excluded: String?) -> Finding? {
    matcher.begin()
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

  func identifier(of hit: Matcher.Hit) -> String { matcher.record(ofTrackOf: hit).identifier }

  private func mediaItems(
    _ record: ReferenceRecord, of hit: Matcher.Hit, _ query: RecognitionQuery, confidence: Double, elapsed: Double
  ) -> [MatchedMediaItem] {
    let offset = matchOffset(of: hit, query)
    let skew = exp2(Double(hit.placement.shift) / Double(LandmarkSpectrum.bandsPerOctave)) - 1
    let duration = Double(matcher.columnCount(ofTrackOf: hit)) / LandmarkSpectrum.columnsPerSecond
    let items = record.items.filter { $0.applies(at: offset, skew: skew) }
    return (items.isEmpty ? [MediaItem()] : items).map {
      MatchedMediaItem(
        item: $0, referenceIdentifier: record.identifier, referenceDuration: duration, matchOffset: offset,
        elapsed: elapsed,
        speed: Double(hit.placement.slope), frequencySkew: skew, confidence: confidence)
    }
  }
}
