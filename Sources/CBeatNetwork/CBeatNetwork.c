#include "CBeatNetwork.h"

enum { WIDTH = CBEATNETWORK_CHANNELS };

void cbeatnetwork_add_convolution(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels) {
  for (ptrdiff_t frame = 0; frame < frame_count; frame++) {
    float sums[WIDTH];
    for (int channel = 0; channel < WIDTH; channel++) sums[channel] = constants[channel];
    const float *weight = weights;
    for (ptrdiff_t tap = 0; tap < taps; tap++) {
      const float *row = values + (frame + (tap - taps / 2) * dilation) * input_count;
      for (ptrdiff_t input = 0; input < input_count; input++, weight += WIDTH) {
        const float value = row[input];
        for (int channel = 0; channel < WIDTH; channel++) sums[channel] += value * weight[channel];
      }
    }
    float *out = channels + frame * WIDTH;
    for (int channel = 0; channel < WIDTH; channel++) {
      out[channel] += sums[channel] < 0 ? 0.1f * sums[channel] : sums[channel];
    }
  }
}
