internal import Analysis
internal import Landmarks

/// The remote parts of a catalog, and the tracks that they have named so far.
///
/// The tracks of a part are numbered in the order in which it names them, so that a `Matcher.Hit` can refer to them.
struct RemoteParts {
  private struct Track {
    let name: PartTrackName
    let columnCount: Int
    /// The landmarks, ordered by column; `nil` until they are fetched.
    var points: [MatchedFilter.Point]?
    var record = ReferenceRecord(identifier: "", items: [])
  }

  private struct Part {
    let source: any CatalogPart
    /// Number of postings in the part; `nil` until it has answered, and after a failure.
    var postingCount: Int?
    /// `true` if no more requests are sent to the part during this query.
    var hasFailed = false
    var tracks: [Track] = []
    var numbers: [PartTrackName: Int] = [:]
  }

  private var parts: [Part]
  private var missing: [MissingCatalog] = []
  /// Maximum number of tracks that are kept per part between queries; if a part has named more, all of its tracks are
  /// dropped.
  private static let keptTracks = 200

  init(_ parts: [any CatalogPart]) {
    self.parts = parts.map { Part(source: $0) }
  }

  var count: Int { parts.count }
  /// Number of postings in all parts that have answered so far.
  var postingCount: Int { parts.reduce(0) { $0 + ($1.postingCount ?? 0) } }

  /// Begins a query. Parts that have failed are tried again.
  mutating func begin() {
    for index in parts.indices {
      parts[index].hasFailed = false
      if parts[index].tracks.count > Self.keptTracks {
        parts[index].tracks = []
        parts[index].numbers = [:]
      }
    }
    let unknown = parts.indices.filter { parts[$0].postingCount == nil }
    for asked in ask(.size, unknown) { _ = take(asked) }
  }

  /// Returns the parts that have failed to answer since the last call, and the segments that parts cannot read, each of
  /// them once.
  mutating func takeMissing() -> [MissingCatalog] {
    defer { missing = [] }
    return missing
  }

  // MARK: Asking

  struct Asked {
    let part: Int
    let question: [UInt8]
    let reply: PartReply
  }
  typealias Pending = [Asked]

  /// Sends a request to the given parts, or to all parts, without waiting for the answers. Parts that have failed are
  /// skipped.
  func ask(_ question: PartQuestion, _ indices: [Int]? = nil) -> Pending {
    let open = (indices ?? Array(parts.indices)).filter { !parts[$0].hasFailed }
    guard !open.isEmpty else { return [] }
    let bytes = question.bytes
    return open.map { Asked(part: $0, question: bytes, reply: parts[$0].source.ask(bytes)) }
  }

  /// Waits for an answer.
  /// - Returns: `nil` if the part has failed. The failure is recorded.
  private mutating func take(_ asked: Asked) -> PartAnswer? {
    do throws(PartFailure) {
      let envelope = try PartAnswer.read(asked.reply.get(), to: asked.question)
      parts[asked.part].postingCount = envelope.postingCount
      for loss in envelope.losses {
        note(
          MissingCatalog(
            name: "\(parts[asked.part].source.name): \(loss.name)", reason: loss.reason, isUnreadable: true))
      }
      return envelope.answer
    } catch {
      fail(asked.part, error)
      return nil
    }
  }

  private mutating func fail(_ index: Int, _ failure: PartFailure) {
    parts[index].hasFailed = true
    parts[index].postingCount = nil
    note(MissingCatalog(name: parts[index].source.name, reason: failure.description))
  }

  private mutating func note(_ loss: MissingCatalog) {
    if !missing.contains(where: { $0.name == loss.name }) { missing.append(loss) }
  }

  // MARK: Places and tracks

  /// A place that a part has found.
  struct Place {
    let part: Int
    let track: Int
    let placement: MatchedFilter.Placement
    let z: Float
  }

  /// Waits for the places that were requested from the parts.
  /// - Returns: `true` if no part that answered has skipped posting lists.
  mutating func takePlaces(_ pending: Pending, into places: inout [Place]) -> Bool {
    var hasReadAll = true
    for asked in pending {
      guard let answer = take(asked) else { continue }
      let index = asked.part
      guard case .places(let found) = answer else {
        fail(index, Self.wrongKind)
        continue
      }
      if !found.hasReadAll { hasReadAll = false }
      for place in found.places {
        let track = number(of: place.name, columnCount: place.columnCount, in: index)
        places.append(Place(part: index, track: track, placement: place.placement, z: place.z))
      }
    }
    return hasReadAll
  }

  private static let wrongKind = PartFailure("it sent an answer to a different query")

  private mutating func number(of name: PartTrackName, columnCount: Int, in part: Int) -> Int {
    if let number = parts[part].numbers[name] { return number }
    let number = parts[part].tracks.count
    parts[part].tracks.append(Track(name: name, columnCount: columnCount))
    parts[part].numbers[name] = number
    return number
  }

  /// Fetches the landmarks and media items of tracks that do not have them yet. If a part no longer contains a track,
  /// the track stays without them.
  mutating func fetch(_ tracks: [(part: Int, track: Int)]) {
    var pending: Pending = []
    for index in parts.indices {
      let wanted = Set(tracks.filter { $0.part == index && parts[index].tracks[$0.track].points == nil }.map(\.track))
      guard !wanted.isEmpty else { continue }
      pending += ask(.tracks(wanted.sorted().map { parts[index].tracks[$0].name }), [index])
    }
    for asked in pending {
      guard let answer = take(asked) else { continue }
      guard case .tracks(let found) = answer else {
        fail(asked.part, Self.wrongKind)
        continue
      }
      for track in found { take(track, of: asked.part) }
    }
  }

  private mutating func take(_ found: FoundTrack, of part: Int) {
    guard let number = parts[part].numbers[found.name], let signature = try? Signature(bytes: found.signature),
      signature.columnCount == parts[part].tracks[number].columnCount
    else { return }
    parts[part].tracks[number].points = signature.landmarks.map(MatchedFilter.Point.init)
    parts[part].tracks[number].record = ReferenceRecord(bytes: found.record)
  }

  /// Returns whether the landmarks of the track have been fetched.
  func has(part: Int, track: Int) -> Bool { parts[part].tracks[track].points != nil }

  func columnCount(part: Int, track: Int) -> Int { parts[part].tracks[track].columnCount }

  func record(part: Int, track: Int) -> ReferenceRecord { parts[part].tracks[track].record }

  /// Returns the landmarks of a track that are in a range of its columns.
  func points(part: Int, track: Int, in columns: Range<Int>) -> ArraySlice<MatchedFilter.Point> {
    guard let points = parts[part].tracks[track].points else { return [] }
    let first = points.firstIndex(atOrBehind: columns.lowerBound)
    return points[first..<max(first, points.firstIndex(atOrBehind: columns.upperBound))]
  }
}

extension [MatchedFilter.Point] {
  /// Returns the index of the first point at or after a column. Points are ordered by column.
  fileprivate func firstIndex(atOrBehind column: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if Int(self[middle].column) < column { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
