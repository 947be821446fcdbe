/// The items of a fingerprint, about eight per second, for comparison with another fingerprint.
public struct Fingerprint: Sendable {
  /// Items of 32 bits.
  package let items: [UInt32]

  /// Maximum offset between two fingerprints, in items: 2 s.
  private static let reach = 16
  /// Minimum overlap in items: seven seconds.
  private static let minOverlap = 60
  /// Maximum share of different bits. Encodings of one recording differ in up to 8% of the bits, two noises in 17%, and
  /// different music in half.
  private static let maxDifference = 0.12

  package init(items: [UInt32]) { self.items = items }

  /// - Parameter text: The text of a `FingerprintFinding`. The result is `nil` if it is invalid.
  public init?(_ text: String) {
    guard let items = FingerprintText.items(of: text) else { return nil }
    self.items = items
  }

  /// Number of items.
  public var count: Int { items.count }

  /// `true` if both fingerprints are of the same recording, in any encoding, from about the same position on.
  public func isOfSameRecording(as other: Fingerprint) -> Bool {
    (-Self.reach...Self.reach).contains { offset in
      let start = max(0, -offset)
      let overlap = min(items.count, other.items.count - offset) - start
      guard overlap >= Self.minOverlap else { return false }
      var differences = 0
      for index in start..<start + overlap {
        differences += (items[index] ^ other.items[index + offset]).nonzeroBitCount
      }
      return Double(differences) < Self.maxDifference * 32 * Double(overlap)
    }
  }
}

extension Fingerprint {
  /// The similarity to another fingerprint, at any offset: 0 for different music, 1 for identical bits.
  ///
  /// It is the overlap as a share of the shorter fingerprint, times the reduction of differing bits relative to the
  /// half expected by chance. AcoustID's own server uses the same score (Lalinský, acoustid-server, 2010–).
  public func similarity(to other: Fingerprint) -> Double {
    guard let offset = offset(in: other) else { return 0 }
    let start = max(0, -offset)
    let overlap = min(items.count, other.items.count - offset) - start
    guard overlap >= Self.minScoredOverlap else { return 0 }
    var differences = 0
    for index in start..<start + overlap {
      differences += (items[index] ^ other.items[index + offset]).nonzeroBitCount
    }
    let agreement = 1 - 2 * Double(differences) / Double(32 * overlap)
    return max(0, agreement) * Double(overlap) / Double(min(items.count, other.items.count))
  }

  /// Minimum overlap in items for a score: five seconds.
  private static let minScoredOverlap = 40
  /// Maximum number of occurrences of an item. More frequent items are silence or a steady sound, and say nothing about
  /// the position.
  private static let maxOccurrences = 24

  /// Position of the first item in the other fingerprint: the offset at which most items match in their upper half,
  /// which survives encoders better than all 32 bits.
  private func offset(in other: Fingerprint) -> Int? {
    var places: [UInt16: [Int32]] = [:]
    for (place, item) in items.enumerated() { places[UInt16(item >> 16), default: []].append(Int32(place)) }
    var votes = [Int32](repeating: 0, count: items.count + other.items.count)
    for (place, item) in other.items.enumerated() {
      guard let alike = places[UInt16(item >> 16)], alike.count <= Self.maxOccurrences else { continue }
      for first in alike { votes[place - Int(first) + items.count] += 1 }
    }
    guard let best = votes.indices.max(by: { votes[$0] < votes[$1] }), votes[best] > 0 else { return nil }
    return best - items.count
  }
}
