internal import Foundation

/// Detects files that begin or end in the middle of the audio: at full level, without a fade or an attack.
struct FileEdges {
  private let length: Int
  private var first: [Float] = []
  private var last: [Float]
  private var position = 0

  init(sampleRate: Int) {
    length = max(32, sampleRate / 50)
    last = [Float](repeating: 0, count: length)
  }

  mutating func push(_ left: Span<Float>, _ right: Span<Float>) {
    for index in 0..<min(left.count, length - first.count) {
      first.append(abs(left[index]) > abs(right[index]) ? left[index] : right[index])
    }
    for index in max(0, left.count - length)..<left.count {
      last[position] = abs(left[index]) > abs(right[index]) ? left[index] : right[index]
      position = (position + 1) % length
    }
  }

  /// - Parameter level: RMS of the file.
  func faults(frameCount: Int64, level: Double) -> [Fault] {
    guard first.count == length, frameCount > 50 * Int64(length), level > 0.003 else { return [] }
    let ordered = Array(last[position...] + last[..<position])
    var faults: [Fault] = []
    if let strength = cut(first, level: level) {
      faults.append(
        Fault(kind: .cutStart, start: 0, end: Int64(length), channel: nil, strength: strength, confidence: 0.8))
    }
    if let strength = cut(ordered.reversed(), level: level) {
      faults.append(
        Fault(
          kind: .cutEnd, start: frameCount - Int64(length), end: frameCount, channel: nil, strength: strength,
          confidence: 0.8))
    }
    return faults
  }

  /// Returns the level of an edge relative to the file, in dB; `nil` if the edge is not a cut.
  /// - Parameter samples: Samples from the edge inward.
  private func cut(_ samples: [Float], level: Double) -> Double? {
    func rms(_ part: ArraySlice<Float>) -> Double {
      (part.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(part.count)).squareRoot()
    }
    let (edge, inside) = (rms(samples[..<(length / 4)]), rms(samples[(length / 2)...]))
    guard edge > 0.4 * level, edge > 0.4 * inside else { return nil }
    return 20 * log10(edge / level)
  }
}
