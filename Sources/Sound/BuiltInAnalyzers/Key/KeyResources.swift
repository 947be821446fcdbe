internal import DSP
internal import Resources

/// Trained weights; docs/key.md describes the training and its data.
enum KeyResources {
  static var keyNetwork: [Float] { floats(ofHalves: cresources_key_key_network().contents) }
}
