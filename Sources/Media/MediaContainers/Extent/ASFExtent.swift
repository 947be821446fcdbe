extension ContainerExtent {
  /// ASF (Advanced Systems Format Specification 1.20): the file properties contain the number and size of the data
  /// packets (section 3.2). The packets are in the data object (section 5), ordered by send time.
  mutating func readASF(_ source: ByteSource, at start: Int) throws(FileReadError) {
    guard let headerEnd = try ASFObject.headerEnd(in: source, at: start) else { return }
    guard let properties = try ASFFileProperties(in: source, from: start + ASFObject.fileHeaderSize, to: headerEnd)
    else { return }
    let data = try source.bytes(at: headerEnd, count: ASFObject.dataHeaderSize)
    guard data.has(ASFObject.data), let size = data.littleEndian(Int64.self, at: 16) else {
      guard headerEnd >= source.size else { return }
      let head = try source.bytes(at: start, count: Self.asfHeaderLimit)
      if head.indices.contains(where: { head[$0] == ASFObject.data[0] && head.has(ASFObject.data, at: $0) }) {
        contradiction = "The header claims to be longer than it is."
      } else {
        flaw = .cutOff("The file ends after its header: there is no audio.")
      }
      return
    }
    let packetStart = headerEnd + ASFObject.dataHeaderSize
    // If the source was live or the writer was interrupted, the number and size of the packets are unknown.
    guard !properties.isBroadcast, let packetSize = properties.packetSize, properties.packetCount > 0,
      size >= ASFObject.dataHeaderSize
    else { return }
    let available = (source.size - packetStart) / packetSize
    let present = min(Int(clamping: properties.packetCount), max(0, available))
    if present < properties.packetCount {
      flaw = .cutOff(
        "The header claims \(properties.packetCount) data packets, but there are \(present): the file was cut off.")
    }
    let packets = packetStart..<packetStart + present * packetSize
    if let disorder = try ASFPacketCheck(packets, packetSize: packetSize, in: source).flaw { flaw = flaw ?? disorder }
    guard flaw == nil else { return }
    // Indexes and other objects follow the data object.
    var position = headerEnd + Int(clamping: min(size, Int64(source.size - headerEnd)))
    while let object = try ASFObject(at: position, end: source.size, in: source),
      try !source.bytes(at: position, count: 16).has(ASFObject.header)
    {
      position = object.end
    }
    end = position
  }
}

extension ContainerExtent {
  /// Maximum size of a header that is searched for the start of the data.
  private static let asfHeaderLimit = 1 << 20
}

/// The file properties object of an ASF file.
struct ASFFileProperties {
  var packetCount: Int64
  /// `nil` if packets differ in size.
  var packetSize: Int?
  var isBroadcast: Bool

  private static let guid: [UInt8] = [
    0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
  ]
  private static let objectLimit = 10_000

  /// - Parameter start: The start of the first object in the header. The result is `nil` if the header does not contain
  ///   the file properties.
  init?(in source: ByteSource, from start: Int, to end: Int) throws(FileReadError) {
    var position = start
    for _ in 0..<Self.objectLimit {
      guard let object = try ASFObject(at: position, end: end, in: source) else { return nil }
      let bytes = try source.bytes(at: position, count: 104)
      if bytes.has(Self.guid), let count = bytes.littleEndian(Int64.self, at: 56),
        let flags = bytes.littleEndian(UInt32.self, at: 88), let smallest = bytes.littleEndian(UInt32.self, at: 92),
        let largest = bytes.littleEndian(UInt32.self, at: 96)
      {
        packetCount = count
        packetSize = smallest == largest && smallest > 0 ? Int(smallest) : nil
        isBroadcast = flags & 1 != 0
        return
      }
      position = object.end
    }
    return nil
  }
}

/// Checks the data packets of an ASF file (section 5.2).
private struct ASFPacketCheck {
  private(set) var damagedCount = 0
  private(set) var disorderCount = 0

  /// Maximum number of packets examined; a day of music contains fewer.
  private static let limit = 1 << 22

  init(_ packets: Range<Int>, packetSize: Int, in source: ByteSource) throws(FileReadError) {
    var last: (sendTime: UInt32, head: [UInt8])?
    for position in stride(from: packets.lowerBound, to: packets.upperBound, by: packetSize).prefix(Self.limit) {
      let head = try source.bytes(at: position, count: min(64, packetSize))
      guard let sendTime = Self.sendTime(head, packetSize: packetSize) else {
        damagedCount += 1
        continue
      }
      if let last, sendTime < last.sendTime || head == last.head && head.count == 64 { disorderCount += 1 }
      last = (sendTime, head)
    }
  }

  var flaw: ContainerExtent.Flaw? {
    .disordered("Data packets", missing: disorderCount, damaged: damagedCount)
  }

  /// Send time in milliseconds; `nil` if the packet is not valid.
  private static func sendTime(_ head: [UInt8], packetSize: Int) -> UInt32? {
    var position = 0
    // Error correction data: two bytes, which all writers set to zero.
    if let flags = head.first, flags & 0x80 != 0 {
      guard flags & 0x60 == 0 else { return nil }
      position = 1 + Int(flags & 0x0F)
    }
    guard let lengths = head.dropFirst(position).first, let properties = head.dropFirst(position + 1).first,
      properties == 0x5D
    else { return nil }
    position += 2
    // The lengths of the packet, of its sequence and of its padding take 0, 1, 2 or 4 bytes.
    for shift in [5, 1, 3] {
      let width = [0, 1, 2, 4][Int(lengths >> shift & 3)]
      let field = head.dropFirst(position).prefix(width)
      guard field.count == width else { return nil }
      if shift != 1, width > 0, Int(ArraySlice(field.reversed()).bigEndianNumber) > packetSize { return nil }
      position += width
    }
    return head.littleEndian(UInt32.self, at: position)
  }
}
