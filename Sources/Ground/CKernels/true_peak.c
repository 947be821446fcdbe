#include "true_peak.h"

#include "wide.h"

#include <stdint.h>

#pragma STDC FP_CONTRACT OFF

enum { TAPS = CTRUEPEAK_TAPS, PHASES = CTRUEPEAK_PHASES, BLOCK = 32, LANES = 8 };

typedef float floats __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));
typedef float four __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float))));

INLINE float magnitude(float value) { return __builtin_fabsf(value); }

INLINE float larger(float one, float other) { return other > one ? other : one; }

INLINE float largest(const float *samples, ptrdiff_t count) {
  floats maximum = {0};
  ptrdiff_t index = 0;
  for (; index + LANES <= count; index += LANES) {
    const floats value = (floats)(*(const integers *)(samples + index) & 0x7fffffff);
    const integers is_larger = value > maximum;
    maximum = (floats)(((integers)value & is_larger) | ((integers)maximum & ~is_larger));
  }
  float found = 0;
  for (int lane = 0; lane < LANES; lane++) found = larger(found, maximum[lane]);
  for (; index < count; index++) found = larger(found, magnitude(samples[index]));
  return found;
}

/* `around`: the largest magnitude among all samples used for the points. */
INLINE float raised(
    const ctruepeak_interpolator *interpolator, float peak, const float *samples, ptrdiff_t count, float around) {
  for (ptrdiff_t step = 0; step < count; step++) {
    const float *window = samples + step, *inner = window + (TAPS - CTRUEPEAK_MIDDLE_TAPS) / 2;
    const float beside = larger(magnitude(window[TAPS / 2 - 1]), magnitude(window[TAPS / 2]));
    if (!(beside * interpolator->bound_beside + around * interpolator->bound_of_others > peak)) continue;
    four tried = {0};
    for (int tap = 0; tap < CTRUEPEAK_MIDDLE_TAPS; tap++) tried += *(const four *)interpolator->middle[tap] * inner[tap];
    const float limit = peak - around * interpolator->bound_of_rest;
    float maximum = 0;
    for (int lane = 0; lane < 4; lane++) maximum = larger(maximum, magnitude(tried[lane]));
    if (!(maximum > limit)) continue;
    floats points = {0};
    for (int tap = 0; tap < TAPS; tap++) points += *(const floats *)interpolator->coefficients[tap] * window[tap];
    for (int phase = 0; phase < PHASES; phase++) peak = larger(peak, magnitude(points[phase]));
  }
  return peak;
}

INLINE ptrdiff_t smaller(ptrdiff_t one, ptrdiff_t other) { return one < other ? one : other; }

INLINE void raise(
    const ctruepeak_interpolator *interpolator, const float *samples, ptrdiff_t count, float *peak, float *sample_peak) {
  /* Blocks are longer than the row of taps, so two blocks contain all samples that the steps in the first block need.
     */
  const ptrdiff_t length = TAPS - 1 + count;
  float here = largest(samples, smaller(BLOCK, length));
  *sample_peak = larger(*sample_peak, here);
  for (ptrdiff_t first = 0; first < count; first += BLOCK) {
    const ptrdiff_t rest = length - first - BLOCK;
    const float next = rest > 0 ? largest(samples + first + BLOCK, smaller(BLOCK, rest)) : 0;
    *sample_peak = larger(*sample_peak, next);
    const float around = larger(here, next);
    here = next;
    *peak = larger(*peak, *sample_peak);
    if (around * interpolator->bound > *peak)
      *peak = raised(interpolator, *peak, samples + first, smaller(BLOCK, count - first), around);
  }
}

WIDE void raise_wide(
    const ctruepeak_interpolator *interpolator, const float *samples, ptrdiff_t count, float *peak, float *sample_peak) {
  raise(interpolator, samples, count, peak, sample_peak);
}

void ctruepeak_raise(
    const ctruepeak_interpolator *interpolator, const float *samples, ptrdiff_t count, float *peak, float *sample_peak) {
  if (IS_WIDE)
    raise_wide(interpolator, samples, count, peak, sample_peak);
  else
    raise(interpolator, samples, count, peak, sample_peak);
}
