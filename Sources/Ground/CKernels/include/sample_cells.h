// Measurements of samples in cells of 64, and the filters for click detection. Written in C because Swift sums floats
// one by one, and damage must be searched for in every sample.
#ifndef NOCTURNE_SAMPLE_CELLS_H
#define NOCTURNE_SAMPLE_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CSAMPLECELLS_LENGTH = 64,
  CSAMPLECELLS_QUARTER = CSAMPLECELLS_LENGTH / 4,
};

/// Measurements of one cell.
typedef struct {
  float sum, squares;
  /// Sum of squared differences between neighbors.
  float steps;
  float largest, smallest;
  /// Largest magnitude of the difference between a sample and its cubic interpolation from two neighbors on either
  /// side.
  float residual;
  /// Number of zero samples.
  float zeros;
} csamplecells_cell;

/// Copies samples; NaN and magnitudes above a million become zero. `target` may begin before `source` in the same
/// array.
void csamplecells_copy(const float *source, ptrdiff_t count, float *target);

/// Measures `cell_count` cells starting at `samples`; also reads two samples before and two after them.
void csamplecells_measure(const float *samples, ptrdiff_t cell_count, csamplecells_cell *cells);

/// Sums the mean of both channels over quarters of cells, four per cell. `totals` receives the sums of squares of the
/// mean and of half the difference.
void csamplecells_compare(const float *left, const float *right, ptrdiff_t cell_count, float *quarters, float totals[2]);

/// Selects about one sample in 32: those that differ from the next one and whose hash, of the sample and the three
/// after it, has five leading zeros.
/// - `count`: a multiple of 8; three more samples are read.
/// - `places`, `hashes`: room for `count` elements each.
/// - returns: the number selected.
ptrdiff_t csamplecells_find_anchors(const float *samples, ptrdiff_t count, int32_t *places, uint32_t *hashes);

/// r[k] = Σ x[n]·x[n + k] for k from 0 to `order`. `count` is a multiple of 4, and `order` zeros follow the samples.
void csamplecells_autocorrelate(const double *samples, ptrdiff_t count, ptrdiff_t order, double *r);

/// e[n] = Σ h[k]·x[n − k] for k from 0 to `order`. `count` is a multiple of 4; `order` samples before the first are read.
void csamplecells_filter(const double *samples, ptrdiff_t count, const double *h, ptrdiff_t order, double *result);

#endif
