/// Something wrong with the sound, at a place.
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
  /// Samples of the file, half open.
  var start: Int64
  var end: Int64
  /// From 0; `nil` for a fault of all.
  var channel: Int?
  /// In the unit of its kind.
  var strength: Double
  /// 0 to 1.
  var confidence: Double
}
