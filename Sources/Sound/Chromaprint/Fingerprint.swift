/// A fingerprint as a list of items, about eight per second, which can be compared with other fingerprints.
public struct Fingerprint: Sendable {
  /// The items, of 32 bits each.
  package let items: [UInt32]

  /// Maximum offset in `isOfSameRecording(as:)`, in items: 2 s.
  private static let reach = 16
  /// Minimum overlap in `isOfSameRecording(as:)`, in items: seven seconds.
  private static let minOverlap = 60
  /// Maximum share of different bits in fingerprints of the same recording. Encodings of one recording differ in up to
  /// 8% of their bits, two noises in 17%, and different music in half.
  private static let maxDifference = 0.12

  package init(items: [UInt32]) { self.items = items }

  /// - Parameter text: The text of a `FingerprintFinding`. If it is invalid, the result is `nil`.
  public init?(_ text: String) {
    guard let items = FingerprintText.items(of: text) else { return nil }
    self.items = items
  }

  /// Number of items.
  public var count: Int { items.count }

  /// Returns `true` if both fingerprints are of the same recording, in any encoding, starting at about the same
  /// position; `false` if they overlap by less than seven seconds.
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
  /// Returns the similarity to another fingerprint at the best offset: 0 for different music or an overlap of less than
  /// five seconds, 1 for identical bits.
  ///
  /// The similarity is the product of two factors: the overlap as a share of the shorter fingerprint, and how far the
  /// share of differing bits is below the half that is expected by chance, as a fraction of that half. AcoustID's own
  /// server uses the same score (Lalinský, acoustid-server, 2010–).
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

  /// Minimum overlap for a score, in items: five seconds.
  private static let minScoredOverlap = 40
  /// Maximum number of items of a fingerprint with the same upper half. More frequent halves are silence or a steady
  /// sound, and say nothing about the position.
  private static let maxOccurrences = 24

  /// Returns the position of this fingerprint's first item in the other one; `nil` if no items match. It is the offset
  /// at which most items match in their upper half, which encoding changes less than the lower half.
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
