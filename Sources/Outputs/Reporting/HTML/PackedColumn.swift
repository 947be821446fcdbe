internal import Foundation

/// A column of numbers, one for each row of the page, stored as unsigned little-endian integers of a few bytes. A
/// number with all bits set means that there is no value.
///
/// A value is (raw + offset) / scale. Values that are out of range are clamped.
struct PackedColumn {
  let width: Int
  let scale: Double
  let offset: Double
  private(set) var bytes: [UInt8] = []
  /// `true` if any row has a value.
  private(set) var hasValues = false
  private let noValue: UInt32

  init(width: Int, scale: Double = 1, offset: Double = 0) {
    (self.width, self.scale, self.offset) = (width, scale, offset)
    noValue = UInt32.max >> UInt32(32 - 8 * width)
  }

  /// - Parameter rounding: The rule for rounding to steps of 1 / scale.
  mutating func append(_ value: Double?, rounding: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
    guard let value, value.isFinite else { return append(raw: noValue) }
    // Keeps 0.29 × 100 from being rounded down to 28.
    let tolerance = rounding == .down ? 1e-9 : 0
    let raw = (value * scale - offset + tolerance).rounded(rounding)
    append(index: Int(min(max(raw, 0), Double(noValue - 1))))
  }

  mutating func append(index: Int?) {
    guard let index else { return append(raw: noValue) }
    hasValues = true
    append(raw: UInt32(clamping: min(max(index, 0), Int(noValue) - 1)))
  }

  /// Returns the raw value of a row, before applying the scale and offset; `nil` if there is none.
  subscript(row: Int) -> Int? {
    var raw: UInt32 = 0
    for byte in 0..<width { raw |= UInt32(bytes[row * width + byte]) << UInt32(8 * byte) }
    return raw == noValue ? nil : Int(raw)
  }

  private mutating func append(raw: UInt32) {
    for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: raw >> UInt32(8 * byte))) }
  }

  /// Returns the minimum number of bytes for indexes below a count and for the mark that means no value.
  static func width(forCount count: Int) -> Int {
    switch count {
    case ..<0xFF: 1
    case ..<0xFFFF: 2
    case ..<0xFF_FFFF: 3
    default: 4
    }
  }

  /// Writes the column in the format that the page's script reads.
  func write(to json: inout ScriptJSON) {
    json.beginObject()
    json.key("bytes")
    json.integer(width)
    if scale != 1 {
      json.key("scale")
      json.integer(Int(scale))
    }
    if offset != 0 {
      json.key("offset")
      json.integer(Int(offset))
    }
    json.key("data")
    json.base64(bytes)
    json.endObject()
  }
}
