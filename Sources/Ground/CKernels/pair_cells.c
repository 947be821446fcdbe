#include "pair_cells.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { AXES = CPAIRCELLS_AXES, LANES = CPAIRCELLS_LANES, CELLS = CPAIRCELLS_PER_PAIR };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t whole_lanes __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));

/* Rounds down numbers below 2^22; from 2^23 on, floats have no fractional part anyway. Vectors are passed by address,
 * because not every processor has registers for them. */
INLINE void round_down(lanes *values) {
  const lanes nearest = *values + 12582912.0f - 12582912.0f;
  *values = nearest + __builtin_convertvector(nearest > *values, lanes);
}

/* Computes the distance from each cell, which is infinite if the cell is out of range. */
INLINE void measure(const lanes *values, const lanes *cells, const whole_lanes *is_near, lanes *distances) {
  const whole_lanes bits = (whole_lanes)(*values - *cells) & 0x7FFFFFFF;
  *distances = (lanes)((bits & *is_near) | (0x7F800000 & ~*is_near));
}

INLINE ptrdiff_t find(
    const cpaircells_index *index, const cpaircells_pairs *pairs, const cpaircells_search *search, cpaircells_cell *cells) {
  const float *lowest = index->lowest, *highest = index->highest;
  const int32_t gap_count = (int32_t)(highest[2] - lowest[2]) + 1;
  const int32_t list_count = ((int32_t)(highest[1] - lowest[1]) + 1) * gap_count;
  ptrdiff_t found = 0;
  for (ptrdiff_t first = 0; first < pairs->count; first += LANES) {
    const lanes values[AXES] = {
      *(const lanes *)(pairs->axes[0] + first) - search->shift,
      *(const lanes *)(pairs->axes[1] + first),
      *(const lanes *)(pairs->axes[2] + first) * search->slope,
    };
    lanes lower[AXES], below[AXES], above[AXES];
    for (int axis = 0; axis < AXES; axis++) {
      lanes down = search->reach - values[axis], last = values[axis] + search->reach;
      round_down(&down);
      round_down(&last);
      lower[axis] = -down;
      const lanes upper = lower[axis] + 1;
      const whole_lanes is_lower = (lower[axis] >= lowest[axis]) & (lower[axis] <= highest[axis]);
      const whole_lanes is_upper = (upper >= lowest[axis]) & (upper <= highest[axis]) & (upper <= last);
      measure(&values[axis], &lower[axis], &is_lower, &below[axis]);
      measure(&values[axis], &upper, &is_upper, &above[axis]);
    }
    lanes rarities[CELLS];
    whole_lanes near = {0};
    for (int cell = 0; cell < CELLS; cell++) {
      const lanes distance = (cell & 4 ? above[0] : below[0]) + (cell & 2 ? above[1] : below[1]) + (cell & 1 ? above[2] : below[2]);
      rarities[cell] = *(const lanes *)(pairs->rarities + first) + search->per_cell * distance;
      near |= (rarities[cell] < search->limit) & (1 << cell);
    }
    const whole_lanes keys = __builtin_convertvector(lower[0] - lowest[0], whole_lanes) * list_count
                             + __builtin_convertvector(lower[1] - lowest[1], whole_lanes) * gap_count
                             + __builtin_convertvector(lower[2] - lowest[2], whole_lanes);
    for (int lane = 0; lane < LANES; lane++) {
      for (unsigned left = (unsigned)near[lane]; left; left &= left - 1) {
        const int cell = __builtin_ctz(left);
        const int32_t step = (cell & 4 ? list_count : 0) + (cell & 2 ? gap_count : 0) + (cell & 1);
        cells[found++] = (cpaircells_cell){keys[lane] + step, (int32_t)(first + lane), rarities[cell][lane]};
      }
    }
  }
  return found;
}

WIDE ptrdiff_t find_wide(
    const cpaircells_index *index, const cpaircells_pairs *pairs, const cpaircells_search *search, cpaircells_cell *cells) {
  return find(index, pairs, search, cells);
}

ptrdiff_t cpaircells_find(
    const cpaircells_index *index, const cpaircells_pairs *pairs, const cpaircells_search *search, cpaircells_cell *cells) {
  return IS_WIDE ? find_wide(index, pairs, search, cells) : find(index, pairs, search, cells);
}
