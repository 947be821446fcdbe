#include "CLandmarkNetwork.h"

enum { WIDTH = CLANDMARKNETWORK_CHANNELS, BLOCK = CLANDMARKNETWORK_BLOCK, OUTPUTS = CLANDMARKNETWORK_OUTPUTS };

/* All channels of a place: one register with AVX-512, two with AVX2, four else. */
typedef float lanes __attribute__((vector_size(WIDTH * sizeof(float)), aligned(sizeof(float))));

/* For the processor it runs on: four to six times as fast as what every x86-64 has. */
#if defined(__x86_64__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

FOR_EACH_PROCESSOR
void clandmarknetwork_convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step) {
  const ptrdiff_t step = picture.column_step;
  for (ptrdiff_t row = 0; row < rows; row++) {
    ptrdiff_t column = 0;
    for (; column < columns; column += BLOCK) {
      const lanes constants = *(const lanes *)convolution.constants;
      lanes a = constants, b = constants, c = constants, d = constants, e = constants, f = constants;
      const float *weight = convolution.weights;
      for (ptrdiff_t tap = 0; tap < convolution.tap_count; tap++) {
        const float *in = picture.values + row * picture.row_step + column * step + convolution.taps[tap];
        for (ptrdiff_t input = 0; input < convolution.input_count; input++, in++, weight += WIDTH) {
          const lanes factor = *(const lanes *)weight;
          a += in[0] * factor;
          b += in[step] * factor;
          c += in[2 * step] * factor;
          d += in[3 * step] * factor;
          e += in[4 * step] * factor;
          f += in[5 * step] * factor;
        }
      }
      const lanes sums[BLOCK] = {a, b, c, d, e, f};
      const ptrdiff_t place = row * row_step + column * WIDTH;
      for (ptrdiff_t i = 0; i < BLOCK * WIDTH; i++) {
        const float sum = sums[i / WIDTH][i % WIDTH];
        channels[place + i] = (before ? before[place + i] : 0) + (sum < 0 ? 0.1f * sum : sum);
      }
    }
    for (ptrdiff_t i = columns * WIDTH; i < column * WIDTH; i++) channels[row * row_step + i] = 0;
  }
}

FOR_EACH_PROCESSOR
void clandmarknetwork_output(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs) {
  for (ptrdiff_t row = 0; row < rows; row++) {
    for (ptrdiff_t column = 0; column < columns; column++) {
      const float *in = picture.values + row * picture.row_step + column * picture.column_step;
      lanes sums[OUTPUTS] = {0};
      for (ptrdiff_t tap = 0; tap < convolution.tap_count; tap++) {
        const lanes values = *(const lanes *)(in + convolution.taps[tap]);
        for (int output = 0; output < OUTPUTS; output++)
          sums[output] += values * *(const lanes *)(convolution.weights + (output * convolution.tap_count + tap) * WIDTH);
      }
      for (int output = 0; output < OUTPUTS; output++) {
        float sum = convolution.constants[output];
        for (int lane = 0; lane < WIDTH; lane++) sum += sums[output][lane];
        *outputs++ = sum;
      }
    }
  }
}
