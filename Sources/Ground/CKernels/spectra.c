#include "spectra.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

INLINE void weigh(const float *restrict samples, const float *restrict window, ptrdiff_t count, float *restrict products) {
  for (ptrdiff_t index = 0; index < count; index++) products[index] = samples[index] * window[index];
}

INLINE void powers_of(const float *restrict bins, ptrdiff_t count, float *restrict powers) {
  for (ptrdiff_t bin = 0; bin < count; bin++)
    powers[bin] = bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1];
}

WIDE void weigh_wide(const float *samples, const float *window, ptrdiff_t count, float *products) {
  weigh(samples, window, count, products);
}

WIDE void powers_wide(const float *bins, ptrdiff_t count, float *powers) { powers_of(bins, count, powers); }

void cspectra_weigh(const float *samples, const float *window, ptrdiff_t count, float *products) {
  if (IS_WIDE)
    weigh_wide(samples, window, count, products);
  else
    weigh(samples, window, count, products);
}

void cspectra_powers(const float *bins, ptrdiff_t count, float *powers) {
  if (IS_WIDE)
    powers_wide(bins, count, powers);
  else
    powers_of(bins, count, powers);
}
