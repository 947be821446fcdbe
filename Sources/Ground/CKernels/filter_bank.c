#include "filter_bank.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { LANES = CFILTERBANK_LANES };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

INLINE void apply(
    const float *bins, const cfilterbank_band *bands, ptrdiff_t band_count, const float *weights, float *sums) {
  for (ptrdiff_t band = 0; band < band_count; band++) {
    const float *bin = bins + bands[band].first_bin;
    const ptrdiff_t count = bands[band].bin_count;
    lanes sum = {0};
    ptrdiff_t index = 0;
    for (; index + LANES <= count; index += LANES) sum += *(const lanes *)(bin + index) * *(const lanes *)(weights + index);
    float total = sum[0] + sum[1] + sum[2] + sum[3];
    for (; index < count; index++) total += bin[index] * weights[index];
    sums[band] = total;
    weights += count;
  }
}

WIDE void apply_wide(
    const float *bins, const cfilterbank_band *bands, ptrdiff_t band_count, const float *weights, float *sums) {
  apply(bins, bands, band_count, weights, sums);
}

void cfilterbank_apply(
    const float *bins, const cfilterbank_band *bands, ptrdiff_t band_count, const float *weights, float *sums) {
  if (IS_WIDE)
    apply_wide(bins, bands, band_count, weights, sums);
  else
    apply(bins, bands, band_count, weights, sums);
}
