#include "key_network.h"

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { LANES = 8, ROWS = 8 };

/* Eight such sums fill half of the AVX2 registers, which is enough to keep the adders busy. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

INLINE void connect(
    const float *values, ptrdiff_t row_count, ptrdiff_t stride, ptrdiff_t input_count, const float *weights,
    const float *constants, ptrdiff_t output_count, float *result) {
  /* Processes one group of outputs at a time, so that its weights stay in the cache, and eight rows at a time, so that
     every weight fetched is used eight times. If fewer rows remain, the last one is repeated. */
  for (ptrdiff_t output = 0; output < output_count; output += LANES) {
    const lanes constant = *(const lanes *)(constants + output);
    for (ptrdiff_t row = 0; row < row_count; row += ROWS) {
      const float *source[ROWS];
      lanes sums[ROWS];
      for (int k = 0; k < ROWS; k++) {
        source[k] = values + (row + k < row_count ? row + k : row) * stride;
        sums[k] = constant;
      }
      const float *weight = weights + output;
      for (ptrdiff_t input = 0; input < input_count; input++, weight += output_count) {
        const lanes factor = *(const lanes *)weight;
        for (int k = 0; k < ROWS; k++) sums[k] += source[k][input] * factor;
      }
      for (int k = 0; k < ROWS && row + k < row_count; k++) {
        float *out = result + (row + k) * output_count + output;
        for (int lane = 0; lane < LANES; lane++) out[lane] = sums[k][lane] < 0 ? 0.1f * sums[k][lane] : sums[k][lane];
      }
    }
  }
}

WIDE void connect_wide(
    const float *values, ptrdiff_t row_count, ptrdiff_t stride, ptrdiff_t input_count, const float *weights,
    const float *constants, ptrdiff_t output_count, float *result) {
  connect(values, row_count, stride, input_count, weights, constants, output_count, result);
}

void ckeynetwork_connect(
    const float *values, ptrdiff_t row_count, ptrdiff_t stride, ptrdiff_t input_count, const float *weights,
    const float *constants, ptrdiff_t output_count, float *result) {
  if (IS_WIDE)
    connect_wide(values, row_count, stride, input_count, weights, constants, output_count, result);
  else
    connect(values, row_count, stride, input_count, weights, constants, output_count, result);
}
