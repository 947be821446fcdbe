/// Aligns a recording that is divided into blocks with another one, based on the places of the blocks in the other one.
///
/// Places that belong together form a line, whose offset changes with time if the speeds differ. The best line is the
/// main stretch. Where something was cut or inserted, runs of blocks that are off this line may form parallel lines.
struct AlignmentSearch<Blocks: SoundBlocks> {
  /// The slopes to search: seconds of the other recording per second of this one, minus 1; at most ±4%.
  private static var slopes: [Double] {
    [0] + (1...40).flatMap { (step: Int) -> [Double] in [0.001 * Double(step), -0.001 * Double(step)] }
  }
  /// Minimum magnitude of a slope; smaller slopes count as zero.
  private static var minSlope: Double { 0.0008 }
  private static var maxStretches: Int { 6 }
  /// Minimum number of blocks in each stretch other than the main one.
  private static var minRun: Int { 2 }

  private let blocks: Blocks
  private let audible: [Int]
  private let places: [Int: [BlockPlace]]

  /// A line of blocks: the offset at frame 0, and its change per frame.
  private struct Line {
    var offset: Double
    var slope: Double

    func offset(at frame: Double) -> Double { offset + slope * frame }
  }

  /// The blocks on a line.
  private struct Found {
    var line: Line
    /// Blocks in ascending order, with their scores.
    var scores: [(block: Int, score: Double)]

    var sum: Double { scores.reduce(0) { $0 + $1.score } }
  }

  init(_ blocks: Blocks) {
    self.blocks = blocks
    let audible = (0..<blocks.blockCount).filter { blocks.isAudible($0) }
    self.audible = audible
    var places: [Int: [BlockPlace]] = [:]
    // Searching for a sample of the blocks first rejects most candidates that are similar by chance.
    let some = stride(from: 0, to: audible.count, by: Self.sampleStep).map { audible[$0] }
    for block in some { places[block] = blocks.places(of: block) }
    if some.count < Self.minSampleSize || Self.hasLine(places.values.joined()) {
      for block in audible where places[block] == nil { places[block] = blocks.places(of: block) }
    } else {
      places = [:]
    }
    self.places = places
  }

  /// Spacing of the blocks that are searched for first.
  private static var sampleStep: Int { 3 }
  /// Minimum number of sampled blocks; with fewer, all blocks are searched for.
  private static var minSampleSize: Int { 12 }

  /// `true` if three places have the same offset to within a second. Between blocks that are close together, a
  /// difference in speed changes the offset by less than that.
  private static func hasLine(_ places: some Sequence<BlockPlace>) -> Bool {
    let offsets = places.filter { $0.score >= Blocks.minScore }.map(\.offset).sorted()
    let reach = Int(Blocks.framesPerSecond)
    return zip(offsets, offsets.dropFirst(2)).contains { $1 - $0 <= reach }
  }

  /// Returns the alignment; `nil` if no audible block is found in the other recording.
  /// - Parameters:
  ///   - own: Duration of the recording that is divided into blocks, in seconds.
  ///   - other: Duration of the other recording, in seconds.
  func alignment(basis: Alignment.Basis, own: Double, other: Double) -> Alignment? {
    guard !audible.isEmpty, let main = bestLine(), !main.scores.isEmpty else { return nil }
    var all = [main]
    var rest = audible.filter { block in !main.scores.contains { $0.block == block } }
    while all.count < Self.maxStretches, let next = nextStretch(in: rest, beside: all) {
      all.append(next)
      rest.removeAll { block in next.scores.contains { $0.block == block } }
    }
    all.sort { $0.scores[0].block < $1.scores[0].block }
    let count = all.reduce(0) { $0 + $1.scores.count }
    let rate = Blocks.framesPerSecond
    return Alignment(
      basis: basis,
      stretches: stretches(all, own: own * rate, other: other * rate).map {
        Alignment.Stretch(
          first: $0.0.lowerBound / rate..<$0.0.upperBound / rate,
          second: $0.1.lowerBound / rate..<$0.1.upperBound / rate)
      }, speed: 1 / (1 + main.line.slope), coverage: Double(count) / Double(audible.count),
      agreement: all.reduce(0) { $0 + $1.sum } / Double(count),
      mainCoverage: Double(all.map(\.scores.count).max() ?? 0) / Double(audible.count), blockCount: audible.count)
  }

  private func middle(_ block: Int) -> Double { (Double(block) + 0.5) * Double(Blocks.length) }

  // MARK: Lines

  private func bestLine() -> Found? {
    var best: (sum: Double, line: Line)?
    let points = audible.flatMap { block in places[block, default: []].map { (frame: middle(block), place: $0) } }
    for slope in Self.slopes {
      let offsets = points.map { (offset: Double($0.place.offset) - slope * $0.frame, score: $0.place.score) }
        .sorted { $0.offset < $1.offset }
      var (start, sum) = (0, 0.0)
      for end in offsets.indices {
        sum += offsets[end].score
        while offsets[end].offset - offsets[start].offset > Blocks.tolerance {
          sum -= offsets[start].score
          start += 1
        }
        // Prefers the flattest of about equally good lines.
        if sum > (best?.sum ?? 0) * 1.02 + 1e-9 {
          best = (sum, Line(offset: (offsets[start].offset + offsets[end].offset) / 2, slope: slope))
        }
      }
    }
    guard let line = best?.line else { return nil }
    return blocksOn(refined(line), among: audible)
  }

