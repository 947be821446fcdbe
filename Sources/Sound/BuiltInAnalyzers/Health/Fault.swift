/// Audible fault at a position of the file.
struct Fault: Equatable {
  enum Kind: String, CaseIterable {
    case clipping, dropout, silence, click
    case repeated = "repeat"
    case offset = "dc_offset"
    case deadChannel = "dead_channel"
    case inverted, identical, hum, hiss
    case cutStart = "cut_start"
    case cutEnd = "cut_end"
  }

  var kind: Kind
  /// Half-open range of samples in the file.
  var start: Int64
  var end: Int64
  /// Zero-based channel; `nil` if all are affected.
  var channel: Int?
  /// Strength in the unit of the kind.
  var strength: Double
  /// 0 to 1.
  var confidence: Double
}
