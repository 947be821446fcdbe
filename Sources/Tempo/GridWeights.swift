/// Weights of `GridFeatures`, in their order.
///
/// Fitted by `Benchmarks/tempo/fit.py`, with L2 = 5 on standardised features, to 107 annotated excerpts of a minute (game music,
/// rock, metal, electronic music, loops, piano), to three shorter cuts of each at other speeds (weight 0.3), and to 790 clips of up to
/// half a minute that `Benchmarks/tempo/synthesize.py` made: General MIDI performances and drum machines with known beats.
enum GridWeights {
  static let values: [Float] = [
    3.3217, 0.51691, -2.8261, 3.0155, 1.0656, -2.2421, -0.20276, 4.9412,
    0.17702, 0.09234, 0.30768, -2.5436, 2.0417, 0.57429, -0.62609, -1.9631,
    -1.3055, 0.46742, 0.71308, -1.1602, 0.35745, -1.2469, -0.87851, -1.5668,
    0.21908, 0.8224, 1.304, 0.29416, -0.29064, -1.1251, -1.2668, 0.096502,
    -0.023111, 0.22774, 1.8429, -1.254, -1.0413, -0.51268, -0.40282, -1.4151,
    2.5915, 0.92111, -1.2666, -1.0229, -1.9083, -0.93541, -3.5727, -1.9279,
    -2.5751, -0.21246, -0.29683, -1.5346, -6.6167, -2.8927, 3.4372, -1.9277,
    0.71025, -0.90786, -0.22028, -0.25216, 0.27372, 1.067, 0.85871, 1.1983,
    0.79431, -1.2744, 0.26017, -0.19058,
  ]
}
