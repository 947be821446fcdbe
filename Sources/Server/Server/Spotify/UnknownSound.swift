/// Values in audio features and analyses for unknown data: the numbers that Spotify has there, which typed clients
/// need, or null for clients that ask for it by `nulls=1`.
///
/// As the documents of Spotify's Web API have it, key and mode are -1 without a result, confidences 0, and loudness is -60 dB at
/// its lowest; tempo, meter and traits are 0 where its analysis finds none.
struct UnknownSound {
  let isNull: Bool

  init(_ request: CatalogRequest) { isNull = request.wantsNulls }

  /// 0 to 1.
  var trait: Double? { isNull ? nil : 0 }
  var confidence: Double? { isNull ? nil : 0 }
  /// Beats per minute.
  var tempo: Double? { isNull ? nil : 0 }
  /// dB.
  var loudness: Double? { isNull ? nil : -60 }
  var mode: Int? { isNull ? nil : -1 }
  /// Beats in a bar.
  var timeSignature: Int? { isNull ? nil : 0 }
  /// Samples, channels, milliseconds.
  var count: Int? { isNull ? nil : 0 }
  var text: String? { isNull ? nil : "" }
}
