internal import DSP
internal import Resources

/// Trained and fitted weights. docs/tempo.md describes them and their training.
enum TempoResources {
  static var beatNetwork: [Float] { floats(ofHalves: cresources_tempo_beat_network().contents) }
  static var gridWeights: NumberTable { NumberTable(cresources_tempo_grid_weights().contents) }
  static var barWeights: NumberTable { NumberTable(cresources_tempo_bar_weights().contents) }
  static var confidence: NumberTable { NumberTable(cresources_tempo_confidence().contents) }
}
