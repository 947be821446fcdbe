internal import DSP
internal import Resources

/// The numbers that scripts have trained; docs/key.md says on what, and how.
enum KeyResources {
  static var keyNetwork: [Float] { floats(ofHalves: cresources_key_key_network().contents) }
}
