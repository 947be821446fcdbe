internal import MediaContainers
internal import TagReading

/// A picture to copy from an ID3v2 frame or an APEv2 item to another tag. Its bytes are not loaded.
struct AttachedPicture {
  /// The type in ID3v2's APIC frame.
  var type: UInt8
  var mime: String
  var description: String
  var data: Range<Int>

  /// Maximum number of bytes that precede a picture.
  private static let headLimit = 1_024

  /// Returns `nil` unless the APEv2 item is a picture, such as `Cover Art (Front)`.
  init?(item range: Range<Int>, in source: ByteSource) throws {
    let head = try source.bytes(at: range.lowerBound, count: min(Self.headLimit, range.count))
    guard head.count > 8, head[4] >> 1 & 3 == 1, let keyEnd = head[8...].firstIndex(of: 0),
      let type = APEv2Pictures.type(ofKey: head[8..<keyEnd].latin1),
      let nameEnd = head[(keyEnd + 1)...].firstIndex(of: 0)
    else { return nil }
    self.type = UInt8(type)
    description = TagText.utf8(head[(keyEnd + 1)..<nameEnd])
    data = range.lowerBound + nameEnd + 1..<range.upperBound
    guard !data.isEmpty else { return nil }
    mime = APEv2Pictures.mime(ofPicture: try source.bytes(at: data.lowerBound, count: APEv2Pictures.signatureLength))
  }

  /// Returns `nil` unless the frame is an `APIC` frame without format flags, such as those for compression or
  /// encryption.
  init?(frame range: Range<Int>, in source: ByteSource) throws {
    let head = try source.bytes(at: range.lowerBound, count: min(Self.headLimit, range.count))
    guard head.has("APIC"), head.count > 14, head[9] == 0, head[10] <= 3,
      let mimeEnd = head[11...].firstIndex(of: 0), mimeEnd + 2 < head.count
    else { return nil }
    let isWide = head[10] == 1 || head[10] == 2
    let text = head[(mimeEnd + 2)...]
    guard let end = ID3v2Text.terminator(in: text, isWide: isWide), var words = ID3v2Text(encoding: head[10], text)
    else {
      return nil
    }
    mime = head[11..<mimeEnd].latin1
    type = head[mimeEnd + 1]
    description = words.next()
    data = range.lowerBound + end + (isWide ? 2 : 1)..<range.upperBound
    guard !data.isEmpty else { return nil }
  }

  /// The start of an APEv2 item, up to the data of the picture.
  var apeItemHead: [UInt8] {
    let name = Array((description.isEmpty ? "cover" : description).utf8.filter { $0 != 0 }) + [0]
    let key = APEv2Pictures.key(ofType: Int(type))
    return UInt32(name.count + data.count).littleEndianBytes + [2, 0, 0, 0] + Array(key.utf8) + [0] + name
  }
}
