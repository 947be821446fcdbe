// Finds the true peak: the largest value of the signal between samples. It is interpolated only where the surrounding
// samples do not rule out a new peak.
#ifndef NOCTURNE_TRUE_PEAK_H
#define NOCTURNE_TRUE_PEAK_H

#include <stddef.h>

enum { CTRUEPEAK_TAPS = 24, CTRUEPEAK_PHASES = 8, CTRUEPEAK_MIDDLE_TAPS = 8, CTRUEPEAK_MIDDLE_PHASES = 4 };

typedef struct ctruepeak_interpolator {
  /// Coefficients of each tap for the points at 0, 1/8, … 7/8 of the way from one sample to the next.
  float coefficients[CTRUEPEAK_TAPS][CTRUEPEAK_PHASES];
  /// Coefficients of the middle taps for the points at 0, 1/4, 1/2 and 3/4, which are tried first.
  float middle[CTRUEPEAK_MIDDLE_TAPS][CTRUEPEAK_MIDDLE_PHASES];
  /// The largest sum of absolute coefficients of any point: the maximum that a point can reach if samples have
  /// magnitude 1.
  float bound;
  /// The same bound for only the two samples next to the point, and for all other samples.
  float bound_beside, bound_of_others;
  /// A bound on what the first attempt omits: the other taps, and the distance to the points at odd eighths.
  float bound_of_rest;
} ctruepeak_interpolator;

/// Raises `peak` to the largest interpolated value in `count` steps from one sample to the next, and `sample_peak` to
/// the largest sample.
///
/// - `samples`: `CTRUEPEAK_TAPS - 1 + count` samples; half of the taps precede the first step. NaN counts as 0 unless
///   it is next to a peak.
void ctruepeak_raise(
    const ctruepeak_interpolator *interpolator, const float *samples, ptrdiff_t count, float *peak, float *sample_peak);

#endif
