internal import Analysis

/// Beats in the form in which Mixxx's database stores them (`BeatGrid-2.0` and `BeatMap-1.0`). The blobs are Protocol
/// Buffers messages, of which only a few fields are needed:
///
///     message Bpm { optional double bpm = 1; }
///     message Beat { optional int32 frame_position = 1; }
///     message BeatGrid { optional Bpm bpm = 1; optional Beat first_beat = 2; }
///     message BeatMap { repeated Beat beat = 1; }
struct MixxxBeats: Equatable {
  var version: String
  var blob: [UInt8]

  private static let bpmPlaces = 6

  /// Stores a constant tempo as a grid, which begins with the first downbeat if that is known, and a varying tempo as a
  /// map of all its beats. Returns `nil` if there is no tempo, or there are fewer than two beats.
  init?(_ tempo: TempoFinding, sampleRate: Int) {
    guard let grid = DJBeatGrid(tempo, bpmPlaces: Self.bpmPlaces) else { return nil }
    func beat(_ seconds: Double) -> [UInt8] {
      [0x08] + Self.varint(UInt64(max(0, (seconds * Double(sampleRate)).rounded())))
    }
    if grid.anchors.count == 1 {
      version = "BeatGrid-2.0"
      let bpm = [0x09] + (0..<8).map { UInt8(truncatingIfNeeded: grid.anchors[0].bpm.bitPattern >> (8 * $0)) }
      let first = BarNumbers(tempo).flatMap { grid.time(ofBeat: $0.firstDownbeat) } ?? grid.anchors[0].seconds
      blob = Self.message(1, bpm) + Self.message(2, beat(first))
    } else {
      version = "BeatMap-1.0"
      blob = tempo.beats.flatMap { Self.message(1, beat($0)) }
    }
  }

  /// Encodes a field of wire type 2.
  private static func message(_ field: UInt8, _ content: [UInt8]) -> [UInt8] {
    [field << 3 | 2] + varint(UInt64(content.count)) + content
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
