// Sums of a query's spectrum under the landmarks of a track. In C because Swift's vectors are some hundred times slower in debug
// builds, which run the tests.
#ifndef NOCTURNE_MATCHED_FILTER_H
#define NOCTURNE_MATCHED_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum {
  CMATCHEDFILTER_LANES = 16,   ///< Displacements that are tried together: -8 to 7 columns.
  CMATCHEDFILTER_PART = 16,    ///< So many products of a weight and a value must fit into 16 bits.
  CMATCHEDFILTER_MARGIN = 16,  ///< Columns before and behind each row, at least, and zero.
};

/// A landmark.
typedef struct {
  int32_t column;
  int16_t band, strength;
} cmatchedfilter_landmark;

/// What a landmark weighs.
static inline int16_t cmatchedfilter_weight(int16_t strength) {
  const int16_t half = (strength + 1) >> 1;
  return half > 1 ? half : 1;
}

/// One row for each band.
typedef struct {
  /// The first column of the first row.
  const int16_t *values;
  ptrdiff_t row_step;
  int32_t column_count, band_count;
} cmatchedfilter_rows;

/// The column of the rows at which a landmark of column c lies is ⌊c · `inverse` + `origin`⌋.
typedef struct {
  float inverse, origin;
  int32_t shift;
} cmatchedfilter_placement;

typedef struct {
  /// Sums of weighted values, one for each displacement.
  int32_t sums[CMATCHEDFILTER_LANES];
  /// Landmarks that lie in the rows if there is no displacement, and the sum of the squares of their weights.
  int32_t count, squares;
} cmatchedfilter_score;

void cmatchedfilter_add(
    const cmatchedfilter_rows *rows, const cmatchedfilter_landmark *landmarks, ptrdiff_t count,
    const cmatchedfilter_placement *placement, cmatchedfilter_score *score);

/// The sums alone, of values that lie at known distances from `values`.
void cmatchedfilter_add_at(
    const int16_t *values, const ptrdiff_t *offsets, const int16_t *weights, ptrdiff_t count,
    int32_t sums[CMATCHEDFILTER_LANES]);

#endif
