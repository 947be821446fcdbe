/// A possible tempo, with the grid of its pulse and its measurements.
struct PulseCandidate {
  /// Beats per minute.
  var bpm: Double
  var isConstant: Bool
  var grid: BeatGrid
  var profile: BarProfile
  /// The views of the tempogram at this tempo.
  var comb: Float
  var wholeSpectrum: Float
  var localSpectrum: Float
  /// Whether the file is cut to whole bars of this tempo.
  var isLoop = false
}
