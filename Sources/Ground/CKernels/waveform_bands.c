#include "waveform_bands.h"

#include "wide.h"

#include <stdint.h>

#pragma STDC FP_CONTRACT OFF

enum { LANES = CWAVEFORMBANDS_LANES };

typedef float floats __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));

/* Vectors are passed by address, because baseline and AVX2 code pass them in different ways. */

INLINE void choose(floats *best, const floats *value, const integers *is_better) {
  *best = (floats)(((integers)*value & *is_better) | ((integers)*best & ~*is_better));
}

INLINE void raise(floats *largest, const floats *value) {
  const integers is_larger = *value > *largest;
  choose(largest, value, &is_larger);
}

INLINE void lower_to(floats *smallest, const floats *value) {
  const integers is_smaller = *value < *smallest;
  choose(smallest, value, &is_smaller);
}

INLINE void raise_to_magnitude(floats *largest, const floats *value) {
  const floats magnitude = (floats)((integers)*value & 0x7fffffff);
  raise(largest, &magnitude);
}

typedef struct delays {
  floats last, last_but_one;
} delays;

INLINE void cross(
    const cwaveformbands_crossover *filter, delays *delays, const floats *x, floats *low, floats *high) {
  /* The term that depends on the previous sample comes last. */
  const floats next = (*x - filter->a2 * delays->last_but_one) - filter->a1 * delays->last;
  const floats ends = next + delays->last_but_one, middle = delays->last + delays->last;
  delays->last_but_one = delays->last;
  delays->last = next;
  *low = filter->low_gain * (ends + middle);
  *high = filter->high_gain * (ends - middle);
}

typedef struct sums {
  floats minimum, maximum, low_peak, mid_peak, high_peak, low, mid, high, whole;
} sums;

INLINE void step(
    const floats *x, const cwaveformbands_crossover *lower, const cwaveformbands_crossover *upper, delays *of_lower,
    delays *of_upper, sums *sums, int is_settled) {
  floats low, rest, mid, high;
  cross(lower, of_lower, x, &low, &rest);
  cross(upper, of_upper, &rest, &mid, &high);
  if (!is_settled) return;
  lower_to(&sums->minimum, x);
  raise(&sums->maximum, x);
  raise_to_magnitude(&sums->low_peak, &low);
  raise_to_magnitude(&sums->mid_peak, &mid);
  raise_to_magnitude(&sums->high_peak, &high);
  sums->low += low * low;
  sums->mid += mid * mid;
  sums->high += high * high;
  sums->whole += *x * *x;
}

#define PAIRS(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Transposes eight samples from each of eight frames into eight vectors, each with one sample of every frame. */
INLINE void transpose(const float *samples, ptrdiff_t length, floats *columns) {
  floats rows[LANES], pairs[LANES], fours[LANES];
  for (int lane = 0; lane < LANES; lane++) rows[lane] = *(const floats *)(samples + lane * length);
  for (int lane = 0; lane < LANES; lane += 2) {
    pairs[lane] = PAIRS(rows[lane], rows[lane + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[lane + 1] = PAIRS(rows[lane], rows[lane + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int half = 0; half < LANES; half += 4) {
    for (int part = 0; part < 2; part++) {
      fours[half + 2 * part] = PAIRS(pairs[half + part], pairs[half + 2 + part], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[half + 2 * part + 1] = PAIRS(pairs[half + part], pairs[half + 2 + part], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int place = 0; place < 4; place++) {
    columns[place] = PAIRS(fours[place], fours[place + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    columns[place + 4] = PAIRS(fours[place], fours[place + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

INLINE void pass(
    const float *samples, ptrdiff_t count, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, delays *of_lower, delays *of_upper, sums *sums, int is_settled) {
  ptrdiff_t index = 0;
  for (; index + LANES <= count; index += LANES) {
    floats columns[LANES];
    transpose(samples + index, length, columns);
    for (int place = 0; place < LANES; place++) step(&columns[place], lower, upper, of_lower, of_upper, sums, is_settled);
  }
  for (; index < count; index++) {
    floats x;
    for (int lane = 0; lane < LANES; lane++) x[lane] = samples[index + lane * length];
    step(&x, lower, upper, of_lower, of_upper, sums, is_settled);
  }
}

INLINE void measure(
    const float *samples, ptrdiff_t settling, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, cwaveformbands_measures *measures) {
  delays of_lower = {0}, of_upper = {0};
  sums sums = {0};
  for (int lane = 0; lane < LANES; lane++)
    sums.minimum[lane] = __builtin_inff(), sums.maximum[lane] = -__builtin_inff();
  pass(samples, settling, length, lower, upper, &of_lower, &of_upper, &sums, 0);
  pass(samples + settling, length, length, lower, upper, &of_lower, &of_upper, &sums, 1);
  *(floats *)measures->minimum = sums.minimum, *(floats *)measures->maximum = sums.maximum;
  *(floats *)measures->low_peak = sums.low_peak, *(floats *)measures->mid_peak = sums.mid_peak;
  *(floats *)measures->high_peak = sums.high_peak, *(floats *)measures->low = sums.low;
  *(floats *)measures->mid = sums.mid, *(floats *)measures->high = sums.high, *(floats *)measures->whole = sums.whole;
}

WIDE void measure_wide(
    const float *samples, ptrdiff_t settling, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, cwaveformbands_measures *measures) {
  measure(samples, settling, length, lower, upper, measures);
}

void cwaveformbands_measure(
    const float *samples, ptrdiff_t settling, ptrdiff_t length, const cwaveformbands_crossover *lower,
    const cwaveformbands_crossover *upper, cwaveformbands_measures *measures) {
  if (IS_WIDE)
    measure_wide(samples, settling, length, lower, upper, measures);
  else
    measure(samples, settling, length, lower, upper, measures);
}
