internal import Landmarks

/// Matches a stream window by window: each query covers the last twelve seconds.
///
/// The first queries are due after 3, 5 and 8 seconds; after that, one is due every four seconds.
package struct StreamingMatcher: ~Copyable {
  package let sampleRate: Int
  private var stream: LevelStream
  /// The most recent columns, oldest first.
  private var levels: [Int32] = []
  /// Number of columns in the buffer, at most those of `window`.
  var keptColumnCount: Int { levels.count / LandmarkSpectrum.bandCount }
  /// Number of columns received so far.
  private var columnCount = 0
  private var nextAttempt: Int

  /// Length of the window of a query, in seconds.
  static let window = 12.0
  /// Time from the start of one window to the start of the next, in seconds.
  static let step = 4.0
  private static let firstAttempts = [3.0, 5, 8]
  /// Minimum number of seconds for which a track must be heard to be reported, unless it fills the window.
  ///
  /// Tracks may start or end anywhere in a window. A second of speech or of a jingle is therefore compared with the
  /// starts and ends of all tracks in the catalog. It is bound to resemble one of them, because many tracks start with
  /// silence and a hit. If a track continues, the next window contains four more seconds of it.
  static let minHeardDuration = 3.0

  private static func columns(_ seconds: Double) -> Int { Int((seconds * LandmarkSpectrum.columnsPerSecond).rounded()) }

  package init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
    nextAttempt = Self.columns(Self.firstAttempts[0])
  }

  /// A query that has become due.
  package struct Query: Sendable {
    /// The query created from the window.
    let heard: RecognitionQuery
    /// Start of the window, in seconds from the start of the stream.
    let start: Double

    func result(with matcher: inout CatalogMatcher) -> RecognitionSession.Result {
      let matches = matcher.matches(heard, at: start, elapsed: heard.duration).filter {
        $0.fillsQuery || $0.heardDuration >= StreamingMatcher.minHeardDuration
      }
      return matches.isEmpty ? .noMatch(queryStart: start, queryDuration: heard.duration) : .matches(matches)
    }
  }

  /// Appends the next frames. Returns the queries that they complete.
  package mutating func append(_ frames: Span<Float>) -> [Query] {
    var columns: [Int32] = []
    stream.push(frames) { columns += $0 }
    return take(columns)
  }

  /// Ends the stream. Returns the queries that the last columns complete, and one more if enough audio has not been
  /// queried yet.
  package mutating func finish() -> [Query] {
    var columns: [Int32] = []
    stream.finish { columns += $0 }
    var queries = take(columns)
    let isNew = columnCount > nextAttempt - Self.columns(Self.step) + Self.columns(1)
    if isNew, levels.count / LandmarkSpectrum.bandCount >= Self.columns(2) { queries.append(query) }
    return queries
  }

  /// Appends the next frames. Returns the results that they complete.
  mutating func append(_ frames: Span<Float>, with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    append(frames).map { $0.result(with: &matcher) }
  }

  /// Ends the stream. Returns the remaining results.
  mutating func finish(with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    finish().map { $0.result(with: &matcher) }
  }

  private mutating func take(_ columns: [Int32]) -> [Query] {
    let bandCount = LandmarkSpectrum.bandCount
    var queries: [Query] = []
    var next = 0
    while next < columns.count {
      let count = min(columns.count - next, (nextAttempt - columnCount) * bandCount)
      levels += columns[next..<next + count]
      next += count
      columnCount += count / bandCount
      let excess = levels.count - Self.columns(Self.window) * bandCount
      if excess > 0 { levels.removeFirst(excess) }
      if columnCount == nextAttempt {
        queries.append(query)
        let seconds = Self.firstAttempts.first { Self.columns($0) > columnCount }
        nextAttempt = seconds.map(Self.columns) ?? columnCount + Self.columns(Self.step)
      }
    }
    return queries
  }

  private var query: Query {
    let query = RecognitionQuery(levels: levels)
    return Query(heard: query, start: Double(columnCount - query.columnCount) / LandmarkSpectrum.columnsPerSecond)
  }
}
