// The cells of the index of recognition that pairs of landmarks may fall into. In C because Swift's vectors are some hundred
// times slower in debug builds, which run the tests.
#ifndef NOCTURNE_PAIR_CELLS_H
#define NOCTURNE_PAIR_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CPAIRCELLS_AXES = 3,      ///< Band of the anchor, interval and gap.
  CPAIRCELLS_LANES = 8,     ///< Pairs that are looked at together.
  CPAIRCELLS_PER_PAIR = 8,  ///< Two on each axis.
};

/// Cells are whole numbers on each axis; keys count them up without gaps, the last axis first.
typedef struct {
  float lowest[CPAIRCELLS_AXES], highest[CPAIRCELLS_AXES];
} cpaircells_index;

/// Pairs between the cells: rows of a multiple of CPAIRCELLS_LANES numbers.
typedef struct {
  const float *axes[CPAIRCELLS_AXES], *rarities;
  ptrdiff_t count;
} cpaircells_pairs;

typedef struct {
  /// How bands and gaps are changed before.
  float shift, slope;
  /// Distance up to which a cell is looked at on an axis, between a half and one.
  float reach;
  /// What a pair's rarity grows by for each cell's width that it is off, all axes together; and from where on it is too rare.
  float per_cell, limit;
} cpaircells_search;

typedef struct {
  int32_t key, pair;
  float rarity;
} cpaircells_cell;

/// Writes the cells that are near enough, pair by pair, each pair's in order of key: CPAIRCELLS_PER_PAIR at most.
/// - Returns: How many there are.
ptrdiff_t cpaircells_find(
    const cpaircells_index *index, const cpaircells_pairs *pairs, const cpaircells_search *search, cpaircells_cell *cells);

#endif
