/// A candidate tempo, with its beat grid and measurements.
struct PulseCandidate {
  /// The tempo in beats per minute.
  var bpm: Double
  var isConstant: Bool
  var grid: BeatGrid
  var profile: BarProfile
  /// The value of each of the tempogram's three views at this tempo.
  var comb: Float
  var wholeSpectrum: Float
  var localSpectrum: Float
  /// `true` if the length of the file is a whole number of bars at this tempo.
  var isLoop = false
}
