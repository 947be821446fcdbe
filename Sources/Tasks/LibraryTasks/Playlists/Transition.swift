internal import Foundation

/// Costs of a transition from one track to another, as listeners notice it. All are in the same unit: 1 is a jump that
/// most people notice.
package enum Transition {
  /// How far one tempo is from another, in percent: the smallest change that makes one the other, its half or its
  /// double.
  package static func tempoChange(_ first: Double, _ second: Double) -> Double {
    let octaves = log2(second / first)
    return (exp2(abs(octaves - octaves.rounded())) - 1) * 100
  }

  /// Steps on the wheel of Camelot: along the circle of fifths, and one between major and minor.
  package static func keySteps(_ first: WheelPosition, _ second: WheelPosition) -> Int {
    let distance = abs(first.hour - second.hour)
    return min(distance, 12 - distance) + (first.isMajor == second.isMajor ? 0 : 1)
  }

  /// The cost of an unknown value on either side: less than a bad jump, more than a good transition.
  static let unknownCost: Float = 0.75

  /// 1 for each 6%, which is about the range in which disc jockeys change a tempo without being noticed, 3 at most.
  /// Going to half or double time costs 0.25 more.
  static func tempoCost(_ first: Double, _ second: Double) -> Float {
    let isOctave = abs(log2(second / first)) > 0.5
    return Float(min(3, tempoChange(first, second) / 6)) + (isOctave ? 0.25 : 0)
  }

  /// The same key costs nothing; a neighbor on the wheel (a fifth up or down, or the relative key) 0.2; two steps 1,
  /// and half as much for each further one.
  static func keyCost(steps: Int) -> Float {
    switch steps {
    case 0: 0
    case 1: 0.2
    default: min(3, 1 + 0.5 * Float(steps - 2))
    }
  }

  /// The difference of energies, from 0 to 1, counts half.
  static func energyCost(_ first: Double, _ second: Double) -> Float { Float(abs(first - second)) * 0.5 }
}

/// A place on the wheel of Camelot.
package struct WheelPosition: Hashable, Sendable {
  /// 1 to 12.
  package var hour: Int
  package var isMajor: Bool

  /// - Parameter camelot: Such as `8A` or `12B`.
  package init?(_ camelot: String) {
    guard let letter = camelot.last, "AB".contains(letter), let hour = Int(camelot.dropLast()), (1...12).contains(hour)
    else { return nil }
    self.hour = hour
    isMajor = letter == "B"
  }

  /// From 0 to 23: 1A, 1B, 2A, …
  var index: Int { (hour - 1) * 2 + (isMajor ? 1 : 0) }
}
