/// The values that stand for missing audio features and analyses. They are the numbers that Spotify uses for unknown
/// values, which typed clients need, or null for clients that request it with `nulls=1`.
///
/// According to the documentation of Spotify's Web API, key and mode are -1 if there is no result, confidences are 0,
/// and the lowest loudness is -60 dB. Tempo, meter and traits are 0 if Spotify's analysis does not find any.
struct MissingFeatures {
  let isNull: Bool

  init(_ request: SpotifyRequest) { isNull = request.wantsNulls }

  /// A trait, from 0 to 1.
  var trait: Double? { isNull ? nil : 0 }
  var confidence: Double? { isNull ? nil : 0 }
  /// The tempo in beats per minute.
  var tempo: Double? { isNull ? nil : 0 }
  /// The loudness in dB.
  var loudness: Double? { isNull ? nil : -60 }
  var mode: Int? { isNull ? nil : -1 }
  /// The number of beats in a bar.
  var timeSignature: Int? { isNull ? nil : 0 }
  /// A number of samples, channels or milliseconds.
  var count: Int? { isNull ? nil : 0 }
  var text: String? { isNull ? nil : "" }
}
