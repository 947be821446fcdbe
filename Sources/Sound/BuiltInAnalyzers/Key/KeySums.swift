internal import Mathematics

/// Network outputs summed over segments of equal length, so that any part of the track can be judged afterwards.
///
/// In a long track, neighboring segments are merged in pairs, repeatedly, so there are never more than `limit`
/// segments.
struct KeySums {
  static let framesPerSegment = 8
  private static let limit = 1024

  struct Segment {
    /// The features of each pitch class, head by head, weighted and summed over the frames.
    var features = [Float](repeating: 0, count: 12 * KeyNetwork.heads * KeyNetwork.channels)
    /// The sum of each head's weights.
    var weights = [Float](repeating: 0, count: KeyNetwork.heads)

    mutating func add(_ other: Segment) {
      for index in features.indices { features[index] += other.features[index] }
      for head in weights.indices { weights[head] += other.weights[head] }
    }

    /// Adds the output of `KeyNetwork` for a frame.
    mutating func add(_ frame: ArraySlice<Float>, logarithms: ArraySlice<Float>) {
      for (head, logarithm) in logarithms.enumerated() {
        let weight = exp(min(max(logarithm, -15), 15))
        weights[head] += weight
        for pitchClass in 0..<12 {
          let to = (pitchClass * KeyNetwork.heads + head) * KeyNetwork.channels
          let from = frame.startIndex + pitchClass * KeyNetwork.channels
          for channel in 0..<KeyNetwork.channels { features[to + channel] += weight * frame[from + channel] }
        }
      }
    }

    var means: [Float] {
      features.enumerated().map { index, value in
        value / weights[index / KeyNetwork.channels % KeyNetwork.heads]
      }
    }
  }

  private(set) var segments: [Segment] = []
  /// Number of frames per segment. The last segment may have fewer.
  private(set) var framesPerSegment = Self.framesPerSegment
  private var framesInLast = 0

  var isEmpty: Bool { segments.isEmpty }

  mutating func append(_ frame: ArraySlice<Float>, logarithms: ArraySlice<Float>) {
    if segments.isEmpty || framesInLast == framesPerSegment {
      if segments.count == Self.limit { halve() }
      segments.append(Segment())
      framesInLast = 0
    }
    segments[segments.count - 1].add(frame, logarithms: logarithms)
    framesInLast += 1
  }

  private mutating func halve() {
    segments = stride(from: 0, to: segments.count, by: 2).map { index in
      var both = segments[index]
      both.add(segments[index + 1])
      return both
    }
    framesPerSegment *= 2
  }

  /// Returns the sum of several segments.
  func sum(_ indices: some Sequence<Int>) -> Segment {
    var sum = Segment()
    for index in indices { sum.add(segments[index]) }
    return sum
  }
}
