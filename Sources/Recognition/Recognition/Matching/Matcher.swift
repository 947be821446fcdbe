internal import Landmarks
internal import Mathematics

/// Finds the track that is heard in a query.
///
/// A search runs in stages, each of them only if the previous ones have found nothing beyond doubt. The first stage
/// looks up a few pairs of the most likely peaks at true speed. The next ones look up equally few at changed speeds,
/// then tempos, then pitches. The last one looks up many pairs at true speed; it is for noise, for short queries, and
/// for catalogs that the other stages have not read completely. If no stage finds a probable track, except at a large
/// shift, further stages search speeds, tempos and pitches that turntables and editors can produce but people rarely
/// use. Each stage votes for places in the catalog (Wang, ISMIR 2003) and verifies the best ones with `MatchedFilter`.
struct Matcher: ~Copyable {
  /// Maps the pairs of a query to those of a track.
  struct Transform {
    /// Number of track columns per query column.
    var slope: Float
    /// Number of bands by which the query is higher than the track.
    var shift: Float

    static let neutral = Transform(slope: 1, shift: 0)

    static func speed(_ factor: Float) -> Transform {
      Transform(slope: factor, shift: Float(LandmarkSpectrum.bandsPerOctave) * log2(factor))
    }
  }

  struct Stage {
    /// Identifies the stage in requests to remote parts.
    enum Name: UInt8, CaseIterable {
      case likely, speeds, tempos, pitches, thorough, farSpeeds, farTempos, farPitches
    }

    let name: Name
    /// Maximum rarity of the pairs that are looked up.
    var limit: Float
    /// `true` for the stage `thorough`, which also looks up less likely peaks and checks more places for short queries.
    var isThorough = false
    /// Binary logarithm of the number of track columns per bin.
    var binWidthLog2: Int
    /// Number of places that are verified per transform; more in a large catalog.
    var candidateCount: Int
    /// Maximum number of bytes of postings that are read per transform, cheapest lists first. A posting takes about
    /// three bytes. Only catalogs of more than a few thousand hours reach this limit.
    var byteBudget: Int
    var transforms: [Transform]
  }

  /// A verified place in the catalog.
  struct Hit {
    /// Index of the segment. Indices after the last segment denote remote parts.
    var segment: Int
    /// Index of the track in the segment, or the number of a track that a remote part has named.
    var track: Int
    var placement: MatchedFilter.Placement
    var z: Float

    func isSameTrack(as other: Hit) -> Bool { segment == other.segment && track == other.track }
  }

  static let stages =
    [
      Stage(
        name: .likely, limit: 1.7, binWidthLog2: 1, candidateCount: 40, byteBudget: 2 << 20, transforms: [.neutral]),
      changed(.speeds, by: speeds), changed(.tempos, by: tempos), changed(.pitches, by: pitches),
      Stage(
        name: .thorough, limit: 4.0, isThorough: true, binWidthLog2: 1, candidateCount: 600, byteBudget: 4 << 20,
        transforms: [.neutral]),
    ]
  /// Stages that run only if `stages` have found no probable track, or one with a large shift.
  static let farStages = [
    changed(.farSpeeds, by: farSpeeds), changed(.farTempos, by: farTempos), changed(.farPitches, by: farPitches),
  ]
  private static let stageByName = Dictionary(uniqueKeysWithValues: (stages + farStages).map { ($0.name, $0) })

  private static func changed(_ name: Stage.Name, by transforms: [Transform]) -> Stage {
    Stage(name: name, limit: 1.9, binWidthLog2: 3, candidateCount: 8, byteBudget: 1 << 20, transforms: transforms)
  }
  private static let speeds: [Transform] = [1.016, 0.984, 1.03, 0.97, 1.044, 0.956].map { .speed($0) }
  private static let tempos = [1.025, 0.975, 1.05, 0.95].map { Transform(slope: $0, shift: 0) }
  private static let pitches = [1.5, -1.5, 3, -3].map { Transform(slope: 1, shift: $0) }
  /// Maximum usual shift in bands, slightly more than the shifts that `stages` start from.
  private static let usualShift = 4
  private static let farSpeeds: [Transform] = [1.06, 0.94, 1.077, 0.923, 1.093, 0.907, 1.11, 0.89, 1.126, 0.874].map {
    .speed($0)
  }
  private static let farTempos = [1.075, 0.925, 1.1, 0.9, 1.125, 0.875].map { Transform(slope: $0, shift: 0) }
  /// Transforms by 1.5 to 3 semitones.
  private static let farPitches = [4.5, -4.5, 6, -6, 7.5, -7.5, 9, -9].map { Transform(slope: 1, shift: $0) }

