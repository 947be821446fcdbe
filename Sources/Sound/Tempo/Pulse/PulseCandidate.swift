/// A candidate tempo, with its beat grid and measurements.
struct PulseCandidate {
  /// The tempo in beats per minute.
  var bpm: Double
  var isConstant: Bool
  var grid: BeatGrid
  var profile: BarProfile
  /// The value of `Tempogram.comb` at this tempo.
  var comb: Float
  /// The value of `Tempogram.wholeSpectrum` at this tempo.
  var wholeSpectrum: Float
  /// The value of `Tempogram.localSpectrum` at this tempo.
  var localSpectrum: Float
  /// `true` if the file is short and its duration is a whole number of bars at this tempo.
  var isLoop = false
}
