/// An audible fault of the whole file or of a part of it.
struct Fault: Equatable {
  enum Kind: String, CaseIterable {
    case clipping, dropout, silence, click
    /// The file contains no sound.
    case silent
    case repeated = "repeat"
    case offset = "dc_offset"
    case deadChannel = "dead_channel"
    case inverted, identical, hum, hiss
    case cutStart = "cut_start"
    case cutEnd = "cut_end"
  }

  /// Maximum distance, in seconds, between clipped peaks that count as one fault.
  static let maxClippingDistance = 0.1

  var kind: Kind
  /// Index of the first affected sample in the file.
  var start: Int64
  /// Index after the last affected sample.
  var end: Int64
  /// Zero-based channel; `nil` if more than one channel is affected.
  var channel: Int?
  /// Strength, in the unit of this kind of fault.
  var strength: Double
  /// Confidence, 0 to 1.
  var confidence: Double
}
