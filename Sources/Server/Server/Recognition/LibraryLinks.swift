internal import Analysis
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Records
internal import ResultStore

/// Leads from what the recognition catalog knows to the same track of the library, where it has a cover.
struct LibraryLinks: Sendable {
  let store: ResultStore

  /// The property that holds the id of the track in the other parts of this server.
  static let trackID = "track_id"

  /// A media item with the id of its track, and the address of its cover unless it has an address already. Blocks.
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
