internal import CChromaprint

/// The items of a fingerprint, some eight a second, to be compared with those of another.
public struct Fingerprint: Sendable {
  /// 32 bits each.
  private let items: [UInt32]

  /// Items that two fingerprints may be apart: 2 s.
  private static let reach = 16
  /// Seven seconds.
  private static let leastOverlap = 60
  /// Of the bits. Encodings of one recording differ in up to 8%, two noises in 17%, other music in half of them.
  private static let mostDifferent = 0.12

  /// - Parameter text: As a `FingerprintFinding` has it; `nil` if it cannot be read.
  public init?(_ text: String) {
    var items: UnsafeMutablePointer<UInt32>?
    var count: Int32 = 0
    var algorithm: Int32 = 0
    let size = Int32(clamping: text.utf8.count)
    guard unsafe chromaprint_decode_fingerprint(text, size, &items, &count, &algorithm, 1) == 1,
      let items = unsafe items
    else { return nil }
    defer { unsafe chromaprint_dealloc(items) }
    self.items = unsafe Array(UnsafeBufferPointer(start: items, count: Int(max(0, count))))
  }

  /// Whether both are of one recording, in whatever encoding, from the same place on.
  public func isOfSameRecording(as other: Fingerprint) -> Bool {
    (-Self.reach...Self.reach).contains { offset in
      let start = max(0, -offset)
      let overlap = min(items.count, other.items.count - offset) - start
      guard overlap >= Self.leastOverlap else { return false }
      var differences = 0
      for index in start..<start + overlap {
        differences += (items[index] ^ other.items[index + offset]).nonzeroBitCount
      }
      return Double(differences) < Self.mostDifferent * 32 * Double(overlap)
    }
  }
}
