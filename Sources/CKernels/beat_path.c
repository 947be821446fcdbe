#include "beat_path.h"

#include "wide.h"

enum { LANES = CBEATPATH_LANES, REACH = CBEATPATH_REACH };

typedef float floats __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));

INLINE void compare(const float *scores, const float *costs, ptrdiff_t count, float *best, int32_t *origins) {
  const integers lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (ptrdiff_t first = 0; first < count; first += LANES) {
    floats highest = *(const floats *)(best + first);
    integers origin = *(const integers *)(origins + first);
    for (int place = 0; place <= 2 * REACH; place++) {
      const ptrdiff_t from = first + place - REACH;
      const floats score = *(const floats *)(scores + from) - *(const floats *)(costs + place * count + first);
      const integers is_better = score > highest;
      highest = (floats)(((integers)score & is_better) | ((integers)highest & ~is_better));
      origin = ((lane + (int32_t)from) & is_better) | (origin & ~is_better);
    }
    *(floats *)(best + first) = highest;
    *(integers *)(origins + first) = origin;
  }
}

WIDE void compare_wide(
    const float *scores, const float *costs, ptrdiff_t count, float *best, int32_t *origins) {
  compare(scores, costs, count, best, origins);
}

void cbeatpath_compare_neighbors(
    const float *scores, const float *costs, ptrdiff_t count, float *best, int32_t *origins) {
  if (IS_WIDE)
    compare_wide(scores, costs, count, best, origins);
  else
    compare(scores, costs, count, best, origins);
}
