/// An audible fault at a position in the file.
struct Fault: Equatable {
  enum Kind: String, CaseIterable {
    case clipping, dropout, silence, click
    /// There is no sound at all.
    case silent
    case repeated = "repeat"
    case offset = "dc_offset"
    case deadChannel = "dead_channel"
    case inverted, identical, hum, hiss
    case cutStart = "cut_start"
    case cutEnd = "cut_end"
  }

  /// Maximum distance, in seconds, between clipped peaks that are one fault.
  static let maxClippingDistance = 0.1

  var kind: Kind
  /// Index of the first affected sample in the file.
  var start: Int64
  /// Index after the last affected sample.
  var end: Int64
  /// Zero-based channel; `nil` if all channels are affected.
  var channel: Int?
  /// Strength, in the unit of this kind of fault.
  var strength: Double
  /// Confidence, 0 to 1.
  var confidence: Double
}
