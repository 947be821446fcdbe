/// How loud a track is (ITU-R BS.1770-5, EBU R 128), and how much a player should change that (ReplayGain 2).
public struct LoudnessFinding: DeclaredFinding {
  /// ReplayGain 2: what brings a loudness in LUFS to -18, in dB.
  public static func gain(ofLoudness loudness: Double) -> Double { ((-18 - loudness) * 100).rounded() / 100 }

  /// LUFS of the whole track, with gates; `nil` when there is none, and then `reason` says why.
  public var integrated: Double?
  /// LU; `nil` for less than 3 s above the gates.
  public var range: Double?
  /// LUFS of the loudest 400 ms.
  public var maxMomentary: Double?
  /// LUFS of the loudest 3 s.
  public var maxShortTerm: Double?
  /// dBFS of the largest sample; `nil` for digital silence.
  public var samplePeak: Double?
  /// dBTP: of the largest value of the continuous signal; `nil` for digital silence.
  public var truePeak: Double?
  /// ReplayGain 2, in dB.
  public var trackGain: Double?
  /// Peak of the continuous signal; full scale is 1.
  public var trackPeak: Double?
  /// ReplayGain 2 of the album, in dB. Analyzers know one file: the store sets it once it knows all tracks.
  public var albumGain: Double?
  /// The largest `trackPeak` of the album, from the store too.
  public var albumPeak: Double?
  /// Machine-readable: `silence`, `too_short`, `below_gate`, `low_sample_rate`; `nil` when there is a loudness.
  public var reason: String?
  /// Histogram of the gating blocks: `LoudnessHistogram.bytes`. Empty in records of files, which do without.
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
