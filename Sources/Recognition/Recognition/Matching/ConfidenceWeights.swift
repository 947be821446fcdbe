internal import DSP

/// The coefficients of `Finding.logOdds`. `Benchmarks/recognition/confidence.py` fits them and defines the names of the
/// features.
struct ConfidenceWeights {
  let constant: Float
  let z: Float
  let shifted: Float
  let runnerUp: Float
  let rival: Float
  let unexplained: Float
  let present: Float
  let clarity: Float
  let neutral: Float
  let duration: Float

  static let fitted = ConfidenceWeights(RecognitionResources.confidence)

  init(_ table: NumberTable) {
    constant = Float(table.number("one"))
    z = Float(table.number("ln_z"))
    shifted = Float(table.number("ln_shifted"))
    runnerUp = Float(table.number("ln_runnerUp"))
    rival = Float(table.number("rival"))
    unexplained = Float(table.number("ln_unexplained"))
    present = Float(table.number("present"))
    clarity = Float(table.number("clarity"))
    neutral = Float(table.number("neutral"))
    duration = Float(table.number("ln_duration"))
  }
}
