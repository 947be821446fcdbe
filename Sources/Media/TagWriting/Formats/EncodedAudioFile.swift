internal import MediaContainers
internal import TagReading

/// A file that consists of encoded audio between tags of other formats: MPEG audio, Monkey's Audio, WavPack, Musepack.
struct EncodedAudioFile: TagContainer {
  var tags: [EditableTag]
  private let leading: TagRegions.Leading
  /// The tags after the audio, in file order.
  private let trailing: [TagRegions.Region]
  private let id3v2: ID3v2Envelope
  private let apev2: APEv2Items
  private let size: Int

  /// - Parameter prefersID3v2: `true` to write new fields to ID3v2, as in MP3, where some programs read nothing else;
  ///   `false` to write them to APEv2.
  init(_ source: ByteSource, _ leading: TagRegions.Leading, prefersID3v2: Bool) throws {
    self.leading = leading
    size = source.size
    trailing = try TagRegions.trailing(in: source, behind: leading.end).reversed()
    guard leading.regions.count <= 1, leading.regions.allSatisfy({ $0.kind == .id3v2 }) else {
      throw TagWriteError(.oddStructure, "There are several tags before the audio; such files are not changed.")
    }
    guard trailing.allSatisfy({ $0.kind != .id3v2 }), trailing.count(where: { $0.kind == .ape }) <= 1 else {
      throw TagWriteError(
        .oddStructure, "There is an ID3v2 tag after the audio, or several APE tags; such files are not changed.")
    }
    var frames: [EditableTag.Entry] = []
    let front = leading.regions.first?.bytes
    let envelope =
      if let front {
        try ID3v2Envelope(source, front, frames: &frames)
      } else {
        ID3v2Envelope()
      }
    var items: [EditableTag.Entry] = []
    let back = trailing.first { $0.kind == .ape }?.bytes
    let ape =
      if let back {
        try APEv2Items(source, back, items: &items)
      } else {
        APEv2Items()
      }
    (id3v2, apev2) = (envelope, ape)
    let first = EditableTag(.id3v2, frames) { key, values throws(TagWriteError) in try envelope.frame(key, values) }
    let second = EditableTag(.apev2, items) { key, values throws(TagWriteError) in try APEv2Items.item(key, values) }
    tags = prefersID3v2 ? [first] + (back == nil ? [] : [second]) : [second] + (front == nil ? [] : [first])
  }

  func splice() throws(TagWriteError) -> FileSplice {
    var splice = FileSplice()
    for tag in tags where tag.space == .id3v2 { splice.add(try id3v2.tag(tag)) }
    let ape = tags.first { $0.space == .apev2 }
    let audioEnd = trailing.first?.bytes.lowerBound ?? size
    splice.add(leading.end..<audioEnd)
    if let ape, !trailing.contains(where: { $0.kind == .ape }) { splice.add(try apev2.tag(ape)) }
    for region in trailing {
      if region.kind == .ape, let ape { splice.add(try apev2.tag(ape)) } else { splice.add(region.bytes) }
    }
    return splice
  }

  /// Returns the pictures of the second tag as entries for the first.
  func pictures(from source: ByteSource) throws -> [EditableTag.Entry] {
    guard tags.count == 2 else { return [] }
    var pictures: [EditableTag.Entry] = []
    for case .original(let range) in tags[1].entries.map(\.content) {
      let content =
        tags[0].space == .id3v2
        ? try AttachedPicture(item: range, in: source).flatMap { picture in
          id3v2.pictureHead(
            type: picture.type, mime: picture.mime, description: picture.description, size: picture.data.count
          ).map { FileSplice.Piece.joined($0, picture.data) }
        } : try AttachedPicture(frame: range, in: source).map { .joined($0.apeItemHead, $0.data) }
      if let content { pictures.append(EditableTag.Entry(content: content)) }
    }
    return pictures
  }
}