  private let segments: [Segment]
  /// Indices of the removed tracks of each segment.
  private let removed: [Set<Int>]
  /// Number of postings in all segments and parts, as a measure of the size of the catalog.
  private var postingCount: Int
  private let ownPostingCount: Int
  private var parts: RemoteParts
  private var votes = VoteTable()
  private var probes = ProbeList()
  private var firstBytes: UInt8 = 0
  /// `true` if no stage has skipped posting lists in order to stay within its budget.
  private var hasReadAll = true
  /// A bitmap of places near landmarks; see `isSameRecording`.
  private var nearby: [Bool] = []
  /// Landmarks around the last loaded hit.
  private(set) var points: [MatchedFilter.Point] = []

  init(segments: [Segment], removed: [Set<Int>]? = nil, parts: [any CatalogPart] = []) {
    self.segments = segments
    ownPostingCount = segments.reduce(0) { $0 + $1.postingCount }
    postingCount = ownPostingCount
    self.parts = RemoteParts(parts)
    self.removed = removed ?? Array(repeating: [], count: segments.count)
  }

  /// Counts the votes that a query's pairs cast in one segment.
  private mutating func vote(_ pairs: QueryPairs, _ transform: Transform, _ stage: Stage, in segment: Segment) {
    probes.collect(pairs, transform, limit: stage.limit, in: segment)
    let budget = max(Int(Double(stage.byteBudget) * share(of: segment)), Self.minBudget)
    if probes.trim(to: budget) { hasReadAll = false }
    segment.fetch(probes.probes.lazy.map(\.list))
    // Each list is touched before any is decoded, so that the cache misses overlap.
    var sum: UInt8 = 0
    for probe in probes.probes { sum &+= segment.firstByte(of: probe.list) }
    firstBytes = sum
    votes.reset(binCount: (segment.columnCount >> stage.binWidthLog2) + 1, byteCount: probes.byteCount)
    for probe in probes.probes {
      votes.add(probe.list, of: segment, offset: Int(probe.offset), binWidthLog2: stage.binWidthLog2)
    }
  }

  /// Minimum budget per segment, in bytes. Reading all of a small segment costs little.
  private static let minBudget = 48 << 10

  /// Returns a segment's share of the catalog.
  private func share(of segment: Segment) -> Double { Double(segment.postingCount) / Double(max(1, postingCount)) }

  // MARK: Matching

  mutating func begin() {
    parts.begin()
    postingCount = ownPostingCount + parts.postingCount
    prepareFiles()
  }

  private func prepareFiles() { for segment in segments { segment.prepareForQuery() } }

  mutating func takeMissing() -> [MissingCatalog] { parts.takeMissing() }

  /// Returns the best match of a query in the catalog; `nil` if no place was found.
  mutating func match(_ query: RecognitionQuery) -> Finding? {
    var hits: [Hit] = []
    return match(query, &hits)
  }

  /// - Parameter hits: Receives the hits, best first.
  mutating func match(_ query: RecognitionQuery, _ hits: inout [Hit]) -> Finding? {
    let finding = MatchedFilter.with(query.filter) { filter in
      match(query, filter, &hits).map { settled($0, filter) }
    }
    return finding ?? nil
  }

