// The transforms of audio codecs, computed at every offset within a frame. They are written in C because Swift's
// vectors are about a hundred times slower in debug builds, which run the tests.
#ifndef NOCTURNE_FRAME_GRIDS_H
#define NOCTURNE_FRAME_GRIDS_H

#include <stddef.h>

enum {
  CFRAMEGRIDS_TAPS = 512,       ///< Taps of the MPEG filter bank.
  CFRAMEGRIDS_BANDS = 32,       ///< Subbands of the MPEG filter bank.
  CFRAMEGRIDS_HYBRID_SLOTS = 19, ///< One granule of layer III plus one slot.
  CFRAMEGRIDS_HYBRID_OFFSETS = CFRAMEGRIDS_HYBRID_SLOTS * 32,
  CFRAMEGRIDS_HYBRID_ROWS = CFRAMEGRIDS_HYBRID_SLOTS + 35,
  CFRAMEGRIDS_HYBRID_SAMPLES = CFRAMEGRIDS_TAPS + 32 * CFRAMEGRIDS_HYBRID_ROWS,
  CFRAMEGRIDS_SCRATCH = 8192,
};

/// A modified discrete cosine transform (MDCT) whose window is a sum of odd harmonics of a half sine.
typedef struct {
  /// Number of coefficients per block; the window is twice as long.
  ptrdiff_t block_length;
  /// The coefficients examined. Together with the ones that the harmonics reach, there are at most `CFRAMEGRIDS_SCRATCH
  /// / 8`.
  ptrdiff_t first_bin, bin_count;
  /// Number of groups of coefficients, by frequency. Each group has its own scores; all have the same number of
  /// coefficients, a multiple of 8.
  ptrdiff_t group_count;
  const float *harmonics;
  ptrdiff_t harmonic_count;
  /// Added to squares; values below it cannot be distinguished from rounding noise.
  float floor;
} cframegrids_lapped;

/// For each group and offset, computes the sum of log2(c² + floor) over the coefficients c of left, right, their mean
/// and half their difference. The logarithms are interpolated linearly between powers of two.
///
/// The transforms slide: each is computed by updating the previous one, bin by bin.
///
/// - `left`, `right`: `offset_count + 2 * block_length` samples each.
/// - `left_bins`, `right_bins`: Fourier bins of the first, unwindowed block at half-sample positions,
///   Σ x[n]·exp(iπ(n + ½)j / N), for `bin_count + 2 * harmonic_count` values of j from `first_bin - harmonic_count +
///   1`; all real parts, then all imaginary parts. They are overwritten.
/// - `scratch`: `CFRAMEGRIDS_SCRATCH` floats.
/// - `scores`: one per offset for the lowest group, followed by the scores of the other groups.
void cframegrids_score_lapped(
    const cframegrids_lapped *grid, const float *left, const float *right, ptrdiff_t offset_count, float *left_bins,
    float *right_bins, float *scratch, float *scores);

/// Computes the same scores for the MPEG audio filter bank (ISO/IEC 11172-3). Layer II codes the samples of the
/// subbands, layer III an MDCT of 18 of them. A group consists of 8 subbands; the first group contains `first_band`,
/// the last contains `last_band`.
///
/// - `prototype`: `CFRAMEGRIDS_TAPS` values.
/// - `first_band`, `last_band`: the subbands examined.
/// - `left`, `right`: `CFRAMEGRIDS_HYBRID_SAMPLES` samples each.
/// - `floors`: one for the samples of subbands, and one for the coefficients of layer III.
/// - `rows`: 2 * `CFRAMEGRIDS_HYBRID_ROWS` * 32 floats.
/// - `subband_scores`: 32 per group, one per phase of the filter bank.
/// - `hybrid_scores`: `CFRAMEGRIDS_HYBRID_OFFSETS` per group, one per offset.
void cframegrids_score_mpeg(
    const float *prototype, ptrdiff_t first_band, ptrdiff_t last_band, const float *left, const float *right,
    const float floors[2], float *rows, float *subband_scores, float *hybrid_scores);

#endif
