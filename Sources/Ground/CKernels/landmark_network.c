#include "landmark_network.h"

#include "wide.h"

enum { WIDTH = CLANDMARKNETWORK_CHANNELS, BLOCK = CLANDMARKNETWORK_BLOCK, OUTPUTS = CLANDMARKNETWORK_OUTPUTS };

/* All channels of a position: one register with AVX2, two without. */
typedef float lanes __attribute__((vector_size(WIDTH * sizeof(float)), aligned(sizeof(float))));

/* Inlined with a constant step, so that the compiler needs only one address register for all positions of a block. */
INLINE void convolve_by(
    clandmarknetwork_picture picture, ptrdiff_t step, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step) {
  for (ptrdiff_t row = 0; row < rows; row++) {
    ptrdiff_t column = 0;
    for (; column < columns; column += BLOCK) {
      /* Separate variables, because elements of an array would be stored to memory each time. */
      const lanes constants = *(const lanes *)convolution.constants;
      lanes a = constants, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
      const float *weight = convolution.weights;
      for (ptrdiff_t tap = 0; tap < convolution.tap_count; tap++) {
        const float *in = picture.values + row * picture.row_step + column * step + convolution.taps[tap];
        for (ptrdiff_t input = 0; input < convolution.input_count; input++, in++, weight += WIDTH) {
          const lanes factor = *(const lanes *)weight;
          a += in[0] * factor, b += in[step] * factor, c += in[2 * step] * factor, d += in[3 * step] * factor;
          e += in[4 * step] * factor, f += in[5 * step] * factor, g += in[6 * step] * factor, h += in[7 * step] * factor;
          i += in[8 * step] * factor, j += in[9 * step] * factor, k += in[10 * step] * factor, l += in[11 * step] * factor;
        }
      }
      const lanes sums[BLOCK] = {a, b, c, d, e, f, g, h, i, j, k, l};
      const ptrdiff_t place = row * row_step + column * WIDTH;
      for (int n = 0; n < BLOCK; n++) {
        const lanes tenth = 0.1f * sums[n];
        lanes *out = (lanes *)(channels + place + n * WIDTH);
        *out = __builtin_elementwise_max(sums[n], tenth);
        if (before) *out += *(const lanes *)(before + place + n * WIDTH);
      }
    }
    for (ptrdiff_t n = columns * WIDTH; n < column * WIDTH; n++) channels[row * row_step + n] = 0;
  }
}

INLINE void convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step) {
  if (picture.column_step == WIDTH)
    convolve_by(picture, WIDTH, rows, columns, convolution, before, channels, row_step);
  else
    convolve_by(picture, picture.column_step, rows, columns, convolution, before, channels, row_step);
}

INLINE void output(
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

WIDE_FMA void convolve_wide(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step) {
  convolve(picture, rows, columns, convolution, before, channels, row_step);
}

WIDE_FMA void output_wide(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs) {
  output(picture, rows, columns, convolution, outputs);
}

void clandmarknetwork_convolve(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution,
    const float *before, float *channels, ptrdiff_t row_step) {
  if (IS_WIDE_FMA)
    convolve_wide(picture, rows, columns, convolution, before, channels, row_step);
  else
    convolve(picture, rows, columns, convolution, before, channels, row_step);
}

void clandmarknetwork_output(
    clandmarknetwork_picture picture, ptrdiff_t rows, ptrdiff_t columns, clandmarknetwork_convolution convolution, float *outputs) {
  if (IS_WIDE_FMA)
    output_wide(picture, rows, columns, convolution, outputs);
  else
    output(picture, rows, columns, convolution, outputs);
}
