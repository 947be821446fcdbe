#include "beat_path.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { LANES = CBEATPATH_LANES, REACH = CBEATPATH_REACH };

typedef float floats __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));

/* The best score so far on one side, and its period. */
typedef struct carried {
  float score;
  int32_t origin;
} carried;

/* Branch-free: a branch here would be mispredicted half of the time. */
INLINE carried met(carried best, float score, int32_t place) {
  return best.score > score ? best : (carried){score, place};
}

/* The two sweeps of a distance transform, interleaved because each step of a sweep depends on the one before. */
INLINE void sweep(
    const float *scores, ptrdiff_t count, const float *steps, float *below, int32_t *below_origins, float *above,
    int32_t *above_origins) {
  carried up = {-__builtin_inff(), 0}, down = up;
  for (ptrdiff_t place = 0, end = count - 1; place < count; place++, end--) {
    up.score -= steps[place];
    up = met(up, scores[place], (int32_t)place);
    below[place] = up.score, below_origins[place] = up.origin;
    down = met(down, scores[end], (int32_t)end);
    above[end] = down.score, above_origins[end] = down.origin;
    down.score -= steps[end];
  }
}

INLINE void take_better(floats *best, integers *origin, const floats *score, const integers *other) {
  const integers is_better = *score > *best;
  *best = (floats)(((integers)*score & is_better) | ((integers)*best & ~is_better));
  *origin = (*other & is_better) | (*origin & ~is_better);
}

INLINE void change(
    const float *scores, ptrdiff_t count, ptrdiff_t padded, const float *steps, const float *costs, float *changed,
    int32_t *origins) {
  float above[CBEATPATH_PERIODS];
  int32_t above_origins[CBEATPATH_PERIODS];
  for (ptrdiff_t place = count; place < padded; place++) above[place] = 0, above_origins[place] = 0;
  sweep(scores, count, steps, changed, origins, above, above_origins);
  const integers lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (ptrdiff_t first = 0; first < padded; first += LANES) {
    floats best = *(const floats *)(changed + first);
    integers origin = *(const integers *)(origins + first);
    take_better(&best, &origin, (const floats *)(above + first), (const integers *)(above_origins + first));
    for (int place = 0; place <= 2 * REACH; place++) {
      const ptrdiff_t from = first + place - REACH;
      const floats score = *(const floats *)(scores + from) - *(const floats *)(costs + place * padded + first);
      const integers other = lane + (int32_t)from;
      take_better(&best, &origin, &score, &other);
    }
    *(floats *)(changed + first) = best;
    *(integers *)(origins + first) = origin;
  }
}

WIDE void change_wide(
    const float *scores, ptrdiff_t count, ptrdiff_t padded, const float *steps, const float *costs, float *changed,
    int32_t *origins) {
  change(scores, count, padded, steps, costs, changed, origins);
}

void cbeatpath_change(
    const float *scores, ptrdiff_t count, ptrdiff_t padded, const float *steps, const float *costs, float *changed,
    int32_t *origins) {
  if (IS_WIDE)
    change_wide(scores, count, padded, steps, costs, changed, origins);
  else
    change(scores, count, padded, steps, costs, changed, origins);
}
