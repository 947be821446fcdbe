// The loops that take the network's time. In C, as Swift's vectors are some hundred times slower in debug builds, which run
// the tests.
#ifndef NOCTURNE_CLANDMARKNETWORK_H
#define NOCTURNE_CLANDMARKNETWORK_H

#include <stddef.h>

enum { CLANDMARKNETWORK_CHANNELS = 8, CLANDMARKNETWORK_BLOCK = 12, CLANDMARKNETWORK_OUTPUTS = 4 };

/// Rows of columns of numbers.
typedef struct {
  /// The first number of the first column of the first row.
  const float *values;
  /// Numbers from one row, and from one column, to the next that the convolution is for.
  ptrdiff_t row_step, column_step;
} clandmarknetwork_picture;

/// What a convolution adds up for each place.
typedef struct {
  /// Where each tap's numbers begin, from those of the place itself, and how many a tap has.
  const ptrdiff_t *taps;
  ptrdiff_t tap_count, input_count;
  /// For each tap and input a row with what it adds to each channel; a number for each channel.
  const float *weights, *constants;
} clandmarknetwork_convolution;

/// Writes to `channels` what a convolution makes of a picture, where what is below zero counts a tenth (leaky rectification), plus
/// `before`, unless that is null.
///
/// Columns are worked on in blocks of CLANDMARKNETWORK_BLOCK: of the last one all are read, and the ones too many are written as zeros.
/// `channels` and `before` have `row_step` numbers to a row; `channels` does not overlap what is read.
void clandmarknetwork_convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step);

/// Writes CLANDMARKNETWORK_OUTPUTS numbers for each place: a convolution whose weights are, for each output and tap, a row with what each channel
/// adds.
void clandmarknetwork_output(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs);

#endif
