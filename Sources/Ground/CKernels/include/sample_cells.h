// Measurements of samples in cells of 64, and the filters for click detection. They are written in C because Swift sums
// floats one by one, and every sample must be searched for damage.
#ifndef NOCTURNE_SAMPLE_CELLS_H
#define NOCTURNE_SAMPLE_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CSAMPLECELLS_LENGTH = 64,
  CSAMPLECELLS_QUARTER = CSAMPLECELLS_LENGTH / 4,
};

/// The measurements of one cell.
typedef struct {
  float sum, squares;
  /// The sum of squared differences between neighbors.
  float steps;
  float largest, smallest;
  /// The largest magnitude of the difference between a sample and its cubic interpolation from two neighbors on either
  /// side.
  float residual;
  /// Number of zero samples.
  float zeros;
} csamplecells_cell;

/// Copies samples, replacing NaN and magnitudes above a million with zero. `target` may begin before `source` in the
/// same array.
void csamplecells_copy(const float *source, ptrdiff_t count, float *target);

/// Measures `cell_count` cells starting at `samples`. Also reads two samples before and two samples after the cells.
void csamplecells_measure(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells);

/// Sums the mean of both channels over each quarter of each cell. `totals` receives the sum of squares of the mean, and
/// of half the difference.
void csamplecells_compare(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]);

/// Selects about one sample in 32: samples that differ from the next one, and whose hash, together with the three
/// samples after it, has five leading zeros.
/// - `count`: a multiple of 8; three more samples are read.
/// - `places`, `hashes`: room for `count` elements each.
/// - returns: the number of samples selected.
ptrdiff_t csamplecells_find_anchors(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes);

/// Computes r[k] = Σ x[n]·x[n + k] for k from 0 to `order`. `count` is a multiple of 4, and `order` zeros follow the
/// samples.
void csamplecells_autocorrelate(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r);

/// Computes e[n] = Σ h[k]·x[n − k] for k from 0 to `order`. `count` is a multiple of 4; `order` samples before the
/// first one are read.
void csamplecells_filter(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result);

#endif