  /// Fits a line by least squares to the points that are near `line`. Returns `line` if there are fewer than two.
  private func refined(_ line: Line) -> Line {
    var near: [(x: Double, y: Double)] = []
    for block in audible {
      let frame = middle(block)
      for place in places[block, default: []]
      where abs(Double(place.offset) - line.offset(at: frame)) <= Blocks.tolerance && place.score >= Blocks.minScore {
        near.append((frame, Double(place.offset)))
      }
    }
    guard near.count >= 2 else { return line }
    let count = Double(near.count)
    let (meanX, meanY) = (near.reduce(0) { $0 + $1.x } / count, near.reduce(0) { $0 + $1.y } / count)
    let spread = near.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    guard spread > 0 else { return line }
    let slope = near.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
    if abs(slope) < Self.minSlope { return Line(offset: meanY, slope: 0) }
    return Line(offset: meanY - slope * meanX, slope: slope)
  }

  private func blocksOn(_ line: Line, among candidates: [Int]) -> Found {
    var found = Found(line: line, scores: [])
    for block in candidates {
      let place = line.offset(at: Double(block * Blocks.length))
      let score = blocks.score(of: block, at: place, speed: 1 + line.slope)
      if score >= Blocks.minScore { found.scores.append((block, score)) }
    }
    return found
  }

  /// Returns the stretch with the most blocks on a line parallel to the main one, among the stretches whose order
  /// relative to the known ones is the same in both recordings; `nil` if none has at least `minRun` blocks.
  private func nextStretch(in rest: [Int], beside all: [Found]) -> Found? {
    let slope = all[0].line.slope
    var offsets: [(offset: Double, block: Int)] = []
    for block in rest {
      for place in places[block, default: []] where place.score >= Blocks.minScore {
        offsets.append((Double(place.offset) - slope * middle(block), block))
      }
    }
    offsets.sort { $0.offset != $1.offset ? $0.offset < $1.offset : $0.block < $1.block }
    var best: Found?
    var start = 0
    for end in offsets.indices {
      while offsets[end].offset - offsets[start].offset > Blocks.tolerance { start += 1 }
      let line = Line(offset: (offsets[start].offset + offsets[end].offset) / 2, slope: slope)
      let members = Set(offsets[start...end].map(\.block)).sorted()
      guard members.count >= Self.minRun, members.count > best?.scores.count ?? 0 else { continue }
      let found = blocksOn(line, among: members)
      if found.scores.count >= Self.minRun, found.scores.count > best?.scores.count ?? 0, isInOrder(found, all) {
        best = found
      }
    }
    return best
  }

  /// `true` if a stretch has the same order relative to the others in both recordings, to within one block.
  private func isInOrder(_ found: Found, _ all: [Found]) -> Bool {
    let own = range(of: found)
    return all.allSatisfy { other in
      let others = range(of: other)
      if own.first.upperBound <= others.first.lowerBound {
        return own.second.upperBound <= others.second.lowerBound + Double(Blocks.length)
      }
      if own.first.lowerBound >= others.first.upperBound {
        return own.second.lowerBound >= others.second.upperBound - Double(Blocks.length)
      }
      return false
    }
  }

  /// Returns the ranges of frames that the blocks of a stretch cover in both recordings.
  private func range(of found: Found) -> (first: Range<Double>, second: Range<Double>) {
    let start = Double((found.scores.first?.block ?? 0) * Blocks.length)
    let end = Double(((found.scores.last?.block ?? 0) + 1) * Blocks.length)
    let places = (start + found.line.offset(at: start), end + found.line.offset(at: end))
    return (start..<end, places.0..<max(places.0, places.1))
  }

  // MARK: Stretches

  /// Returns the ranges of frames that the stretches cover in both recordings. The outer stretches extend to the ends
  /// of the recordings, unless a stretch is far from an end and there are audible blocks between the two.
  private func stretches(_ all: [Found], own: Double, other: Double) -> [(Range<Double>, Range<Double>)] {
    var found: [(Range<Double>, Range<Double>)] = []
    for (index, stretch) in all.enumerated() {
      guard let first = stretch.scores.first?.block, let last = stretch.scores.last?.block else { continue }
      let factor = 1 + stretch.line.slope
      // Frames at which the line enters and leaves the other recording.
      let enters = max(0, -stretch.line.offset / factor)
      let leaves = min(own, (other - stretch.line.offset) / factor)
      var start = Double(first * Blocks.length)
      var end = Double((last + 1) * Blocks.length)
      // Blocks that extend beyond an end of a recording are not compared.
      let slack = 2.5 * Double(Blocks.length)
      if index == 0, start - enters < slack || !hasAudible(before: first) { start = enters }
      if index == all.count - 1, leaves - end < slack || !hasAudible(after: last) { end = leaves }
      start = max(start, enters)
      end = min(end, leaves)
      guard end > start else { continue }
      let line = stretch.line
      let place = { (frame: Double) in frame + line.offset(at: frame) }
      found.append((start..<end, place(start)..<max(place(end), place(start).nextUp)))
    }
    return found
  }

  private func hasAudible(before block: Int) -> Bool { audible.contains { $0 < block } }
  private func hasAudible(after block: Int) -> Bool { audible.contains { $0 > block } }
}
