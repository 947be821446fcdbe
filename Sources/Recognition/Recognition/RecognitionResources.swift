internal import DSP
internal import Resources

/// The numbers that scripts have trained and fitted; docs/recognition.md says which, and how.
enum RecognitionResources {
  static var landmarkNetwork: [Float] { floats(ofHalves: cresources_recognition_landmark_network().contents) }
  static var confidence: NumberTable { NumberTable(cresources_recognition_confidence().contents) }
  static var rarity: NumberTable { NumberTable(cresources_recognition_rarity().contents) }
}
