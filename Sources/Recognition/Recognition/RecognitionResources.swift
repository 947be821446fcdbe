internal import DSP
internal import Resources

/// The trained and fitted parameters. docs/recognition.md describes them.
enum RecognitionResources {
  static var landmarkNetwork: [Float] { floats(ofHalves: cresources_recognition_landmark_network().contents) }
  static var confidence: NumberTable { NumberTable(cresources_recognition_confidence().contents) }
  static var rarity: NumberTable { NumberTable(cresources_recognition_rarity().contents) }
}
