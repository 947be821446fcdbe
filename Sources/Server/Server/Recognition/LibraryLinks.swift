internal import Analysis
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Records
internal import ResultStore

/// Links matches of the recognition catalog to tracks of the library, which may have covers.
struct LibraryLinks: Sendable {
  let store: ResultStore

  /// The property that contains the id of the track in the other APIs of this server.
  static let trackID = "track_id"

  /// Adds the id of the track to a media item, and the URL of its cover unless the item already has one. Blocks.
  func linked(_ match: MatchedMediaItem) throws(StoreError) -> MatchedMediaItem {
    guard case .string(let text)? = match.item.properties[LibraryItem.path] else { return match }
    let path = DisplayPath.path(from: text)
    guard let record = try store.record(at: path), !record.isVanished else { return match }
    var match = match
    let id = ContentID(ofPath: path).description
    match.item.properties[Self.trackID] = .string(id)
    if match.item.artworkURL == nil, record.tags?.pictures.isEmpty == false {
      match.item.artworkURL = "/media/covers/\(id)"
    }
    return match
  }

  func linked(_ cue: CueSheet.Cue) throws(StoreError) -> CueSheet.Cue {
    var cue = cue
    cue.match = try linked(cue.match)
    for index in cue.alternatives.indices { cue.alternatives[index] = try linked(cue.alternatives[index]) }
    return cue
  }
}
