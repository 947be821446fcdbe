// The loops that take most of the landmark network's time. They are written in C because Swift's vectors are about a
// hundred times slower in debug builds, which run the tests.
#ifndef NOCTURNE_LANDMARK_NETWORK_H
#define NOCTURNE_LANDMARK_NETWORK_H

#include <stddef.h>

enum { CLANDMARKNETWORK_CHANNELS = 8, CLANDMARKNETWORK_BLOCK = 12, CLANDMARKNETWORK_OUTPUTS = 4 };

/// Rows of columns, each of which has several numbers.
typedef struct {
  /// The first number of the first column of the first row.
  const float *values;
  /// Distance in numbers from one row to the next, and between the columns that the convolution reads.
  ptrdiff_t row_step, column_step;
} clandmarknetwork_picture;

/// The weights of a convolution and the positions it reads.
typedef struct {
  /// For each tap, the offset of its `input_count` numbers from the numbers at the position itself.
  const ptrdiff_t *taps;
  ptrdiff_t tap_count, input_count;
  /// For each tap and input, a row with one weight per channel; and one constant per channel.
  const float *weights, *constants;
} clandmarknetwork_convolution;

/// Writes the convolution of a picture to `channels`, and then adds `before` unless it is NULL. Sums of the convolution
/// below zero are scaled by 0.1 (leaky rectification).
///
/// Columns are processed in blocks of CLANDMARKNETWORK_BLOCK. The last block is read completely, and its surplus
/// columns are written as zeros. Rows of `channels` and `before` are `row_step` numbers apart; `channels` must not
/// overlap the inputs.
void clandmarknetwork_convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step);

/// Writes CLANDMARKNETWORK_OUTPUTS numbers per position: a convolution that has, for each output and tap, a row with
/// one weight per channel.
void clandmarknetwork_output(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs);

#endif
