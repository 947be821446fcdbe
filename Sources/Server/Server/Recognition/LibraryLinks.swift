internal import Analysis
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Records
internal import ResultStore

/// Links matches from the recognition catalog to tracks of the library and their covers.
struct LibraryLinks: Sendable {
  let store: ResultStore

  /// The property for the track's id, which the other APIs of this server use.
  static let trackID = "track_id"

  /// Returns the match with the id of its track added to the media item, or unchanged if the track is not in the
  /// library. If the item has no artwork URL and the tags of the track contain a picture, also adds the URL of the
  /// cover. Blocks.
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
