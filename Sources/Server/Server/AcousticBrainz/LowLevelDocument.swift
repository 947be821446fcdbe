internal import Analysis
internal import Records
internal import Text

/// The findings, format and tags of a file, under the names that AcousticBrainz's low-level documents use, as written
/// by Essentia's music extractor. Fields that Essentia defines differently, or that Nocturne does not measure, are left
/// out.
struct LowLevelDocument {
  let record: FileRecord

  var jsonValue: JSONValue {
    .object([
      "lowlevel": lowLevel, "rhythm": rhythm, "tonal": tonal, "metadata": metadata,
    ])
  }

  private var lowLevel: JSONValue {
    var object: [String: JSONValue] = [:]
    if let loudness = record.findings[LoudnessFinding.self] {
      var ebu: [String: JSONValue] = [:]
      ebu["integrated"] = loudness.integrated.map { .number($0) }
      ebu["loudness_range"] = loudness.range.map { .number($0) }
      ebu["momentary"] = loudness.maxMomentary.map { .object(["max": .number($0)]) }
      ebu["short_term"] = loudness.maxShortTerm.map { .object(["max": .number($0)]) }
      if !ebu.isEmpty { object["loudness_ebu128"] = .object(ebu) }
    }
    return .object(object)
  }

  private var rhythm: JSONValue {
    guard let tempo = record.tempo, let bpm = tempo.bpm else { return [:] }
    var object: [String: JSONValue] = ["bpm": .number(bpm)]
    if !tempo.beats.isEmpty {
      object["beats_count"] = .integer(Int64(tempo.beats.count))
      object["beats_position"] = .array(tempo.beats.map { .number($0) })
    }
    return .object(object)
  }

  private var tonal: JSONValue {
    guard let key = record.findings[KeyFinding.self] else { return [:] }
    var object: [String: JSONValue] = [:]
    if let tonic = key.tonic, let mode = key.mode {
      object["key_key"] = .string(tonic)
      object["key_scale"] = .string(mode)
      object["key_strength"] = .number(key.confidence)
    }
    object["tuning_frequency"] = key.tuningHertz.map { .number($0) }
    return .object(object)
  }

  private var metadata: JSONValue {
    var properties: [String: JSONValue] = [:]
    if let format = record.format {
      properties["length"] = format.duration.map { .number(($0 * 1000).rounded() / 1000) }
      properties["codec"] = .string(format.codec)
      properties["lossless"] = .bool(format.isLossless)
      properties["sample_rate"] = .integer(Int64(format.sampleRate))
      properties["number_channels"] = .integer(Int64(format.channelCount))
      properties["bit_rate"] = format.bitRate.map { .integer(Int64($0)) }
    }
    properties["replay_gain"] = record.findings[LoudnessFinding.self]?.trackGain.map { .number($0) }
    var tags: [String: JSONValue] = [:]
    for (name, values) in record.tags?.fields ?? [:] where !name.hasPrefix("other:") {
      tags[Self.names[name] ?? name] = .array(values.map { .string($0) })
    }
    return .object([
      "audio_properties": .object(properties), "tags": .object(tags), "version": Self.version(record),
    ])
  }

  /// Picard's names for fields that have different names in Nocturne.
  private static let names = [
    "musicbrainz_recordingid": "musicbrainz_trackid", "musicbrainz_trackid": "musicbrainz_releasetrackid",
    "track": "tracknumber", "disc": "discnumber",
  ]

  static func version(_ record: FileRecord) -> JSONValue {
    .object([
      "nocturne": .string(Nocturne.version),
      "analyzers": .object(
        Dictionary(record.analyzers.map { ($0.id, .integer(Int64($0.version))) }) { first, _ in first }),
    ])
  }
}
