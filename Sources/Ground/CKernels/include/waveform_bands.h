// Splits eight frames at a time into three bands, and measures them.
#ifndef NOCTURNE_WAVEFORM_BANDS_H
#define NOCTURNE_WAVEFORM_BANDS_H

#include <stddef.h>

enum { CWAVEFORMBANDS_LANES = 8 };

/// The low-pass and high-pass filters of one crossover frequency. Both have the same poles, so one recursion in direct
/// form II serves both.
typedef struct cwaveformbands_crossover {
  float a1, a2, low_gain, high_gain;
} cwaveformbands_crossover;

/// The measurements, with one value per frame.
typedef struct cwaveformbands_measures {
  float minimum[CWAVEFORMBANDS_LANES], maximum[CWAVEFORMBANDS_LANES];
  /// The largest magnitude in the low, middle and high band.
  float low_peak[CWAVEFORMBANDS_LANES], mid_peak[CWAVEFORMBANDS_LANES], high_peak[CWAVEFORMBANDS_LANES];
  /// The sums of squares of the bands, and of the whole signal.
  float low[CWAVEFORMBANDS_LANES], mid[CWAVEFORMBANDS_LANES], high[CWAVEFORMBANDS_LANES], whole[CWAVEFORMBANDS_LANES];
} cwaveformbands_measures;

/// Measures eight consecutive frames.
///
/// - `samples`: `settling` samples that precede the first frame and let the filters settle, then the frames.
/// - `length`: number of samples per frame.
/// - `lower`, `upper`: the crossovers between the low and middle band, and between the middle and high band.
void cwaveformbands_measure(
    const float *samples, ptrdiff_t settling, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, cwaveformbands_measures *measures);

#endif
