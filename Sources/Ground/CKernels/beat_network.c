#include "beat_network.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { WIDTH = CBEATNETWORK_CHANNELS, LANES = 16 };

/* Sums for half of the channels. Two such vectors take half the registers of any x86-64 processor, and leave the rest
   for the computation. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

INLINE void add_rectified(const lanes *sum, float *channels) {
  for (int lane = 0; lane < LANES; lane++) channels[lane] += (*sum)[lane] < 0 ? 0.1f * (*sum)[lane] : (*sum)[lane];
}

INLINE void convolve(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels) {
  /* Processes two frames at a time, so that every weight fetched is used twice. An odd last frame is paired with
     itself. */
  for (ptrdiff_t frame = 0; frame < frame_count; frame += 2) {
    const ptrdiff_t next = frame + 1 < frame_count ? 1 : 0;
    for (ptrdiff_t half = 0; half < WIDTH; half += LANES) {
      lanes first = *(const lanes *)(constants + half), second = first;
      const float *weight = weights + half;
      for (ptrdiff_t tap = 0; tap < taps; tap++) {
        const float *row = values + (frame + (tap - taps / 2) * dilation) * input_count;
        const float *other = row + next * input_count;
        for (ptrdiff_t input = 0; input < input_count; input++, weight += WIDTH) {
          const lanes factor = *(const lanes *)weight;
          first += row[input] * factor;
          second += other[input] * factor;
        }
      }
      float *out = channels + frame * WIDTH + half;
      add_rectified(&first, out);
      if (next) add_rectified(&second, out + WIDTH);
    }
  }
}

WIDE void convolve_wide(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels) {
  convolve(values, input_count, frame_count, taps, dilation, weights, constants, channels);
}

void cbeatnetwork_add_convolution(
    const float *values, ptrdiff_t input_count, ptrdiff_t frame_count, ptrdiff_t taps, ptrdiff_t dilation,
    const float *weights, const float *constants, float *channels) {
  if (IS_WIDE)
    convolve_wide(values, input_count, frame_count, taps, dilation, weights, constants, channels);
  else
    convolve(values, input_count, frame_count, taps, dilation, weights, constants, channels);
}
