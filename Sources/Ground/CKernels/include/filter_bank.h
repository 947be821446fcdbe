// Weighted sums of the bins of a spectrum, one for each band.
#ifndef NOCTURNE_FILTER_BANK_H
#define NOCTURNE_FILTER_BANK_H

#include <stddef.h>
#include <stdint.h>

enum { CFILTERBANK_LANES = 4 };

typedef struct cfilterbank_band {
  /// A multiple of `CFILTERBANK_LANES` bins is quickest.
  int32_t first_bin, bin_count;
} cfilterbank_band;

/// `weights`: those of the first band, then those of the next; `sums`: one for each band.
void cfilterbank_apply(
    const float *bins, const cfilterbank_band *bands, ptrdiff_t band_count, const float *weights, float *sums);

#endif
