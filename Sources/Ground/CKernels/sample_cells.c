#include "sample_cells.h"

#include <math.h>

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { LENGTH = CSAMPLECELLS_LENGTH, QUARTER = CSAMPLECELLS_QUARTER };

typedef float lanes __attribute__((vector_size(32), aligned(4)));
typedef int32_t whole_lanes __attribute__((vector_size(32), aligned(4)));
typedef uint32_t hash_lanes __attribute__((vector_size(32), aligned(4)));
typedef double double_lanes __attribute__((vector_size(32), aligned(8)));

/* Vectors are passed by address, because not every processor has registers for them. */

INLINE void keep_larger(const lanes *x, lanes *largest) {
  const whole_lanes is_larger = *x > *largest;
  *largest = (lanes)((is_larger & (whole_lanes)*x) | (~is_larger & (whole_lanes)*largest));
}

INLINE float sum(const lanes *x) {
  const lanes v = *x;
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

INLINE float larger(float a, float b) { return a > b ? a : b; }

INLINE float largest_of(const lanes *x) {
  const lanes v = *x;
  return larger(
      larger(larger(v[0], v[4]), larger(v[1], v[5])), larger(larger(v[2], v[6]), larger(v[3], v[7])));
}

INLINE void copy(const float *source, ptrdiff_t count, float *target) {
  const whole_lanes magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  ptrdiff_t index = 0;
  for (; index + 8 <= count; index += 8) {
    const whole_lanes x = *(const whole_lanes *)(source + index);
    /* False for NaN. */
    const whole_lanes is_usual = (lanes)(x & magnitude) <= 1e6f;
    *(whole_lanes *)(target + index) = x & is_usual;
  }
  for (; index < count; index++) target[index] = fabsf(source[index]) <= 1e6f ? source[index] : 0;
}

INLINE void measure(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells) {
  const whole_lanes magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  for (ptrdiff_t cell = 0; cell < cell_count; cell++) {
    const float *at = samples + cell * LENGTH;
    lanes total = {0}, squares = {0}, steps = {0}, residual = {0}, largest = *(const lanes *)at, lowest = -largest;
    whole_lanes zeros = {0};
    for (int n = 0; n < LENGTH; n += 8) {
      const lanes x = *(const lanes *)(at + n), before = *(const lanes *)(at + n - 1), after = *(const lanes *)(at + n + 1);
      const lanes outer = *(const lanes *)(at + n - 2) + *(const lanes *)(at + n + 2), step = x - before, inverse = -x;
      const lanes rest = (4.0f * (before + after) - outer) * (1.0f / 6) - x;
      const lanes size = (lanes)((whole_lanes)rest & magnitude);
      total += x;
      squares += x * x;
      steps += step * step;
      zeros -= x == 0;
      keep_larger(&x, &largest);
      keep_larger(&inverse, &lowest);
      keep_larger(&size, &residual);
    }
    const int zero_count = __builtin_reduce_add(zeros);
    cells[cell] = (csamplecells_cell){
        sum(&total), sum(&squares), sum(&steps), largest_of(&largest), -largest_of(&lowest), largest_of(&residual), (float)zero_count};
  }
}

INLINE void compare(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]) {
  lanes means = {0}, sides = {0};
  for (ptrdiff_t quarter = 0; quarter < 4 * cell_count; quarter++) {
    lanes total = {0};
    for (int n = 0; n < QUARTER; n += 8) {
      const lanes l = *(const lanes *)(left + quarter * QUARTER + n), r = *(const lanes *)(right + quarter * QUARTER + n);
      const lanes mean = 0.5f * (l + r), side = 0.5f * (l - r);
      total += mean;
      means += mean * mean;
      sides += side * side;
    }
    quarters[quarter] = sum(&total);
  }
  totals[0] = sum(&means);
  totals[1] = sum(&sides);
}

/* The low bits of 16-bit samples are zero, and so are the low bits of their products; hence the high bits decide. */
INLINE ptrdiff_t find_anchors(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes) {
  ptrdiff_t found = 0;
  for (ptrdiff_t index = 0; index < count; index += 8) {
    const hash_lanes *at[4];
    for (int next = 0; next < 4; next++) at[next] = (const hash_lanes *)(samples + index + next);
    const hash_lanes a = *at[0] * 0x9e3779b1u ^ *at[1] * 0x85ebca6bu, b = *at[2] * 0xc2b2ae35u ^ *at[3] * 0x27d4eb2fu;
    const hash_lanes hash = (a ^ b * 0x165667b1u) * 0x9e3779b1u;
    const whole_lanes is_anchor = (hash >> 27) == 0;
    int32_t any = 0;
    for (int lane = 0; lane < 8; lane++) any |= is_anchor[lane];
    if (!any) continue;
    for (int lane = 0; lane < 8; lane++) {
      if (!is_anchor[lane] || samples[index + lane] == samples[index + lane + 1]) continue;
      places[found] = (int32_t)index + lane;
      hashes[found++] = hash[lane];
    }
  }
  return found;
}

INLINE void autocorrelate(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r) {
  for (ptrdiff_t lag = 0; lag <= order; lag++) {
    double_lanes total = {0};
    for (ptrdiff_t n = 0; n < count; n += 4) total += *(const double_lanes *)(samples + n) * *(const double_lanes *)(samples + n + lag);
    r[lag] = (total[0] + total[2]) + (total[1] + total[3]);
  }
}

INLINE void filter(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result) {
  for (ptrdiff_t n = 0; n < count; n += 4) {
    double_lanes total = {0};
    for (ptrdiff_t k = 0; k <= order; k++) total += h[k] * *(const double_lanes *)(samples + n - k);
    *(double_lanes *)(result + n) = total;
  }
}

/* MARK: - Baseline and AVX2 */

WIDE void copy_wide(const float *source, ptrdiff_t count, float *target) { copy(source, count, target); }

void csamplecells_copy(const float *source, ptrdiff_t count, float *target) {
  if (IS_WIDE) copy_wide(source, count, target);
  else copy(source, count, target);
}

WIDE void measure_wide(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells) { measure(samples, cell_count, cells); }

void csamplecells_measure(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells) {
  if (IS_WIDE) measure_wide(samples, cell_count, cells);
  else measure(samples, cell_count, cells);
}

WIDE void compare_wide(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]) {
  compare(left, right, cell_count, quarters, totals);
}

void csamplecells_compare(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]) {
  if (IS_WIDE) compare_wide(left, right, cell_count, quarters, totals);
  else compare(left, right, cell_count, quarters, totals);
}

WIDE ptrdiff_t find_anchors_wide(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes) {
  return find_anchors(samples, count, places, hashes);
}

ptrdiff_t csamplecells_find_anchors(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes) {
  return IS_WIDE ? find_anchors_wide(samples, count, places, hashes) : find_anchors(samples, count, places, hashes);
}

WIDE void autocorrelate_wide(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r) {
  autocorrelate(samples, count, order, r);
}

void csamplecells_autocorrelate(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r) {
  if (IS_WIDE) autocorrelate_wide(samples, count, order, r);
  else autocorrelate(samples, count, order, r);
}

WIDE void filter_wide(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result) {
  filter(samples, count, h, order, result);
}

void csamplecells_filter(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result) {
  if (IS_WIDE) filter_wide(samples, count, h, order, result);
  else filter(samples, count, h, order, result);
}
