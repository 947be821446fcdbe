// The loop that takes most of the beat network's time. It is written in C because Swift's vectors are about a hundred
// times slower in debug builds, which run the tests.
#ifndef NOCTURNE_BEAT_NETWORK_H
#define NOCTURNE_BEAT_NETWORK_H

#include <stddef.h>

enum { CBEATNETWORK_CHANNELS = 32 };

/// Adds the convolution of `values` to `channels`. Sums below zero are scaled by 0.1 first (leaky rectification).
///
/// - `values`: a row of `input_count` numbers per frame, starting at the row of the first frame. Another `taps / 2 *
///   dilation` rows must exist before that row and after the last frame, because the taps reach that far.
/// - `weights`: for each tap and input, a row with one weight per channel.
/// - `constants`: one per channel.
/// - `channels`: one row per frame; must not overlap `values`.
void cbeatnetwork_add_convolution(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels);

#endif
