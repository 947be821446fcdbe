// Weighted sums of spectrum bins, one per band.
#ifndef NOCTURNE_FILTER_BANK_H
#define NOCTURNE_FILTER_BANK_H

#include <stddef.h>
#include <stdint.h>

enum { CFILTERBANK_LANES = 4 };

typedef struct cfilterbank_band {
  /// Fastest if `bin_count` is a multiple of `CFILTERBANK_LANES`.
  int32_t first_bin, bin_count;
} cfilterbank_band;

/// `weights`: the weights of all bands, one band after the other; `sums`: one per band.
void cfilterbank_apply(
    const float *bins, const cfilterbank_band *bands, ptrdiff_t band_count, const float *weights, float *sums);

#endif
