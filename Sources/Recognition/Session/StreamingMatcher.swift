internal import Landmarks

/// Matches a stream: keeps the last twelve seconds and asks for them again and again.
///
/// The first answers come after 3, 5 and 8 seconds, then one every four seconds.
struct StreamingMatcher: ~Copyable {
  let sampleRate: Int
  private var stream: LevelStream
  /// The last columns, oldest first.
  private var levels: [Int32] = []
  /// What is kept of the stream, in columns: never more than `window`.
  var keptColumnCount: Int { levels.count / LandmarkSpectrum.bandCount }
  /// Columns taken so far.
  private var columnCount = 0
  private var nextAttempt: Int

  /// Seconds of audio that are looked at together, and from one look to the next.
  static let window = 12.0
  static let step = 4.0
  private static let firstAttempts = [3.0, 5, 8]

  private static func columns(_ seconds: Double) -> Int { Int((seconds * LandmarkSpectrum.columnsPerSecond).rounded()) }

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    stream = LevelStream(sampleRate: sampleRate)
    nextAttempt = Self.columns(Self.firstAttempts[0])
  }

  /// Takes the next frames; the results that have become due.
  mutating func append(_ frames: Span<Float>, with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    var columns: [Int32] = []
    stream.push(frames) { columns += $0 }
    return take(columns, with: &matcher)
  }

  /// The last result, if there is anything that was not looked at.
  mutating func finish(with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    var columns: [Int32] = []
    stream.finish { columns += $0 }
    var results = take(columns, with: &matcher)
    let isNew = columnCount > nextAttempt - Self.columns(Self.step) + Self.columns(1)
    if isNew, levels.count / LandmarkSpectrum.bandCount >= Self.columns(2) { results.append(attempt(with: &matcher)) }
    return results
  }

  private mutating func take(_ columns: [Int32], with matcher: inout CatalogMatcher) -> [RecognitionSession.Result] {
    let bandCount = LandmarkSpectrum.bandCount
    var results: [RecognitionSession.Result] = []
    var next = 0
    while next < columns.count {
      let count = min(columns.count - next, (nextAttempt - columnCount) * bandCount)
      levels += columns[next..<next + count]
      next += count
      columnCount += count / bandCount
      let excess = levels.count - Self.columns(Self.window) * bandCount
      if excess > 0 { levels.removeFirst(excess) }
      if columnCount == nextAttempt {
        results.append(attempt(with: &matcher))
        let seconds = Self.firstAttempts.first { Self.columns($0) > columnCount }
        nextAttempt = seconds.map(Self.columns) ?? columnCount + Self.columns(Self.step)
      }
    }
    return results
  }

  private func attempt(with matcher: inout CatalogMatcher) -> RecognitionSession.Result {
    let query = RecognitionQuery(levels: levels)
    let rate = LandmarkSpectrum.columnsPerSecond
    let start = Double(columnCount - query.columnCount) / rate
    let matches = matcher.matches(query, at: start, elapsed: query.duration)
    return matches.isEmpty ? .noMatch(queryStart: start, queryDuration: query.duration) : .matches(matches)
  }
}
