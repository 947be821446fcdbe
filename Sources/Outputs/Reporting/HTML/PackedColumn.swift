internal import Foundation

/// Numbers, one for each row of the page, as unsigned little-endian integers of a few bytes. All bits one is no value.
///
/// A value is (raw + offset) / scale; what does not fit becomes the nearest that does.
struct PackedColumn {
  let width: Int
  let scale: Double
  let offset: Double
  private(set) var bytes: [UInt8] = []
  /// Whether any row has a value.
  private(set) var hasValues = false
  private let noValue: UInt32

  init(width: Int, scale: Double = 1, offset: Double = 0) {
    (self.width, self.scale, self.offset) = (width, scale, offset)
    noValue = UInt32.max >> UInt32(32 - 8 * width)
  }

  /// - Parameter rounding: To steps of 1 / scale.
  mutating func append(_ value: Double?, rounding: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
    guard let value, value.isFinite else { return append(raw: noValue) }
    // So much more that 0.29 × 100 does not round down to 28.
    let tolerance = rounding == .down ? 1e-9 : 0
    let raw = (value * scale - offset + tolerance).rounded(rounding)
    append(index: Int(min(max(raw, 0), Double(noValue - 1))))
  }

  mutating func append(index: Int?) {
    guard let index else { return append(raw: noValue) }
    hasValues = true
    append(raw: UInt32(clamping: min(max(index, 0), Int(noValue) - 1)))
  }

  /// The value of a row before scale and offset; `nil` if there is none.
  subscript(row: Int) -> Int? {
    var raw: UInt32 = 0
    for byte in 0..<width { raw |= UInt32(bytes[row * width + byte]) << UInt32(8 * byte) }
    return raw == noValue ? nil : Int(raw)
  }

  private mutating func append(raw: UInt32) {
    for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: raw >> UInt32(8 * byte))) }
  }

  /// The fewest bytes that hold indexes below a count, and the mark for none.
  static func width(forCount count: Int) -> Int {
    switch count {
    case ..<0xFF: 1
    case ..<0xFFFF: 2
    case ..<0xFF_FFFF: 3
    default: 4
    }
  }

  /// As the script of the page reads it.
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
