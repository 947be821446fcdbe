enum BeatNetworkWeights {
  static let values = [Float](repeating: 0, count: BeatNetwork.weightCount)
}
