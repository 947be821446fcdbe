internal import Analysis
package import Filters
internal import Library
internal import LibraryStore
internal import Platform
internal import Records
package import ResultStore
package import SystemPackage
internal import Text

/// A proposed playlist of tracks from the library.
package struct PlaylistProposal: Sendable {
  package struct Request: Sendable {
    package var filter = TrackFilter.everything
    /// The file that the tracks must sound like; `nil` for any tracks.
    package var like: FilePath?
    package var length = PlaylistLength.all
    package var order = PlaylistOrder.mix
    /// Minimum number of other tracks between two tracks by the same artist.
    package var spacing = 0
    /// The seed. Different seeds result in different selections.
    package var seed: UInt64 = 0

    package init() {}
  }

  package var order: PlaylistOrder
  package var tracks: [PlaylistTrack]
  /// Number of tracks from which to choose.
  package var candidateCount = 0
  /// Number of files that were left out as copies of a candidate.
  package var copyCount = 0
  /// Number of tracks that were left out because their duration is unknown.
  package var unmeasuredCount = 0
  /// The requested duration in seconds; `nil` if none was requested.
  package var wantedDuration: Double?
  /// Number of pairs of tracks by the same artist that are closer than the requested spacing.
  package var repeatCount = 0

  /// The sum of the known durations, in seconds.
  package var duration: Double { tracks.reduce(0) { $0 + ($1.duration ?? 0) } }

  /// The changes of tempo from track to track, in percent, where both tempi are known.
  package var tempoChanges: [Double] {
    zip(tracks, tracks.dropFirst()).compactMap { first, second in
      guard let a = first.bpm, let b = second.bpm, a > 0, b > 0 else { return nil }
      return Transition.tempoChange(a, b)
    }
  }

  /// The steps on the Camelot wheel from track to track, where both keys are known.
  package var keySteps: [Int] {
    zip(tracks, tracks.dropFirst()).compactMap { first, second in
      guard let a = first.key.flatMap({ WheelPosition($0) }), let b = second.key.flatMap({ WheelPosition($0) }) else {
        return nil
      }
      return Transition.keySteps(a, b)
    }
  }

  /// Maximum number of tracks for the order `mix`.
  package static let maxMixTracks = 10_000
  /// Default number of tracks in a playlist of tracks that sound like a file.
  package static let defaultCount = 25

  /// Chooses tracks and orders them.
  ///
  /// - Parameter candidates: The candidates in a deterministic order.
  package init(of candidates: [PlaylistTrack], _ request: Request) {
    order = request.order
    var seen = Set<ContentID>()
    var pool = candidates.filter { track in track.contentID.map { seen.insert($0).inserted } ?? true }
    copyCount = candidates.count - pool.count
    if case .seconds(let seconds) = request.length {
      wantedDuration = seconds
      let all = pool.count
      pool.removeAll { $0.duration == nil }
      unmeasuredCount = all - pool.count
    }
    candidateCount = pool.count
    pool = Self.wanted(pool, request)
    let sequence = TrackSequence(pool, spacing: request.spacing)
    // If `like` is set, likeness decides which tracks are chosen.
    let wantsChain = request.order == .mix && request.like == nil
    let chosen = PlaylistChoice(tracks: pool, sequence: sequence, wantsChain: wantsChain).chosen(request.length)
    switch request.order {
    case .mix:
      let order = sequence.improved(wantsChain ? chosen : sequence.chain(chosen))
      repeatCount = sequence.repeatCount(in: order)
      tracks = order.map { pool[$0] }
    case .tempo, .key, .energy, .path:
      let order = sequence.spaced(request.order.sorted(chosen.map { pool[$0] }).map { chosen[$0] })
      repeatCount = sequence.repeatCount(in: order)
      tracks = order.map { pool[$0] }
    }
  }

  /// Returns the candidates in order of preference: most similar first, or shuffled.
  private static func wanted(_ pool: [PlaylistTrack], _ request: Request) -> [PlaylistTrack] {
    guard request.like == nil else { return pool }
    let numbered = pool.map { (number: SeededNumber.of($0.path, seed: request.seed), track: $0) }
    let shuffled = numbered.sorted { $0.number < $1.number }.map(\.track)
    return request.order == .mix ? Array(shuffled.prefix(maxMixTracks)) : shuffled
  }
}

/// A pseudorandom number that depends only on a path and a seed, so that adding a track to the library does not change
/// the order of the existing tracks.
private enum SeededNumber {
  /// Applies FNV-1a to the bytes, then the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
  static func of(_ path: FilePath, seed: UInt64) -> UInt64 {
    var hash: UInt64 = path.withBytes { bytes in
      bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    hash ^= seed &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }
}

extension PlaylistProposal {
  /// Chooses tracks from the library.
  /// - Throws: `PlaylistError`, `SimilarTracksError`, `UnknownFile`, `StoreError`.
  package init(_ request: Request, in store: ResultStore, reading: SoundReading) throws {
    var request = request
    var candidates: [PlaylistTrack]
    if let file = request.like {
      if request.length == .all { request.length = .tracks(Self.defaultCount) }
      candidates = try Self.similar(to: file, request.filter, store, reading)
    } else {
      candidates = try store.tracks(matching: request.filter).filter { $0.status != .failed }.map { PlaylistTrack($0) }
    }
    guard !candidates.isEmpty else { throw PlaylistError.nothingMatches }
    if request.order == .mix, request.length == .all, candidates.count > Self.maxMixTracks {
      throw PlaylistError.tooMany(candidates.count)
    }
    if request.order == .energy, request.like == nil { try Self.addEnergies(to: &candidates, store) }
    self.init(of: candidates, request)
  }

  /// Returns similar tracks, most similar first.
  private static func similar(
    to file: FilePath, _ filter: TrackFilter, _ store: ResultStore, _ reading: SoundReading
  ) throws -> [PlaylistTrack] {
    let similar = SimilarTracks(in: store, reading: reading)
    return try similar.near(file, limit: SimilarTracks.limits.upperBound, matching: filter).tracks.map { track in
      var candidate = PlaylistTrack(track.record)
      candidate.likeness = track.likeness
      return candidate
    }
  }

  private static func addEnergies(to candidates: inout [PlaylistTrack], _ store: ResultStore) throws {
    for index in candidates.indices {
      candidates[index].energy = try store.record(at: candidates[index].path)?.findings[TraitsFinding.self]?.energy
    }
    if candidates.allSatisfy({ $0.energy == nil }) { throw PlaylistError.noEnergies }
  }
}

extension PlaylistTrack {
  fileprivate init(_ row: TrackRow) {
    self.init(
      path: row.path, contentID: row.contentID, artist: row.artist, title: row.title, album: row.album,
      duration: row.durationSeconds, bpm: row.bpm, key: row.key)
  }

  fileprivate init(_ record: FileRecord) {
    self.init(
      path: record.path, contentID: record.contentID, artist: record.track.artist,
      title: record.track.titleTag, album: record.track.album, duration: record.format?.duration,
      bpm: record.tempo?.bpm, key: record.findings[KeyFinding.self]?.camelot,
      energy: record.findings[TraitsFinding.self]?.energy)
  }

  /// The artist and title if known, otherwise the file name.
  package var name: String { Track.name(artist: artist, title: Track.title(title, of: path)) }
}
