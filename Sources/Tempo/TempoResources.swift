internal import CTempoResources
internal import DSP

/// What scripts have trained and fitted; docs/tempo.md says which, and how.
enum TempoResources {
  static var beatNetwork: [Float] { floats(ofHalves: bytes(ctemporesources_beat_network())) }
  static var gridWeights: NumberTable { NumberTable(bytes(ctemporesources_grid_weights())) }
  static var barWeights: NumberTable { NumberTable(bytes(ctemporesources_bar_weights())) }
  static var confidence: NumberTable { NumberTable(bytes(ctemporesources_confidence())) }

  private static func bytes(_ file: ctemporesources_file) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: file.bytes, count: file.count)
  }
}
