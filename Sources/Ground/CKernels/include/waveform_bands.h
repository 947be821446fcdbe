// Three bands of eight frames at once, and what is measured of them.
#ifndef NOCTURNE_WAVEFORM_BANDS_H
#define NOCTURNE_WAVEFORM_BANDS_H

#include <stddef.h>

enum { CWAVEFORMBANDS_LANES = 8 };

/// A low-pass and a high-pass filter of one frequency. Both have the same poles: in direct form II one recursion serves both.
typedef struct cwaveformbands_crossover {
  float a1, a2, low_gain, high_gain;
} cwaveformbands_crossover;

/// A value for each frame.
typedef struct cwaveformbands_measures {
  float minimum[CWAVEFORMBANDS_LANES], maximum[CWAVEFORMBANDS_LANES];
  /// Largest magnitude of the low, middle and high band.
  float low_peak[CWAVEFORMBANDS_LANES], mid_peak[CWAVEFORMBANDS_LANES], high_peak[CWAVEFORMBANDS_LANES];
  /// Sums of squares of the bands, and of the whole signal.
  float low[CWAVEFORMBANDS_LANES], mid[CWAVEFORMBANDS_LANES], high[CWAVEFORMBANDS_LANES], whole[CWAVEFORMBANDS_LANES];
} cwaveformbands_measures;

/// Measures eight frames that follow each other.
///
/// - `samples`: `settling` ones before the first frame, with which the filters of each frame settle, then the frames.
/// - `length`: of a frame.
/// - `lower`, `upper`: the crossover of the low band with the rest, and of the middle band with the high one.
void cwaveformbands_measure(
    const float *samples, ptrdiff_t settling, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, cwaveformbands_measures *measures);

#endif
