/// Candidate tempo with its beat grid and measurements.
struct PulseCandidate {
  /// Beats per minute.
  var bpm: Double
  var isConstant: Bool
  var grid: BeatGrid
  var profile: BarProfile
  /// Values of the tempogram's views at this tempo.
  var comb: Float
  var wholeSpectrum: Float
  var localSpectrum: Float
  /// `true` if the file is cut to whole bars of this tempo.
  var isLoop = false
}
