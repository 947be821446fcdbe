internal import MediaContainers
internal import TagReading

/// Encoded audio between tags of other formats: MPEG audio, Monkey's Audio, WavPack, Musepack.
struct EncodedAudioFile: TagContainer {
  var tags: [EditableTag]
  private let leading: TagRegions.Leading
  /// In the order of the file.
  private let trailing: [TagRegions.Region]
  private let id3v2: ID3v2Envelope
  private let apev2: APEv2Items
  private let size: Int

  /// - Parameter prefersID3v2: Where a file without any tag gets one: in front, as MP3, or at the end.
  init(_ source: ByteSource, _ leading: TagRegions.Leading, prefersID3v2: Bool) throws {
    self.leading = leading
    size = source.size
    trailing = try TagRegions.trailing(in: source, behind: leading.end).reversed()
    guard leading.regions.count <= 1, leading.regions.allSatisfy({ $0.kind == .id3v2 }) else {
      throw TagWriteError(.oddStructure, "There are several tags in front of the audio; such files are not changed.")
    }
    guard trailing.allSatisfy({ $0.kind != .id3v2 }), trailing.count(where: { $0.kind == .ape }) <= 1 else {
      throw TagWriteError(
        .oddStructure, "There is an ID3v2 tag behind the audio, or several APE tags; such files are not changed.")
    }
    var frames: [EditableTag.Entry] = []
    let front = leading.regions.first?.bytes
    let envelope =
      if let front {
        try ID3v2Envelope(try source.bytes(at: front.lowerBound, count: front.count), frames: &frames)
      } else {
        ID3v2Envelope()
      }
    var items: [EditableTag.Entry] = []
    let back = trailing.first { $0.kind == .ape }?.bytes
    let ape =
      if let back {
        try APEv2Items(try source.bytes(at: back.lowerBound, count: back.count), items: &items)
      } else {
        APEv2Items()
      }
    (id3v2, apev2) = (envelope, ape)
    let first = EditableTag(.id3v2, frames) { key, values throws(TagWriteError) in try envelope.frame(key, values) }
    let second = EditableTag(.apev2, items) { key, values throws(TagWriteError) in try APEv2Items.item(key, values) }
    // An ID3v2 tag beside the APE tag of an MP3 file would hide the fields of that one from some players.
    let writesID3v2 = prefersID3v2 && (front != nil || back == nil)
    tags = writesID3v2 ? [first] + (back == nil ? [] : [second]) : [second] + (front == nil ? [] : [first])
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
}
