internal import CTempoResources
internal import DSP

/// Trained and fitted numbers; docs/tempo.md describes them and how they were made.
enum TempoResources {
  static var beatNetwork: [Float] { floats(ofHalves: bytes(ctemporesources_beat_network())) }
  static var gridWeights: NumberTable { NumberTable(bytes(ctemporesources_grid_weights())) }
  static var barWeights: NumberTable { NumberTable(bytes(ctemporesources_bar_weights())) }
  static var confidence: NumberTable { NumberTable(bytes(ctemporesources_confidence())) }

  private static func bytes(_ file: ctemporesources_file) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: file.bytes, count: file.count)
  }
}
