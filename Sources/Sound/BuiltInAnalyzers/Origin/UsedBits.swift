internal import Foundation

/// Counts the bits that samples use, at least 8, assuming that the samples were integers originally.
struct UsedBits {
  private let bits: Int
  private(set) var used: Int
  private var scale: Float
  private(set) var hasSound = false

  init(bits: Int) {
    self.bits = bits
    used = min(bits, 8)
    scale = Float(sign: .plus, exponent: used - 1, significand: 1)
  }

  mutating func push(_ values: Span<Float>) {
    guard used < bits else {
      hasSound = true
      return
    }
    for index in values.indices {
      let value = values[index]
      if value != 0 { hasSound = true }
      while used < bits, (value * scale).rounded() != value * scale {
        used += 1
        scale *= 2
      }
      if used == bits { return }
    }
  }
}