  /// Returns an accepted match from a subset of the stages; `nil` if there is none. Only places that fit far better
  /// than chance are examined.
  mutating func clearMatch(_ query: RecognitionQuery, in stages: [Stage]) -> Finding? {
    var hits: [Hit] = []
    let finding = MatchedFilter.with(query.filter) { filter -> Finding? in
      var pairs = PairsByLimit(query)
      for stage in stages {
        scan(query, pairs[stage.limit], stage, filter, into: &hits)
        guard hits.contains(where: { $0.z >= Self.clearZ }) else { continue }
        refine(&hits, filter)
        _ = relocate(&hits, filter)
        if let finding = judge(hits, query, filter), finding.isAccepted { return settled(finding, filter) }
      }
      return nil
    }
    return finding ?? nil
  }
  /// A level of z that unrelated music hardly ever reaches before slope and shift are refined.
  private static let clearZ: Float = 9

  /// Returns a finding after moving its hits to their exact places, or unchanged if it is not accepted.
  private mutating func settled(_ finding: Finding, _ filter: MatchedFilter) -> Finding {
    guard finding.isAccepted else { return finding }
    var finding = finding
    settle(&finding.hit, filter)
    for index in finding.twins.indices { settle(&finding.twins[index], filter) }
    return finding
  }

  /// Moves a hit to its exact place.
  private mutating func settle(_ hit: inout Hit, _ filter: MatchedFilter) {
    load(hit, filter)
    points.withUnsafeBufferPointer { hit.placement = filter.settled(hit.placement, $0) }
  }

  private mutating func match(_ query: RecognitionQuery, _ filter: MatchedFilter, _ hits: inout [Hit]) -> Finding? {
    hits.removeAll()
    hasReadAll = true
    var pairs = PairsByLimit(query)
    let finding = search(query, filter, Self.stages, &pairs, &hits)
    // A hit at a large shift may fit better at another speed.
    if let finding, finding.isAccepted, abs(finding.hit.placement.shift) <= Self.usualShift { return finding }
    return search(query, filter, Self.farStages, &pairs, &hits) ?? finding
  }

  /// Runs stages, adding to the hits, and returns the finding for the best hit; `nil` if there are no hits.
  private mutating func search(
    _ query: RecognitionQuery, _ filter: MatchedFilter, _ stages: [Stage], _ pairs: inout PairsByLimit,
    _ hits: inout [Hit]
  ) -> Finding? {
    var certain: Finding?
    var isRefined = false
    for stage in stages {
      if stage.isThorough, hasReadAll, query.clarity >= Self.highClarity, query.duration >= Self.shortDuration { break }
      scan(query, pairs[stage.limit], stage, filter, into: &hits)
      // Refinement cannot make a badly fitting hit certain.
      isRefined = hits.contains { $0.z >= 0.5 * Finding.certainZ }
      guard isRefined else { continue }
      refine(&hits, filter)
      guard let best = hits.first, best.z >= Finding.certainZ, let finding = judge(hits, query, filter),
        finding.isCertain
      else { continue }
      certain = finding
      break
    }
    if !isRefined { refine(&hits, filter) }
    if !relocate(&hits, filter), let certain { return certain }
    return judge(hits, query, filter)
  }

  /// Minimum duration of a query that can skip the last stage, in seconds. A long, clear query has so many likely peaks
  /// that the last stage would add nothing.
  private static let shortDuration = 8.0
  /// Minimum clarity of a query that can skip the last stage.
  private static let highClarity: Float = 0.33

  /// Returns the finding for the best hit, compared with its track at other pitches and with the other tracks; `nil` if
  /// there are no hits.
  mutating func judge(_ hits: [Hit], _ query: RecognitionQuery, _ filter: MatchedFilter) -> Finding? {
    guard let best = hits.first else { return nil }
    var twins: [Hit] = []
    var runnerUp: Float = 0
    for hit in hits.dropFirst() where !hit.isSameTrack(as: best) {
      if twins.contains(where: { $0.isSameTrack(as: hit) }) { continue }
      if hit.z >= 0.5 * best.z, isSameRecording(hit, as: best, query) {
        twins.append(hit)
      } else {
        runnerUp = max(runnerUp, hit.z)
      }
    }
    load(best, filter)
    let shifted = points.withUnsafeBufferPointer { filter.bestShifted($0, best.placement) }
    return Finding(
      hit: best, twins: twins, shifted: shifted, runnerUp: runnerUp,
      overlap: Overlap(query, filter, points, best.placement), clarity: query.clarity,
      duration: query.duration)
  }

