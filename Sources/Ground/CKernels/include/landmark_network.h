// The loops that take most of the network's time. In C because Swift's vectors are some hundred times slower in debug
// builds, which run the tests.
#ifndef NOCTURNE_LANDMARK_NETWORK_H
#define NOCTURNE_LANDMARK_NETWORK_H

#include <stddef.h>

enum { CLANDMARKNETWORK_CHANNELS = 8, CLANDMARKNETWORK_BLOCK = 12, CLANDMARKNETWORK_OUTPUTS = 4 };

/// Rows of columns of numbers.
typedef struct {
  /// The first number of the first column of the first row.
  const float *values;
  /// The distance in numbers from one row to the next, and between the columns that the convolution uses.
  ptrdiff_t row_step, column_step;
} clandmarknetwork_picture;

/// The weights of a convolution and the places it reads.
typedef struct {
  /// For each tap, the offset of its numbers from those of the place itself; and how many numbers a tap has.
  const ptrdiff_t *taps;
  ptrdiff_t tap_count, input_count;
  /// For each tap and input, a row with the weight for each channel; and one constant for each channel.
  const float *weights, *constants;
} clandmarknetwork_convolution;

/// Writes the convolution of a picture to `channels`; sums below zero are scaled by 0.1 (leaky rectification). Then
/// adds `before`, unless that is null.
///
/// Columns are processed in blocks of CLANDMARKNETWORK_BLOCK. The last block is read entirely, and its surplus columns
/// are written as zeros. `channels` and `before` have `row_step` numbers to a row; `channels` does not overlap the
/// inputs.
void clandmarknetwork_convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step);

/// Writes CLANDMARKNETWORK_OUTPUTS numbers for each place: a convolution whose weights are, for each output and tap, a
/// row with the weight of each channel.
void clandmarknetwork_output(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs);

#endif
