internal import Platform
internal import SystemPackage

/// The order of the tracks in a playlist.
package enum PlaylistOrder: String, CaseIterable, Sendable {
  /// Smooth transitions in tempo, key and energy; see `TrackSequence`.
  case mix
  /// From slow to fast.
  case tempo
  /// Around the Camelot wheel: 1A, 1B, 2A, …
  case key
  /// From calm to energetic.
  case energy
  /// By the bytes of the path.
  case path

  /// Returns the indices of tracks in this order. Tracks without a value come last. Ties are broken by path.
  func sorted(_ tracks: [PlaylistTrack]) -> [Int] {
    let value: (PlaylistTrack) -> Double? =
      switch self {
      case .tempo: { $0.bpm }
      case .key: { $0.key.flatMap { WheelPosition($0) }.map { Double($0.index) } }
      case .energy: { $0.energy }
      case .mix, .path: { _ in 0 }
      }
    let values = tracks.map { value($0) ?? .infinity }
    let paths = tracks.map { $0.path.withBytes { Array($0) } }
    return tracks.indices.sorted { first, second in
      values[first] == values[second]
        ? paths[first].lexicographicallyPrecedes(paths[second]) : values[first] < values[second]
    }
  }
}