  /// Returns whether two references contain the same recording in and around the place of the query. Such copies of a
  /// track are not rivals. Unrelated tracks share about 6% of their landmarks, tracks made from the same loops 25% on
  /// average and rarely half, and two encodings of one recording 70 to 95%.
  mutating func isSameRecording(_ other: Hit, as hit: Hit, _ query: RecognitionQuery) -> Bool {
    let bandCount = LandmarkSpectrum.bandCount
    load(other, around(other, query))
    // Landmarks match within one column and one band.
    let first = Int(points.first?.column ?? 0) - 1
    let columns = Int(points.last?.column ?? -1) + 2 - first
    nearby.removeAll(keepingCapacity: true)
    nearby.append(contentsOf: repeatElement(false, count: columns * (bandCount + 2)))
    for point in points {
      for column in Int(point.column) - 1...Int(point.column) + 1 {
        let place = (column - first) * (bandCount + 2) + Int(point.band)
        for band in 0...2 { nearby[place + band] = true }
      }
    }
    load(hit, around(hit, query))
    let otherColumns = 0..<columnCount(ofTrackOf: other)
    var slope = other.placement.slope / hit.placement.slope
    var shift = other.placement.shift - hit.placement.shift
    // Copies mostly have the same speed, and placements are not exact enough to show a difference this small.
    if abs(slope - 1) < 0.02, abs(shift) <= 1 { (slope, shift) = (1, 0) }
    var count = 0
    var shared = 0
    for point in points {
      let column = Int((other.placement.center + (Float(point.column) - hit.placement.center) * slope).rounded())
      guard otherColumns.contains(column) else { continue }
      count += 1
      let band = Int(point.band) - shift
      if (0..<columns).contains(column - first), (-1...bandCount).contains(band),
        nearby[(column - first) * (bandCount + 2) + band + 1]
      {
        shared += 1
      }
    }
    return count >= MatchedFilter.minimumCount && Float(shared) >= 0.5 * Float(count)
  }

  /// Returns the columns of a hit's track that the query covers, but at least 10 s on both sides of its center, because
  /// tracks that share a loop differ around it.
  private func around(_ hit: Hit, _ query: RecognitionQuery) -> Range<Int> {
    let reach = max(Float(query.columnCount) / 2, Self.surroundings) * hit.placement.slope
    let first = max(0, Int(hit.placement.center - reach))
    return first..<max(first, Int(hit.placement.center + reach) + 1)
  }

  /// 10 s in columns.
  private static let surroundings = Float(10 * LandmarkSpectrum.columnsPerSecond)

  /// Votes for places and verifies those with the most votes, locally and in the remote parts at the same time.
  private mutating func scan(
    _ query: RecognitionQuery, _ pairs: QueryPairs, _ stage: Stage, _ filter: MatchedFilter, into hits: inout [Hit]
  ) {
    guard parts.count > 0 else { return scan(query.duration, pairs, stage, filter, into: &hits) }
    let pending = parts.ask(.places(PlaceSearch(query, stage.name, postingCount: postingCount)))
    scan(query.duration, pairs, stage, filter, into: &hits)
    var places: [RemoteParts.Place] = []
    if !parts.takePlaces(pending, into: &places) { hasReadAll = false }
    hits += places.map { Hit(segment: segments.count + $0.part, track: $0.track, placement: $0.placement, z: $0.z) }
  }

