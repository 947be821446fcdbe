// The loop that takes most of the time of the network of beats. In C because Swift's vectors are some hundred times slower in
// debug builds, which run the tests.
#ifndef NOCTURNE_BEAT_NETWORK_H
#define NOCTURNE_BEAT_NETWORK_H

#include <stddef.h>

enum { CBEATNETWORK_CHANNELS = 32 };

/// Adds the convolution of `values` to `channels`; sums below zero are scaled by 0.1 first (leaky rectification).
///
/// - `values`: a row of `input_count` numbers per frame; points to the row of the first frame. Before it and after the
///   last there must be additional rows, as many as the taps reach: `taps / 2 * dilation`.
/// - `weights`: for each tap and input, a row with the weight for each channel.
/// - `constants`: one for each channel.
/// - `channels`: a row for each frame; does not overlap `values`.
void cbeatnetwork_add_convolution(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels);

#endif
