/// A measurement of a period of time that can be merged with the measurement of the next period.
public protocol Mergeable {
  mutating func merge(_ next: Self)
}

/// Measurements of equal periods of time. They are merged in pairs whenever there are more than `limit`, so memory use
/// is bounded, no matter how long the audio is.
public struct BoundedSeries<Element: Mergeable> {
  public let limit: Int
  public private(set) var elements: [Element] = []
  /// Number of periods merged into each element. The last element may have fewer.
  public private(set) var merged = 1
  private var lastCount = 0

  public init(limit: Int) {
    self.limit = limit
  }

  public mutating func append(_ element: Element) {
    if lastCount > 0, lastCount < merged {
      elements[elements.count - 1].merge(element)
      lastCount += 1
      return
    }
    if elements.count == limit {
      elements = grouped(by: 2)
      merged *= 2
    }
    elements.append(element)
    lastCount = 1
  }

  /// Returns the elements merged in groups of `count`. The last group may have fewer.
  public func grouped(by count: Int) -> [Element] {
    stride(from: 0, to: elements.count, by: count).map { start in
      var sum = elements[start]
      for element in elements[(start + 1)..<min(start + count, elements.count)] { sum.merge(element) }
      return sum
    }
  }
}
