internal import AudioEncoding
internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

enum PieceTags {
  static func tags(
    of file: MixSplit.File, from source: FilePath, in format: PacketContainer.TagFormat
  ) -> [AudioTag] {
    var tags: [AudioTag] = []
    func add(_ name: String, _ value: String?) {
      // A NUL would end the C string.
      let text = value?.replacing("\0", with: "") ?? ""
      if !text.isEmpty { tags.append(AudioTag(name, text)) }
    }
    if let match = file.piece.cue?.match {
      let item = match.item
      add("title", item.title ?? match.referenceIdentifier)
      add("artist", item.artist)
      add("album", item.album)
      add("date", item.creationDate)
      // The ID3 frame has another name.
      add(format == .id3 ? "TSRC" : "ISRC", item.isrc)
      if format == .vorbisComments {
        for genre in item.genres { add("genre", genre) }
        if case .string(let recording)? = item.properties["musicbrainz_recordingid"] {
          // MusicBrainz Picard uses this name for the recording id.
          add("MUSICBRAINZ_TRACKID", recording)
        }
      } else {
        add("genre", item.genres.joined(separator: "; "))
      }
    } else {
      add("title", "unknown")
    }
    if format == .vorbisComments {
      add("track", "\(file.number)")
      add("TRACKTOTAL", "\(file.count)")
    } else {
      add("track", "\(file.number)/\(file.count)")
    }
    add("comment", comment(file.piece, source))
    return tags
  }

  private static func comment(_ piece: MixPiece, _ source: FilePath) -> String {
    return "\(clockText(piece.start, decimals: 1)) to \(clockText(piece.end, decimals: 1))\(mark(of: source))"
  }

  private static func mark(of source: FilePath) -> String {
    let name = source.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } ?? ""
    return " of \(name), cut by nocturne"
  }

  /// Identifies a piece of the same recording. Pieces of other recordings are not replaced.
  static func proof(of source: FilePath) -> OriginProof { .text(marks: [mark(of: source).replacing("\0", with: "")]) }
}
