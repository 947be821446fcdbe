internal import Landmarks
internal import Mathematics

/// Matches queries against a catalog and looks up the media items of the hits.
struct CatalogMatcher: ~Copyable {
  private let catalog: CustomCatalog
  private var matcher: Matcher

  /// - Parameters:
  ///   - catalog: A sealed catalog.
  ///   - parts: Remote catalogs that are matched as well.
  init(_ catalog: CustomCatalog, parts: [any CatalogPart] = []) {
    self.catalog = catalog
    matcher = Matcher(segments: catalog.segments, removed: catalog.removed, parts: parts)
  }

  /// Answers a request that treats this catalog as a part of a larger one.
  mutating func answer(_ question: [UInt8]) throws(PartFailure) -> [UInt8] {
    try matcher.answer(question, losses: catalog.losses)
  }

  /// Returns the remote catalogs that have failed to answer since the last call, and the segments of the local catalog
  /// that cannot be read.
  mutating func takeMissing() -> [MissingCatalog] { catalog.losses + matcher.takeMissing() }

  /// Returns the accepted tracks of a query, ordered by start.
  mutating func matches(_ query: RecognitionQuery, at start: Double = 0, elapsed: Double = 0) -> [SignatureMatch] {
    let rate = LandmarkSpectrum.columnsPerSecond
    matcher.begin()
    return matcher.tracks(in: query).map { track in
      let finding = track.finding
      var seen: Set<String> = []
      let items = ([finding.hit] + finding.twins).flatMap { hit -> [MatchedMediaItem] in
        let record = matcher.record(ofTrackOf: hit)
        // A track is reported only once, even if several segments or remote catalogs contain it.
        guard seen.insert(record.identifier).inserted else { return [] }
        return mediaItems(record, of: hit, query, confidence: finding.confidence, elapsed: elapsed)
      }
      return SignatureMatch(
        mediaItems: items, queryStart: start, queryDuration: query.duration,
        heard: track.part.lowerBound / rate..<track.part.upperBound / rate)
    }
  }

  /// Returns the best finding, whether accepted or not; `nil` if no place was found.
  /// - Parameter excluded: The identifier of a reference to ignore.
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

  /// Returns the position of the query's first sample in the reference, in seconds.
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
