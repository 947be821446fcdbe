/// A candidate tempo, with its beat grid and measurements.
struct PulseCandidate {
  /// Beats per minute.
  var bpm: Double
  var isConstant: Bool
  var grid: BeatGrid
  var profile: BarProfile
  /// The values of the tempogram's three views at this tempo.
  var comb: Float
  var wholeSpectrum: Float
  var localSpectrum: Float
  /// `true` if the file is cut to whole bars of this tempo.
  var isLoop = false
}
