/// The items of a fingerprint, some eight a second, to be compared with those of another.
public struct Fingerprint: Sendable {
  /// 32 bits each.
  package let items: [UInt32]

  /// Items that two fingerprints may be apart: 2 s.
  private static let reach = 16
  /// Seven seconds.
  private static let leastOverlap = 60
  /// Share of the bits. Encodings of one recording differ in up to 8%, two noises in 17%, other music in half of them.
  private static let mostDifferent = 0.12

  package init(items: [UInt32]) { self.items = items }

  /// - Parameter text: As a `FingerprintFinding` has it; `nil` if it cannot be read.
  public init?(_ text: String) {
    guard let items = FingerprintText.items(of: text) else { return nil }
    self.items = items
  }

  /// How many items there are.
  public var count: Int { items.count }

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

extension Fingerprint {
  /// How well a fingerprint explains another, from wherever it begins: 0 for other music, 1 for the same bits.
  ///
  /// The share of the shorter one that lies beside the other, times how much fewer bits differ there than the half that
  /// differs by chance: the measure by which AcoustID's own server (Lalinský, acoustid-server, 2010–) scores its answers.
  public func similarity(to other: Fingerprint) -> Double {
    guard let offset = offset(in: other) else { return 0 }
    let start = max(0, -offset)
    let overlap = min(items.count, other.items.count - offset) - start
    guard overlap >= Self.leastScored else { return 0 }
    var differences = 0
    for index in start..<start + overlap {
      differences += (items[index] ^ other.items[index + offset]).nonzeroBitCount
    }
    let agreement = 1 - 2 * Double(differences) / Double(32 * overlap)
    return max(0, agreement) * Double(overlap) / Double(min(items.count, other.items.count))
  }

  /// Five seconds.
  private static let leastScored = 40
  /// Items that are alike more often than this are silence or a steady sound, and say nothing of the place.
  private static let mostAlike = 24

  /// The place of the first item in the other fingerprint: where most items are alike in their upper half, which
  /// survives encoders better than all 32 bits.
  private func offset(in other: Fingerprint) -> Int? {
    var places: [UInt16: [Int32]] = [:]
    for (place, item) in items.enumerated() { places[UInt16(item >> 16), default: []].append(Int32(place)) }
    var votes = [Int32](repeating: 0, count: items.count + other.items.count)
    for (place, item) in other.items.enumerated() {
      guard let alike = places[UInt16(item >> 16)], alike.count <= Self.mostAlike else { continue }
      for first in alike { votes[place - Int(first) + items.count] += 1 }
    }
    guard let best = votes.indices.max(by: { votes[$0] < votes[$1] }), votes[best] > 0 else { return nil }
    return best - items.count
  }
}
