#include "matched_filter.h"

#include <string.h>

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { LANES = CMATCHEDFILTER_LANES, PART = CMATCHEDFILTER_PART, HALF = LANES / 2, BLOCK = 8 };

typedef int16_t lanes __attribute__((vector_size(LANES * sizeof(int16_t)), aligned(sizeof(int16_t))));
typedef int32_t half_lanes __attribute__((vector_size(HALF * sizeof(int32_t)), aligned(sizeof(int32_t))));
typedef float block __attribute__((vector_size(BLOCK * sizeof(float)), aligned(sizeof(float))));
/* A type that lets landmarks be read as whole numbers, too. */
typedef int32_t whole_block __attribute__((vector_size(BLOCK * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/* Adds the products of a part to the sums of even and odd lanes. */
INLINE void widen(const lanes *part, half_lanes *even, half_lanes *odd) {
  const half_lanes both = (half_lanes)*part;
  *even += (both << 16) >> 16;
  *odd += both >> 16;
}

INLINE void write(const half_lanes *even, const half_lanes *odd, int32_t *sums) {
  for (int lane = 0; lane < HALF; lane++) {
    sums[2 * lane] = (*even)[lane];
    sums[2 * lane + 1] = (*odd)[lane];
  }
}

INLINE void add(
    const cmatchedfilter_rows *rows, const cmatchedfilter_landmark *landmarks, ptrdiff_t count,
    const cmatchedfilter_placement *placement, cmatchedfilter_score *score) {
  const int16_t *start = rows->values - HALF;
  half_lanes even = {0}, odd = {0};
  whole_block inner_count = {0}, squares = {0};
  /* Landmarks outside every band pad the last block. */
  cmatchedfilter_landmark rest[BLOCK];
  for (int index = 0; index < BLOCK; index++) rest[index] = (cmatchedfilter_landmark){0, INT16_MIN, 0};
  memcpy(rest, landmarks + count / BLOCK * BLOCK, count % BLOCK * sizeof(*landmarks));
  lanes part = {0};
  for (ptrdiff_t first = 0; first < count; first += BLOCK) {
    const int32_t *words = (const int32_t *)(count - first < BLOCK ? rest : landmarks + first);
    const whole_block low = *(const whole_block *)words, high = *(const whole_block *)(words + BLOCK);
    const block columns = __builtin_convertvector(__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14), block);
    const whole_block others = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
    const block places = columns * placement->inverse + placement->origin;
    whole_block column = __builtin_convertvector(places, whole_block);
    column += __builtin_convertvector(column, block) > places;
    const whole_block band = ((others << 16) >> 16) + placement->shift;
    const whole_block is_outer =
        (band >= 0) & (band < rows->band_count) & (column >= -HALF) & (column < rows->column_count + HALF);
    const whole_block is_inner = is_outer & (column >= 0) & (column < rows->column_count);
    /* The same computation as in cmatchedfilter_weight(). */
    const whole_block weight = __builtin_elementwise_max(((others >> 16) + 1) >> 1, (whole_block){0} + 1) & is_outer;
    inner_count -= is_inner;
    squares += weight * weight & is_inner;
    const whole_block offset = (band * (int32_t)rows->row_step + column) & is_outer;
    for (int index = 0; index < BLOCK; index++) part += *(const lanes *)(start + offset[index]) * (int16_t)weight[index];
    if ((first + BLOCK) % PART == 0) {
      widen(&part, &even, &odd);
      part = (lanes){0};
    }
  }
  widen(&part, &even, &odd);
  write(&even, &odd, score->sums);
  score->count = score->squares = 0;
  for (int index = 0; index < BLOCK; index++) {
    score->count += inner_count[index];
    score->squares += squares[index];
  }
}

INLINE void add_at(
    const int16_t *values, const ptrdiff_t *offsets, const int16_t *weights, ptrdiff_t count, int32_t *sums) {
  half_lanes even = {0}, odd = {0};
  for (ptrdiff_t next = 0; next < count;) {
    lanes part = {0};
    for (const ptrdiff_t end = next + PART < count ? next + PART : count; next < end; next++)
      part += *(const lanes *)(values + offsets[next]) * weights[next];
    widen(&part, &even, &odd);
  }
  write(&even, &odd, sums);
}

WIDE void add_wide(
    const cmatchedfilter_rows *rows, const cmatchedfilter_landmark *landmarks, ptrdiff_t count,
    const cmatchedfilter_placement *placement, cmatchedfilter_score *score) {
  add(rows, landmarks, count, placement, score);
}

WIDE void add_at_wide(
    const int16_t *values, const ptrdiff_t *offsets, const int16_t *weights, ptrdiff_t count, int32_t *sums) {
  add_at(values, offsets, weights, count, sums);
}

void cmatchedfilter_add(
    const cmatchedfilter_rows *rows, const cmatchedfilter_landmark *landmarks, ptrdiff_t count,
    const cmatchedfilter_placement *placement, cmatchedfilter_score *score) {
  if (IS_WIDE)
    add_wide(rows, landmarks, count, placement, score);
  else
    add(rows, landmarks, count, placement, score);
}

void cmatchedfilter_add_at(
    const int16_t *values, const ptrdiff_t *offsets, const int16_t *weights, ptrdiff_t count, int32_t *sums) {
  if (IS_WIDE)
    add_at_wide(values, offsets, weights, count, sums);
  else
    add_at(values, offsets, weights, count, sums);
}