  /// Votes for places and verifies those with the most votes.
  /// - Parameter duration: Duration of the query, in seconds.
  private mutating func scan(
    _ duration: Double, _ pairs: QueryPairs, _ stage: Stage, _ filter: MatchedFilter, into hits: inout [Hit]
  ) {
    // In a larger catalog, more places rank above the right one by chance. It is cheap to verify them.
    let growth = cbrt(max(1, Double(postingCount) / 5e6))
    // In the last stage, the right place has few votes, and even fewer if the query is short.
    let scarcity = stage.isThorough ? min(max(1, Self.shortDuration / duration), 4) : 1
    let candidates = Int(Double(stage.candidateCount) * growth * scarcity)
    let candidatesPerTrack = Int(4 * scarcity)
    for segmentIndex in segments.indices {
      let segment = segments[segmentIndex]
      // Each segment gets its share of the places, and a few more for the benefit of small segments.
      let limit = min(candidates, Int((Double(candidates) * share(of: segment) * 1.5).rounded(.up)) + 4)
      for transform in stage.transforms {
        vote(pairs, transform, stage, in: segment)
        let first = hits.count
        var perTrack: [Int: Int] = [:]
        for place in votes.strongest(limit) {
          let column = (place.bin + 1) << stage.binWidthLog2
          guard let track = segment.track(atColumn: column), !removed[segmentIndex].contains(track) else { continue }
          perTrack[track, default: 0] += 1
          guard perTrack[track, default: 0] <= candidatesPerTrack else { continue }
          hits.append(
            Hit(
              segment: segmentIndex, track: track,
              placement: MatchedFilter.Placement(
                center: Float(column - Int(segment.track(track).firstColumn)), slope: transform.slope,
                shift: Int(transform.shift.rounded())), z: 0))
        }
        segment.fetchLandmarks(hits[first...].lazy.map { (segment.track($0.track), Self.columns(of: $0, filter)) })
        for index in hits[first...].indices {
          load(hits[index], filter)
          (hits[index].z, hits[index].placement) = points.withUnsafeBufferPointer {
            filter.best($0, hits[index].placement)
          }
        }
      }
    }
  }

  /// Loads the landmarks around a hit.
  mutating func load(_ hit: Hit, _ filter: MatchedFilter) {
    load(hit, Self.columns(of: hit, filter))
  }

  /// Returns the columns of the track that a hit covers.
  private static func columns(of hit: Hit, _ filter: MatchedFilter) -> Range<Int> {
    let reach = filter.reach(of: hit.placement)
    return max(0, Int(reach.lowerBound))..<max(0, Int(reach.upperBound) + 1)
  }

  private mutating func load(_ hit: Hit, _ columns: Range<Int>) {
    points.removeAll(keepingCapacity: true)
    guard hit.segment < segments.count else {
      points += parts.points(part: hit.segment - segments.count, track: hit.track, in: columns)
      return
    }
    let segment = segments[hit.segment]
    segment.appendLandmarks(ofTrack: segment.track(hit.track), in: columns, to: &points)
  }

  func columnCount(ofTrackOf hit: Hit) -> Int {
    hit.segment < segments.count
      ? Int(segments[hit.segment].track(hit.track).columnCount)
      : parts.columnCount(part: hit.segment - segments.count, track: hit.track)
  }

  /// Returns the identifier and media items of a hit's track.
  func record(ofTrackOf hit: Hit) -> ReferenceRecord {
    hit.segment < segments.count
      ? ReferenceRecord(bytes: segments[hit.segment].items(ofTrack: hit.track))
      : parts.record(part: hit.segment - segments.count, track: hit.track)
  }

  /// Reduces the hits to the best ones of the best tracks, with refined slope and shift, best first.
  private mutating func refine(_ hits: inout [Hit], _ filter: MatchedFilter) {
    var best = Self.foremost(hits)
    fetch(&best)
    for index in best.indices {
      load(best[index], filter)
      points.withUnsafeBufferPointer { filter.nudge(&best[index], $0) }
    }
    best.sort { $0.z > $1.z }
    for index in best.indices.prefix(4) {
      load(best[index], filter)
      points.withUnsafeBufferPointer { filter.optimize(&best[index], $0) }
    }
    best.sort { $0.z > $1.z }
    hits = best
  }

