// The one loop that takes a network's time. In C, as Swift's vectors are some hundred times slower in debug builds, which run
// the tests.
#ifndef NOCTURNE_CBEATNETWORK_H
#define NOCTURNE_CBEATNETWORK_H

#include <stddef.h>

enum { CBEATNETWORK_CHANNELS = 32 };

/// Adds to `channels` what a convolution makes of `values`, where what is below zero counts a tenth (leaky rectification).
///
/// - `values`: a row of `input_count` numbers for each frame; points to that of the first frame. Before it and after the last
///   there must be as many more rows as the taps reach, `taps / 2 * dilation`.
/// - `weights`: for each tap and input a row with what it adds to each channel.
/// - `constants`: one for each channel.
/// - `channels`: a row for each frame; does not overlap `values`.
void cbeatnetwork_add_convolution(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels);

#endif
