// The one loop that takes the network's time. In C, as Swift's vectors are some hundred times slower in debug builds, which run
// the tests.
#ifndef NOCTURNE_KEY_NETWORK_H
#define NOCTURNE_KEY_NETWORK_H

#include <stddef.h>

/// Writes weighted sums of the numbers of each row, where what is below zero counts a tenth (leaky rectification).
///
/// - `values`: `row_count` rows of `input_count` numbers, each `stride` after the one before; rows may overlap.
/// - `weights`: for each input a row of `output_count` numbers.
/// - `constants`: one for each output.
/// - `output_count`: a multiple of eight.
/// - `result`: a row of `output_count` for each row; does not overlap `values`.
void ckeynetwork_connect(
    const float *values, ptrdiff_t row_count, ptrdiff_t stride, ptrdiff_t input_count, const float *weights,
    const float *constants, ptrdiff_t output_count, float *result);

#endif
