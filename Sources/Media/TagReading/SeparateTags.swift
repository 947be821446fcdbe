internal import Analysis
package import MediaContainers

/// The tags of a file, not merged: an external program sees only the kinds of tags that it reads.
package struct SeparateTags {
  /// Tags that belong to the container itself, in order of precedence.
  let own: [RawTag]
  /// All other tags before and after the audio, in order of precedence.
  let others: [RawTag]
  let remarks: [String]
  package let container: Container

  package init(of source: ByteSource) throws(FileReadError) {
    let leading = try LeadingTags(of: source)
    container = try Container(of: source, at: leading.end)
    // Tags of other formats cannot begin before the end of the container's own structure.
    var structureEnd = leading.end
    own = try Self.ownTags(of: source, container, at: leading.end, end: &structureEnd)
    let trailing = try TrailingTags(of: source, behind: structureEnd)
    others = leading.id3v2 + trailing.tags + leading.apev2 + trailing.lastResorts
    remarks = leading.remarks + trailing.remarks
  }

  /// Returns the tags that belong to the container itself, in order of precedence.
  private static func ownTags(
    of source: ByteSource, _ container: Container, at audioStart: Int, end: inout Int
  ) throws(FileReadError) -> [RawTag] {
    switch container {
    case .flac: return [try FLACMetadata.read(from: source, at: audioStart)]
    case .ogg: return [try OggComment.read(from: source, at: audioStart)]
    case .mp4: return try MP4Items.read(from: source).map { [$0] } ?? []
    case .asf: return [try ASFTags.read(from: source, at: audioStart)]
    case .matroska: return try MatroskaTags.read(from: source, at: audioStart).map { [$0] } ?? []
    case .wav, .rifx, .rf64, .wave64, .aiff, .dsdiff:
      guard var chunks = ChunkTags(source, container, at: audioStart) else { return [] }
      let tags = try chunks.read()
      end = chunks.end
      return tags
    case .dsf:
      let position = Int(clamping: try DSFHeader(in: source, at: audioStart).tagOffset)
      guard let tag = try ID3v2Tag(in: source, at: position) else { return [] }
      return [try tag.read()]
    default: return try TrackerModule.read(from: source, container).map { [$0] } ?? []
    }
  }
}
