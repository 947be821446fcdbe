internal import Analysis
internal import Records

/// The time-dependent facts about a track, as annotations.
struct TrackAnnotations {
  struct Beat {
    var seconds: Double
    /// Position of the beat in its bar, counted from 1; `nil` if bars are unknown.
    var beatInBar: Int?
  }

  /// A segment from a given time to the start of the next segment, or to the end of the track.
  struct Stretch<Value> {
    var start: Double
    var end: Double
    var value: Value
  }

  var beats: [Beat]
  /// The downbeats; empty if bars are unknown.
  var downbeats: [Double]
  /// Tempi in beats per minute.
  var tempi: [Stretch<Double>]
  var keys: [Stretch<MusicalKey>]
  var sections: [Stretch<String>]

  init(_ record: FileRecord) {
    let end = record.format?.duration
    let tempo = record.tempo.flatMap { $0.bpm == nil ? nil : $0 }
    let bars = tempo.flatMap { BarNumbers($0) }
    beats = (tempo?.beats ?? []).enumerated().map { Beat(seconds: $1, beatInBar: bars?.beatInBar($0)) }
    downbeats = tempo?.downbeats ?? []
    tempi = Self.stretches(tempo?.map.map { ($0.startSeconds, $0.bpm) } ?? [], end)
    let keyMap = record.keyFinding?.map ?? []
    keys = Self.stretches(keyMap.compactMap { part in MusicalKey(part.key).map { (part.startSeconds, $0) } }, end)
    sections = (record.findings[SectionsFinding.self]?.map ?? []).map {
      Stretch(start: $0.startSeconds, end: $0.endSeconds, value: $0.label)
    }
  }

  private static func stretches<Value>(_ starts: [(Double, Value)], _ end: Double?) -> [Stretch<Value>] {
    starts.indices.map { index in
      let (start, value) = starts[index]
      let next = index + 1 < starts.count ? starts[index + 1].0 : end ?? start
      return Stretch(start: start, end: max(next, start), value: value)
    }
  }
}
