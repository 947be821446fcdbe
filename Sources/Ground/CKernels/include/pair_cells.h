// Finds the cells of the recognition index that pairs of landmarks may fall into. This is written in C because Swift's
// vectors are about a hundred times slower in debug builds, which run the tests.
#ifndef NOCTURNE_PAIR_CELLS_H
#define NOCTURNE_PAIR_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CPAIRCELLS_AXES = 3,      ///< Band of the anchor, interval and gap.
  CPAIRCELLS_LANES = 8,     ///< Pairs processed together.
  CPAIRCELLS_PER_PAIR = 8,  ///< Cells per pair: two on each axis.
};

/// Cells have whole-number coordinates on each axis. Keys number the cells without gaps, with the last axis varying
/// fastest.
typedef struct {
  float lowest[CPAIRCELLS_AXES], highest[CPAIRCELLS_AXES];
} cpaircells_index;

/// Pairs at fractional coordinates. Rows are padded to a multiple of CPAIRCELLS_LANES numbers.
typedef struct {
  const float *axes[CPAIRCELLS_AXES], *rarities;
  ptrdiff_t count;
} cpaircells_pairs;

typedef struct {
  /// A correction applied first: `shift` is subtracted from bands, and gaps are multiplied by `slope`.
  float shift, slope;
  /// Maximum distance to a cell on each axis, between 0.5 and 1.
  float reach;
  /// The rarity added for each cell width of distance, summed over all axes; and the rarity at which a pair becomes too
  /// rare.
  float per_cell, limit;
} cpaircells_search;

typedef struct {
  int32_t key, pair;
  float rarity;
} cpaircells_cell;

/// Writes the cells that are near enough to each pair, at most CPAIRCELLS_PER_PAIR, pair by pair and in the order of
/// their keys.
/// - Returns: The number of cells written.
ptrdiff_t cpaircells_find(
    const cpaircells_index *index, const cpaircells_pairs *pairs, const cpaircells_search *search, cpaircells_cell *cells);

#endif
