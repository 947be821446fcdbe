internal import Mathematics

/// The measures from which traits are computed. None of these depends on the volume.
struct SoundMeasures {
  /// How much the bands rise within two columns, as a share of the level.
  var novelty = 0.0
  /// The same of the bass.
  var bassNovelty = 0.0
  /// Decibels from the level that is exceeded 80% of the time up to that which is exceeded 5% of the time.
  var dynamics = 0.0
  /// Share of the power that is above 2.7 kHz.
  var brightShare = 0.0
  /// Clarity of the pulse, 0 to 1: mean of that of all bands and that of the bass.
  var pulse = 0.0
  /// Swings of the level at the rate of syllables, as a share of it.
  var syllables = 0.0

  /// 0 to 1: how much begins.
  var activity: Double {
    let all = ramp(log2(novelty), from: log2(0.06), to: log2(0.24))
    let bass = ramp(log2(bassNovelty), from: log2(0.012), to: log2(0.096))
    return (all + bass) / 2
  }

  /// 0 to 1: 1 if the sound is always as loud.
  var density: Double { ramp(dynamics, from: 14, to: 2) }

  /// 0 to 1: treble.
  var brightness: Double { ramp(10 * log10(brightShare), from: -28, to: -8) }

  var energy: Double { (activity + density + brightness) / 3 }

  var danceability: Double { pulse * (1 + activity) / 2 }

  var speechiness: Double { ramp(syllables, from: 0.15, to: 0.4) * ramp(pulse, from: 0.4, to: 0.15) }
}

/// 0 at one value, 1 at the other, in between in proportion.
private func ramp(_ value: Double, from zero: Double, to one: Double) -> Double {
  min(1, max(0, (value - zero) / (one - zero)))
}
