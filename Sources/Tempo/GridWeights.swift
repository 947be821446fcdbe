/// Weights of `GridFeatures`, in their order.
///
/// Fitted by `Benchmarks/tempo/fit.py`, with L2 = 10 on standardised features, to 107 annotated excerpts of a minute
/// (game music, rock, metal, electronic music, loops, piano), to three shorter cuts of each at other speeds (weight
/// 0.3), to 438 General MIDI performances in some 40 styles, to 270 clips of drum machines (weight 0.3) and to 102
/// songs from MIDI files.
enum GridWeights {
  static let values: [Float] = [
    2.0581, 0.22527, -2.1685, 2.9473, 1.007, -0.39102, -0.74307, 3.121,
    -0.55715, -0.18172, 0.44279, -1.2904, 1.4527, 0.13011, -0.75279, -1.0491,
    -1.396, -0.54877, -0.15098, -0.45995, 0.077997, -0.12619, -1.809, -0.41321,
    -0.69498, 0.57746, 1.1396, 0.72769, -0.09088, -0.33272, -0.96909, -0.31405,
    0.73426, -0.23038, 1.0701, -0.41902, -1.1169, 0.36872, -0.45272, -2.5582,
    1.8642, -0.42398, -0.44643, -0.83261, -1.3054, -0.83863, -1.8584, -1.4249,
    -1.7013, -0.44853, -1.4733, -1.6893, -2.6722, -2.2247, 2.6483, -2.1958,
    0.48636, -1.156, -0.40833, -0.2018, 0.38745, 0.76455, 0.87331, 0.5415,
    0.4444, -0.24646, 0.1478, -0.036557, 3.7709,
  ]
}
