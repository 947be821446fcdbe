// Transforms of audio codecs at every offset of a frame. In C because Swift's vectors are some hundred times slower in debug
// builds, which run the tests.
#ifndef NOCTURNE_FRAME_GRIDS_H
#define NOCTURNE_FRAME_GRIDS_H

#include <stddef.h>

enum {
  CFRAMEGRIDS_TAPS = 512,       ///< Of the MPEG filter bank.
  CFRAMEGRIDS_BANDS = 32,       ///< Of the MPEG filter bank.
  CFRAMEGRIDS_HYBRID_SLOTS = 19, ///< A granule of layer III and one slot more.
  CFRAMEGRIDS_HYBRID_OFFSETS = CFRAMEGRIDS_HYBRID_SLOTS * 32,
  CFRAMEGRIDS_HYBRID_ROWS = CFRAMEGRIDS_HYBRID_SLOTS + 35,
  CFRAMEGRIDS_HYBRID_SAMPLES = CFRAMEGRIDS_TAPS + 32 * CFRAMEGRIDS_HYBRID_ROWS,
  CFRAMEGRIDS_SCRATCH = 8192,
};

/// A modified discrete cosine transform (MDCT) whose window is a sum of odd harmonics of a half sine.
typedef struct {
  /// Coefficients of a block; its window is twice as long.
  ptrdiff_t block_length;
  /// The coefficients that are looked at; with those that the harmonics reach, at most `CFRAMEGRIDS_SCRATCH / 8`.
  ptrdiff_t first_bin, bin_count;
  /// Groups of coefficients by frequency; each has scores of its own, and as many coefficients: a multiple of 8.
  ptrdiff_t group_count;
  const float *harmonics;
  ptrdiff_t harmonic_count;
  /// Added to squares: they are not told from the noise of rounding below it.
  float floor;
} cframegrids_lapped;

/// For each group and offset, the sum of log2(c² + floor) over the coefficients c of left, right, their mean and half their difference;
/// logarithms are linear between powers of two.
///
/// The transforms slide: each is made from the one before, bin by bin.
///
/// - `left`, `right`: `offset_count + 2 * block_length` samples each.
/// - `left_bins`, `right_bins`: Fourier bins of the first window without a window function, at half samples:
///   Σ x[n]·exp(iπ(n + ½)j / N) for j from `first_bin - harmonic_count + 1`, `bin_count + 2 * harmonic_count` of them; first all
///   real parts, then all imaginary parts. They are changed.
/// - `scratch`: `CFRAMEGRIDS_SCRATCH` floats.
/// - `scores`: one for each offset of the lowest group, then those of the others.
void cframegrids_score_lapped(
    const cframegrids_lapped *grid, const float *left, const float *right, ptrdiff_t offset_count, float *left_bins,
    float *right_bins, float *scratch, float *scores);

/// The same for the filter bank of MPEG audio (ISO/IEC 11172-3), of which layer II codes the samples of subbands, and layer III
/// an MDCT of 18 of them. Groups are of 8 subbands, from that of `first_band` to that of `last_band`.
///
/// - `prototype`: `CFRAMEGRIDS_TAPS` values.
/// - `first_band`, `last_band`: the subbands that are looked at.
/// - `left`, `right`: `CFRAMEGRIDS_HYBRID_SAMPLES` samples each.
/// - `floors`: for the samples of subbands and for the coefficients of layer III.
/// - `rows`: 2 * `CFRAMEGRIDS_HYBRID_ROWS` * 32 floats.
/// - `subband_scores`: 32 for each group, one for each phase of the filter bank.
/// - `hybrid_scores`: `CFRAMEGRIDS_HYBRID_OFFSETS` for each group, one for each offset.
void cframegrids_score_mpeg(
    const float *prototype, ptrdiff_t first_band, ptrdiff_t last_band, const float *left, const float *right,
    const float floors[2], float *rows, float *subband_scores, float *hybrid_scores);

#endif
