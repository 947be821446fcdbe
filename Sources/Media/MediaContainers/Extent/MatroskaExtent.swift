extension ContainerExtent {
  /// Matroska (RFC 9559): a segment with a size, containing clusters ordered by timestamp. Live streams have no sizes.
  mutating func readMatroska(_ source: ByteSource, at start: Int) throws(FileReadError) {
    var position = start
    var segmentEnd: Int?
    var lastTimestamp: UInt64?
    var disorderCount = 0
    for _ in 0..<Self.elementLimit {
      if let segmentEnd, position >= segmentEnd { break }
      guard let element = try EBMLElement(at: position, end: segmentEnd ?? source.size, in: source) else { break }
      if element.id == EBMLElement.ID.segment {
        if element.isCutOff { flaw = .cutOff("The file ends before the end that its segment claims.") }
        segmentEnd = element.isOpenEnded ? nil : element.body.upperBound
        position = element.body.lowerBound
        continue
      }
      if element.id == EBMLElement.ID.cluster {
        let timestamp = try Self.timestamp(in: element, source)
        if let timestamp, let lastTimestamp, timestamp < lastTimestamp { disorderCount += 1 }
        lastTimestamp = timestamp ?? lastTimestamp
      }
      // Nothing inside a stream of unknown size reveals where it ends.
      guard !element.isOpenEnded else { return }
      if element.isCutOff, segmentEnd != nil, flaw == nil {
        flaw = .disordered("An element at byte \(element.start) claims to be longer than the segment it is in.")
      }
      position = element.body.upperBound
    }
    flaw = flaw ?? .disordered("Clusters", missing: disorderCount, damaged: 0)
    if flaw == nil { end = segmentEnd }
  }

  private static let elementLimit = 1 << 21

  /// Timestamp of a cluster: its first element, unless a checksum comes first; `nil` if it is missing.
  private static func timestamp(in cluster: EBMLElement, _ source: ByteSource) throws(FileReadError) -> UInt64? {
    var position = cluster.body.lowerBound
    for _ in 0..<4 {
      guard let element = try EBMLElement(at: position, end: cluster.body.upperBound, in: source) else { return nil }
      if element.id == EBMLElement.ID.timestamp {
        return try source.bytes(at: element.body.lowerBound, count: min(8, element.body.count)).bigEndianNumber
      }
      position = element.body.upperBound
    }
    return nil
  }
}
