/// The loudness of a track (ITU-R BS.1770-5, EBU R 128) and the gain that a player should apply (ReplayGain 2).
public struct LoudnessFinding: DeclaredFinding {
  /// Returns the ReplayGain 2 gain in dB that brings a loudness in LUFS to -18 LUFS.
  public static func gain(ofLoudness loudness: Double) -> Double { ((-18 - loudness) * 100).rounded() / 100 }

  /// Gated loudness of the whole track in LUFS; `nil` if there is none, in which case `reason` says why.
  public var integrated: Double?
  /// Loudness range in LU; `nil` if less than 3 s are above the gates.
  public var range: Double?
  /// Loudness of the loudest 400 ms in LUFS.
  public var maxMomentary: Double?
  /// Loudness of the loudest 3 s in LUFS.
  public var maxShortTerm: Double?
  /// Largest sample in dBFS; `nil` for digital silence.
  public var samplePeak: Double?
  /// Largest value of the continuous signal in dBTP; `nil` for digital silence.
  public var truePeak: Double?
  /// ReplayGain 2 gain of the track in dB; `nil` if `integrated` is.
  public var trackGain: Double?
  /// Peak of the continuous signal, where full scale is 1; `nil` for digital silence.
  public var trackPeak: Double?
  /// ReplayGain 2 gain of the album in dB. An analyzer sees only one file, so the store sets the gain once it has all
  /// tracks of the album.
  public var albumGain: Double?
  /// Largest `trackPeak` of the album. The store sets it together with `albumGain`.
  public var albumPeak: Double?
  /// A code for programs: `silence`, `too_short`, `below_gate` or `low_sample_rate`; `nil` if the loudness was
  /// measured.
  public var reason: String?
  /// The histogram of the gating blocks (`LoudnessHistogram.bytes`). It is empty in file records, which omit it.
  public var gatingBlocks: [UInt8]

  public init(
    integrated: Double? = nil, range: Double? = nil, maxMomentary: Double? = nil, maxShortTerm: Double? = nil,
    samplePeak: Double? = nil, truePeak: Double? = nil, trackGain: Double? = nil, trackPeak: Double? = nil,
    reason: String? = nil, gatingBlocks: [UInt8] = []
  ) {
    self.integrated = integrated
    self.range = range
    self.maxMomentary = maxMomentary
    self.maxShortTerm = maxShortTerm
    self.samplePeak = samplePeak
    self.truePeak = truePeak
    self.trackGain = trackGain
    self.trackPeak = trackPeak
    albumGain = nil
    albumPeak = nil
    self.reason = reason
    self.gatingBlocks = gatingBlocks
  }

  public init() { self.init(reason: nil) }
}
