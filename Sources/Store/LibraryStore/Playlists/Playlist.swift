public import Analysis
internal import GRDB
public import Platform
internal import ResultStore
public import SystemPackage

/// A playlist that a person has created.
public struct Playlist: Sendable, Hashable {
  /// The 22-character id.
  public var id: String
  public var name: String
  public var description: String?
  public var isPublic: Bool
  public var created: Timestamp
  public var changed: Timestamp
  /// Number of the current state of the playlist's tracks. It identifies the state that a client has seen.
  public var snapshot: Int
  public var trackCount: Int

  public init(
    id: String, name: String, description: String?, isPublic: Bool, created: Timestamp = Timestamp(nanoseconds: 0),
    changed: Timestamp = Timestamp(nanoseconds: 0), snapshot: Int = 0, trackCount: Int
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.isPublic = isPublic
    self.created = created
    self.changed = changed
    self.snapshot = snapshot
    self.trackCount = trackCount
  }

  public static let maximumTrackCount = 10_000
  /// Maximum number of characters in the name.
  public static let maximumNameLength = 500
  /// Maximum number of characters in the description.
  public static let maximumDescriptionLength = 4_000
}

/// A track as identified by playlists: by its audio and its path, so that it is found again after it was moved,
/// retagged or re-encoded in place.
public struct TrackReference: Sendable, Hashable {
  public var path: FilePath
  /// The id of the audio; `nil` for files that could not be read.
  public var contentID: ContentID?

  public init(path: FilePath, contentID: ContentID?) {
    self.path = path
    self.contentID = contentID
  }

  public init(_ track: TrackRow) { self.init(path: track.path, contentID: track.contentID) }
}

/// An entry of a playlist, or a saved track.
public struct ReferencedTrack: Sendable, Hashable {
  public var reference: TrackReference
  public var added: Timestamp
  /// Id of the row of `file` that the entry currently refers to; `nil` if the file is gone.
  public var fileID: Int64?
}

extension ReferencedTrack {
  /// Reads the columns `path, content_id, added_ns, file`, starting at the given one.
  init(_ row: Query, from column: Int32 = 0) {
    self.init(
      reference: TrackReference(
        path: row.path(column), contentID: row.optionalText(column + 1).flatMap { ContentID($0) }),
      added: Timestamp(nanoseconds: row.integer(column + 2)), fileID: row.optionalInteger(column + 3))
  }
}

/// A change to the tracks of a playlist. Positions start at 0.
public enum PlaylistEdit: Sendable, Hashable {
  /// Inserts tracks before the track at a position; `nil` for the end.
  case insert([TrackReference], at: Int? = nil)
  case remove(positions: Set<Int>)
  /// Removes the tracks that refer to these rows of `file`: all of them, or only those at certain positions.
  case removeTracks([Int64: Set<Int>?])
  /// Moves `count` tracks, beginning with the one at `start`, to the place before the track at `target`.
  case move(start: Int, count: Int, target: Int)
  case replace([TrackReference])
}

/// The reason a playlist could not be changed as requested. Nothing was changed.
public enum PlaylistEditError: Error, Sendable, Hashable {
  case noSuchPlaylist
  /// Too many changes have been made since this state, or the state never existed.
  case unknownSnapshot
  case noSuchPosition(Int)
  /// The track at this position is not the one that the request names.
  case otherTrack(position: Int)
  /// The playlist would exceed `Playlist.maximumTrackCount`.
  case tooLong

  /// The reason in one sentence.
  public var message: String {
    switch self {
    case .noSuchPlaylist: "There is no playlist with this id."
    case .unknownSnapshot: "The playlist has changed too much since this snapshot; read it again."
    case .noSuchPosition(let position): "The playlist has no track at position \(position)."
    case .otherTrack(let position): "There is a different track at position \(position)."
    case .tooLong: "A playlist holds at most \(Playlist.maximumTrackCount) tracks."
    }
  }
}
