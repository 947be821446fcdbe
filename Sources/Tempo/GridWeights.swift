/// Weights of `GridFeatures`, in their order.
///
/// Fitted by `Benchmarks/tempo/fit.py`, with L2 = 5 on standardised features, to 107 annotated excerpts of a minute (game music,
/// rock, metal, electronic music, loops, piano), to three shorter cuts of each at other speeds (weight 0.3), and to 790 clips of up to
/// half a minute that `Benchmarks/tempo/synthesize.py` made: General MIDI performances and drum machines with known beats.
enum GridWeights {
  static let values: [Float] = [
    3.3804, 0.50404, -2.7441, 3.1221, 1.0459, -2.417, -0.097016, 4.8268,
    0.19718, 0.092178, 0.22577, -2.3892, 1.9933, 0.46104, -0.48767, -1.9669,
    -1.2606, 0.31503, 0.98769, -1.0598, 0.29804, -1.4312, -0.84848, -1.6459,
    0.26715, 0.54106, 1.4234, 0.22394, -0.33518, -1.0875, -1.203, 0.11048,
    -0.064824, 0.32674, 1.9195, -1.1745, -1.1253, -0.66648, -0.41079, -1.4179,
    2.6146, 0.95917, -1.1634, -1.0414, -1.9206, -0.87353, -3.4473, -1.9797,
    -2.6525, -0.30553, -0.32505, -1.6117, -6.5989, -2.7866, 3.5076, -1.7847,
    0.71411, -0.91721, -0.24323, -0.26261, 0.29524, 0.96248, 0.90038, 1.1674,
    0.82551, -1.2756, 0.26598, -0.21422,
  ]
}
