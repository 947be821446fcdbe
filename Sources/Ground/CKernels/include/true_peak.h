// The largest point between samples, computed where the samples around do not rule out a new peak.
#ifndef NOCTURNE_TRUE_PEAK_H
#define NOCTURNE_TRUE_PEAK_H

#include <stddef.h>

enum { CTRUEPEAK_TAPS = 24, CTRUEPEAK_PHASES = 8, CTRUEPEAK_MIDDLE_TAPS = 8, CTRUEPEAK_MIDDLE_PHASES = 4 };

typedef struct ctruepeak_interpolator {
  /// For each tap: of the points at 0, 1/8, … 7/8 of the way from a sample to the next.
  float coefficients[CTRUEPEAK_TAPS][CTRUEPEAK_PHASES];
  /// For each tap in the middle: of the points at 0, 1/4, 1/2 and 3/4. These are tried first.
  float middle[CTRUEPEAK_MIDDLE_TAPS][CTRUEPEAK_MIDDLE_PHASES];
  /// Sums of absolute coefficients, the largest of all points: what points can be at most, for samples of 1.
  float bound;
  /// Bounds of the two samples beside the point, and of all others.
  float bound_beside, bound_of_others;
  /// What is left when the points in the middle are tried: the other taps, and the way to the points at odd eighths.
  float bound_of_rest;
} ctruepeak_interpolator;

/// Raises `peak` to the largest point of `count` steps from a sample to the next, and `sample_peak` to the largest sample.
///
/// - `samples`: `CTRUEPEAK_TAPS - 1 + count`; the first step is the one after half of the taps. Not a number counts as 0 if
///   it is no neighbor of a peak.
void ctruepeak_raise(
    const ctruepeak_interpolator *interpolator, const float *samples, ptrdiff_t count, float *peak, float *sample_peak);

#endif