  /// Returns the hits that are worth refining, best first.
  private static func foremost(_ hits: [Hit]) -> [Hit] {
    var best: [Hit] = []
    let hits = hits.sorted { $0.z > $1.z }
    // Hits that fit far less well than the best one need no refinement.
    let least = 0.25 * (hits.first?.z ?? 0)
    for hit in hits where best.count < 10 && hit.z >= least {
      if best.filter({ $0.isSameTrack(as: hit) }).count < 2 { best.append(hit) }
    }
    return best
  }

  /// Fetches the landmarks of hits in remote parts, and drops hits whose landmarks are not available.
  private mutating func fetch(_ hits: inout [Hit]) {
    let first = segments.count
    let foreign = hits.filter { $0.segment >= first }.map { (part: $0.segment - first, track: $0.track) }
    guard !foreign.isEmpty else { return }
    parts.fetch(foreign)
    hits.removeAll { $0.segment >= first && !parts.has(part: $0.segment - first, track: $0.track) }
  }

  // MARK: Serving as a part

  /// Answers a request that treats this catalog as a part of a larger one.
  /// - Parameter losses: Segments of this catalog that cannot be read.
  mutating func answer(_ bytes: [UInt8], losses: [MissingCatalog]) throws(PartFailure) -> [UInt8] {
    let question = try PartQuestion(bytes: bytes)
    prepareFiles()
    let answer: PartAnswer
    switch question {
    case .size: answer = .size
    case .places(let search): answer = .places(places(search))
    case .tracks(let names):
      var tracks: [FoundTrack] = []
      for name in names { if let track = track(name) { tracks.append(track) } }
      answer = .tracks(tracks)
    }
    return answer.bytes(to: bytes, postingCount: ownPostingCount, losses: losses)
  }

  /// Returns the places that may be among the best of all parts.
  private mutating func places(_ search: PlaceSearch) -> FoundPlaces {
    guard let stage = Self.stageByName[search.stage] else { return FoundPlaces(hasReadAll: true, places: []) }
    let wasCount = postingCount
    postingCount = max(search.postingCount, ownPostingCount)
    defer { postingCount = wasCount }
    hasReadAll = true
    var hits: [Hit] = []
    let pairs = QueryPairs(search.peaks, columnCount: search.columnCount, limit: stage.limit)
    _ = MatchedFilter.with(search.filter) { scan(search.duration, pairs, stage, $0, into: &hits) }
    return FoundPlaces(
      hasReadAll: hasReadAll,
      places: Self.foremost(hits).map { hit in
        FoundPlaces.Place(
          name: PartTrackName(
            segment: hit.segment, track: hit.track, digest: segments[hit.segment].identifier(ofTrack: hit.track)),
          columnCount: columnCount(ofTrackOf: hit), placement: hit.placement, z: hit.z)
      })
  }

  /// Returns the track that a name refers to; `nil` if the catalog has changed and the track is no longer at that
  /// location, or if its signature is damaged.
  private func track(_ name: PartTrackName) -> FoundTrack? {
    guard segments.indices.contains(name.segment), name.track < segments[name.segment].trackCount,
      segments[name.segment].identifier(ofTrack: name.track) == name.digest,
      let signature = try? segments[name.segment].signature(ofTrack: name.track)
    else { return nil }
    return FoundTrack(
      name: name, record: segments[name.segment].items(ofTrack: name.track), signature: signature.bytes)
  }

  /// Searches the whole track of the best hit for a better place, and moves the hit there.
  /// - Returns: `true` if the hit was moved.
  private mutating func relocate(_ hits: inout [Hit], _ filter: MatchedFilter) -> Bool {
    guard let hit = hits.first, hit.z >= Self.relocationThreshold else { return false }
    let columnCount = columnCount(ofTrackOf: hit)
    if hit.segment < segments.count {
      let segment = segments[hit.segment]
      segment.fetchLandmarks(CollectionOfOne((segment.track(hit.track), 0..<columnCount)))
    }
    load(hit, 0..<columnCount)
    return points.withUnsafeBufferPointer { filter.relocate(&hits[0], $0, columnCount: columnCount) }
  }

  /// A level of z that unrelated music hardly ever reaches.
  static let relocationThreshold: Float = 5
}
