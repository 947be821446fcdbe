internal import CKeyResources
internal import DSP

/// What scripts have trained; docs/key.md says on what, and how.
enum KeyResources {
  static var keyNetwork: [Float] {
    let file = ckeyresources_key_network()
    return floats(ofHalves: unsafe UnsafeRawBufferPointer(start: file.bytes, count: file.count))
  }
}
