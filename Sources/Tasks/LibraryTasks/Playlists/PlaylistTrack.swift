package import Analysis
package import SystemPackage

/// A candidate for a playlist. Unknown values are `nil`.
package struct PlaylistTrack: Sendable, Equatable {
  package var path: FilePath
  package var contentID: ContentID?
  package var artist: String?
  package var title: String?
  package var album: String?
  /// The duration in seconds.
  package var duration: Double?
  /// The tempo in beats per minute.
  package var bpm: Double?
  /// The key in Camelot notation, such as `8A`.
  package var key: String?
  /// The energy, from 0 to 1.
  package var energy: Double?
  /// The likeness to the file in the request (`like`), from 0 to 1; `nil` if the request has none.
  package var likeness: Double?

  package init(
    path: FilePath, contentID: ContentID? = nil, artist: String? = nil, title: String? = nil, album: String? = nil,
    duration: Double? = nil, bpm: Double? = nil, key: String? = nil, energy: Double? = nil, likeness: Double? = nil
  ) {
    self.path = path
    self.contentID = contentID
    self.artist = artist
    self.title = title
    self.album = album
    self.duration = duration
    self.bpm = bpm
    self.key = key
    self.energy = energy
    self.likeness = likeness
  }
}
