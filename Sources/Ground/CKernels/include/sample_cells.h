// Measures of samples in cells of 64, and what clicks are told by. In C because Swift sums floats one by one, and the
// damage of a file must be looked for in every sample.
#ifndef NOCTURNE_SAMPLE_CELLS_H
#define NOCTURNE_SAMPLE_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CSAMPLECELLS_LENGTH = 64,
  CSAMPLECELLS_QUARTER = CSAMPLECELLS_LENGTH / 4,
};

/// Measures of one cell.
typedef struct {
  float sum, squares;
  /// Sum of squared differences of neighbors.
  float steps;
  float largest, smallest;
  /// The largest magnitude of what cubic interpolation of the two neighbors on either side leaves of a sample.
  float residual;
  /// Samples that are zero.
  float zeros;
} csamplecells_cell;

/// Copies samples; those that are no numbers, or beyond a million, become zero. `target` may begin before `source` in the same array.
void csamplecells_copy(const float *source, ptrdiff_t count, float *target);

/// Measures `cell_count` cells from `samples` on; two samples before and behind them are read.
void csamplecells_measure(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells);

/// Sums of the mean of both channels over quarters of cells, four for each cell; `totals` receives the summed squares of that mean and
/// of half the difference.
void csamplecells_compare(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]);

/// Finds one sample in 32: those at which a hash of it and the next three has five leading zeros, and that differ from the next one.
/// - `count`: a multiple of 8; three samples behind them are read.
/// - `places`, `hashes`: room for `count` each.
/// - returns: how many were found.
ptrdiff_t csamplecells_find_anchors(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes);

/// r[k] = Σ x[n]·x[n + k] for k from 0 to `order`. `count` is a multiple of 4, and `order` zeros stand behind the samples.
void csamplecells_autocorrelate(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r);

/// e[n] = Σ h[k]·x[n − k] for k from 0 to `order`. `count` is a multiple of 4; `order` samples before the first are read.
void csamplecells_filter(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result);

#endif
