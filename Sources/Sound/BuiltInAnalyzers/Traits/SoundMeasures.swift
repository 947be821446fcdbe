internal import Mathematics

/// The measures from which the traits are computed. None of them depends on the volume.
struct SoundMeasures {
  /// Rise of the bands within two columns, as a share of the level.
  var novelty = 0.0
  /// Rise of the bass bands, as a share of the level.
  var bassNovelty = 0.0
  /// Difference, in dB, between the level exceeded 5% of the time and the level exceeded 80% of the time.
  var dynamics = 0.0
  /// Share of the power above 2.7 kHz.
  var brightShare = 0.0
  /// Pulse clarity, 0 to 1: the mean of its values for all bands and for the bass.
  var pulse = 0.0
  /// Modulation of the level at the rate of syllables, as a share of the level.
  var syllables = 0.0

  /// Density of onsets, 0 to 1.
  var activity: Double {
    let all = ramp(log2(novelty), from: log2(0.06), to: log2(0.24))
    let bass = ramp(log2(bassNovelty), from: log2(0.012), to: log2(0.096))
    return (all + bass) / 2
  }

  /// Constancy of the level, 0 to 1.
  var density: Double { ramp(dynamics, from: 14, to: 2) }

  /// Amount of treble, 0 to 1.
  var brightness: Double { ramp(10 * log10(brightShare), from: -28, to: -8) }

  var energy: Double { (activity + density + brightness) / 3 }

  var danceability: Double { pulse * (1 + activity) / 2 }

  var speechiness: Double { ramp(syllables, from: 0.15, to: 0.4) * ramp(pulse, from: 0.4, to: 0.15) }
}

/// Returns the value of a linear ramp from 0 at `zero` to 1 at `one`, clamped.
private func ramp(_ value: Double, from zero: Double, to one: Double) -> Double {
  min(1, max(0, (value - zero) / (one - zero)))
}
