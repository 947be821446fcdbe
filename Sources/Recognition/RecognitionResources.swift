internal import CRecognitionResources
internal import DSP

/// What scripts have trained and fitted; docs/recognition.md says which, and how.
enum RecognitionResources {
  static var landmarkNetwork: [Float] { floats(ofHalves: bytes(crecognitionresources_landmark_network())) }
  static var confidence: NumberTable { NumberTable(bytes(crecognitionresources_confidence())) }
  static var rarity: NumberTable { NumberTable(bytes(crecognitionresources_rarity())) }

  private static func bytes(_ file: crecognitionresources_file) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: file.bytes, count: file.count)
  }
}
