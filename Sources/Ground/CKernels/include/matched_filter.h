// Sums a query's spectrum at the landmarks of a track. This is written in C because Swift's vectors are about a hundred
// times slower in debug builds, which run the tests.
#ifndef NOCTURNE_MATCHED_FILTER_H
#define NOCTURNE_MATCHED_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum {
  CMATCHEDFILTER_LANES = 16,   ///< Displacements tried together: -8 to 7 columns.
  CMATCHEDFILTER_PART = 16,    ///< Products of a weight and a value whose sum must fit into 16 bits.
  CMATCHEDFILTER_MARGIN = 16,  ///< Minimum number of zero columns before and after each row.
};

typedef struct {
  int32_t column;
  int16_t band, strength;
} cmatchedfilter_landmark;

/// The weight of a landmark.
static inline int16_t cmatchedfilter_weight(int16_t strength) {
  const int16_t half = (strength + 1) >> 1;
  return half > 1 ? half : 1;
}

/// A spectrum with one row per band.
typedef struct {
  /// The first column of the first row.
  const int16_t *values;
  ptrdiff_t row_step;
  int32_t column_count, band_count;
} cmatchedfilter_rows;

/// Maps a landmark at column c to column ⌊c · `inverse` + `origin`⌋ of the rows, and its band to band + `shift`.
typedef struct {
  float inverse, origin;
  int32_t shift;
} cmatchedfilter_placement;

typedef struct {
  /// The sums of weighted values, one per displacement.
  int32_t sums[CMATCHEDFILTER_LANES];
  /// Number of landmarks within the rows at displacement 0, and the sum of their squared weights.
  int32_t count, squares;
} cmatchedfilter_score;

void cmatchedfilter_add(
    const cmatchedfilter_rows *rows, const cmatchedfilter_landmark *landmarks, ptrdiff_t count,
    const cmatchedfilter_placement *placement, cmatchedfilter_score *score);

/// Computes only the sums, from values at known offsets from `values`.
void cmatchedfilter_add_at(
    const int16_t *values, const ptrdiff_t *offsets, const int16_t *weights, ptrdiff_t count,
    int32_t sums[CMATCHEDFILTER_LANES]);

#endif
