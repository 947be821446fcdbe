internal import Landmarks

/// Matches a stream: keeps the last twelve seconds and asks for them again and again.
///
/// The first answers come after 3, 5 and 8 seconds, then one every four seconds.
package struct StreamingMatcher: ~Copyable {
  package let sampleRate: Int
  private var stream: LevelStream
  /// The last columns, oldest first.
  private var levels: [Int32] = []
  /// The columns that are kept of the stream: never more than `window`.
  var keptColumnCount: Int { levels.count / LandmarkSpectrum.bandCount }
  /// Columns taken so far.
  private var columnCount = 0
  private var nextAttempt: Int

  /// Seconds of audio that are looked at together, and from one look to the next.
  static let window = 12.0
  static let step = 4.0
  private static let firstAttempts = [3.0, 5, 8]
  /// Seconds of a track from which on a window reports it, unless the track is all there is in the window.
  ///
  /// A window is searched for tracks that begin or end anywhere in it. So a second of speech or of a jingle is compared
  /// with all starts and ends of the catalog, and comes near to one of them: many tracks begin with silence and a hit.
  /// If a track plays on, the next window has four seconds more of it.
  static let leastHeard = 3.0

  private static func columns(_ seconds: Double) -> Int { Int((seconds * LandmarkSpectrum.columnsPerSecond).rounded()) }

  package init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
    nextAttempt = Self.columns(Self.firstAttempts[0])
  }

  /// A question that has become due.
  package struct Query: Sendable {
    /// The query of the last seconds.
    let heard: RecognitionQuery
    /// Seconds from the start of the stream to its start.
    let start: Double

    func result(with matcher: inout CatalogMatcher) -> RecognitionSession.Result {
      let matches = matcher.matches(heard, at: start, elapsed: heard.duration).filter {
        $0.fillsQuery || $0.heardDuration >= StreamingMatcher.leastHeard
      }
      return matches.isEmpty ? .noMatch(queryStart: start, queryDuration: heard.duration) : .matches(matches)
    }
  }

  /// Takes the next frames; the questions that have become due.
  package mutating func append(_ frames: Span<Float>) -> [Query] {
    var columns: [Int32] = []
    stream.push(frames) { columns += $0 }
    return take(columns)
  }

  /// The last question, if there is anything that was not looked at.
  package mutating func finish() -> [Query] {
    var columns: [Int32] = []
    stream.finish { columns += $0 }
    var queries = take(columns)
    let isNew = columnCount > nextAttempt - Self.columns(Self.step) + Self.columns(1)
    if isNew, levels.count / LandmarkSpectrum.bandCount >= Self.columns(2) { queries.append(query) }
    return queries
  }

  /// Takes the next frames; the results that have become due.
  mutating func append(_ frames: Span<Float>, with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    append(frames).map { $0.result(with: &matcher) }
  }

  /// The last result, if there is anything that was not looked at.
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
