internal import Foundation

/// The perceptual cost of a transition from one track to another. All costs have the same unit: 1 is a jump that most
/// people notice.
package enum Transition {
  /// Returns the distance between two tempi in percent: the smallest change that turns one into the other, its half or
  /// its double.
  package static func tempoChange(_ first: Double, _ second: Double) -> Double {
    let octaves = log2(second / first)
    return (exp2(abs(octaves - octaves.rounded())) - 1) * 100
  }

  /// Returns the number of steps between two keys on the Camelot wheel: along the circle of fifths, plus one between
  /// major and minor.
  package static func keySteps(_ first: WheelPosition, _ second: WheelPosition) -> Int {
    let distance = abs(first.hour - second.hour)
    return min(distance, 12 - distance) + (first.isMajor == second.isMajor ? 0 : 1)
  }

  /// The cost if a value is unknown for either track. It is less than the cost of a bad jump, but more than that of a
  /// good transition.
  static let unknownCost: Float = 0.75

  /// Returns the cost of a change of tempo: 1 per 6%, at most 3, because about 6% is the largest change of tempo that
  /// DJs can make without listeners noticing. Half or double time costs 0.25 more.
  static func tempoCost(_ first: Double, _ second: Double) -> Float {
    let isOctave = abs(log2(second / first)) > 0.5
    return Float(min(3, tempoChange(first, second) / 6)) + (isOctave ? 0.25 : 0)
  }

  /// Returns the cost of a change of key: 0 for the same key, 0.2 for a neighbor on the wheel (a fifth up or down, or
  /// the relative key), 1 for two steps, and 0.5 more for each further step, at most 3 in total.
  static func keyCost(steps: Int) -> Float {
    switch steps {
    case 0: 0
    case 1: 0.2
    default: min(3, 1 + 0.5 * Float(steps - 2))
    }
  }

  /// Returns half the difference between the energies, which range from 0 to 1.
  static func energyCost(_ first: Double, _ second: Double) -> Float { Float(abs(first - second)) * 0.5 }
}

/// A position on the Camelot wheel.
package struct WheelPosition: Hashable, Sendable {
  /// The hour, from 1 to 12.
  package var hour: Int
  package var isMajor: Bool

  /// - Parameter camelot: Camelot notation, such as `8A` or `12B`.
  package init?(_ camelot: String) {
    guard let letter = camelot.last, "AB".contains(letter), let hour = Int(camelot.dropLast()), (1...12).contains(hour)
    else { return nil }
    self.hour = hour
    isMajor = letter == "B"
  }

  /// The index, from 0 to 23: 1A, 1B, 2A, …
  var index: Int { (hour - 1) * 2 + (isMajor ? 1 : 0) }
}
