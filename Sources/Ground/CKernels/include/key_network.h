// The loop in which the key network spends its time. It is written in C because Swift's vectors are about a hundred
// times slower in debug builds, which run the tests.
#ifndef NOCTURNE_KEY_NETWORK_H
#define NOCTURNE_KEY_NETWORK_H

#include <stddef.h>

/// Writes the weighted sums of each row. Sums below zero are scaled by 0.1 (leaky rectification).
///
/// - `values`: `row_count` rows of `input_count` numbers, `stride` numbers apart; rows may overlap.
/// - `weights`: one row of `output_count` numbers per input.
/// - `constants`: one per output.
/// - `output_count`: a multiple of 8.
/// - `result`: one row of `output_count` numbers per input row; must not overlap `values`.
void ckeynetwork_connect(
    const float *values, ptrdiff_t row_count, ptrdiff_t stride, ptrdiff_t input_count, const float *weights,
    const float *constants, ptrdiff_t output_count, float *result);

#endif
