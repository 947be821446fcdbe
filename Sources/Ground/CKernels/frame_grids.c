#include "frame_grids.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "wide.h"

#pragma STDC FP_CONTRACT OFF

enum { TAPS = CFRAMEGRIDS_TAPS, BANDS = CFRAMEGRIDS_BANDS, SLOTS = CFRAMEGRIDS_HYBRID_SLOTS, ROWS = CFRAMEGRIDS_HYBRID_ROWS };

typedef float lanes __attribute__((vector_size(32), aligned(4)));
typedef int32_t whole_lanes __attribute__((vector_size(32), aligned(4)));

/* The bits of a float are its base-2 logarithm, interpolated linearly between powers of two. They are shifted so that a
   sum of 2,000 logarithms fits. */
enum { SHIFT = 11, UNIT = 1 << (23 - SHIFT), BIAS = 127 * UNIT };

/* Adds the logarithms of the squares of left, right, their mean and half their difference. Vectors are passed by
 * address, because not every processor has registers for them. */
INLINE void add_logs(const lanes *left, const lanes *right, float floor, whole_lanes *logs) {
  const lanes l = *left, r = *right, mean = 0.5f * (l + r), side = 0.5f * (l - r);
  const lanes squares[4] = {l * l + floor, r * r + floor, mean * mean + floor, side * side + floor};
  for (int kind = 0; kind < 4; kind++) *logs += ((whole_lanes)squares[kind] >> SHIFT) - BIAS;
}

INLINE float sum(const whole_lanes *x) {
  int64_t total = 0;
  for (int lane = 0; lane < 8; lane++) total += (*x)[lane];
  return (float)total / UNIT;
}

/* MARK: MDCT */

typedef struct {
  ptrdiff_t count, padded;
  float *turn_real, *turn_imaginary, *enter_real, *enter_imaginary;
} turns;

INLINE void slide(turns turns, float change, float *real, float *imaginary) {
  for (ptrdiff_t j = 0; j < turns.padded; j += 8) {
    const lanes a = *(lanes *)(real + j) + change * *(lanes *)(turns.enter_real + j);
    const lanes b = *(lanes *)(imaginary + j) + change * *(lanes *)(turns.enter_imaginary + j);
    const lanes c = *(lanes *)(turns.turn_real + j), s = *(lanes *)(turns.turn_imaginary + j);
    *(lanes *)(real + j) = a * c - b * s;
    *(lanes *)(imaginary + j) = a * s + b * c;
  }
}

/* The coefficient of bin k is (Re H ± Im H) / √2, with + for even k, where H is a weighted sum of differences between
 * bins. */
INLINE void get_coefficients(
    const cframegrids_lapped *grid, ptrdiff_t k, const lanes *signs, const float *real, const float *imaginary, lanes *result) {
  const ptrdiff_t base = grid->harmonic_count - 1 + k;
  lanes a = {0}, b = {0};
  for (ptrdiff_t m = 0; m < grid->harmonic_count; m++) {
    const float weight = grid->harmonics[m];
    a += weight * (*(const lanes *)(real + base + m + 1) - *(const lanes *)(real + base - m));
    b += weight * (*(const lanes *)(imaginary + base + m + 1) - *(const lanes *)(imaginary + base - m));
  }
  *result = a + *signs * b;
}

INLINE void score_lapped(
    const cframegrids_lapped *grid, const float *left, const float *right, ptrdiff_t offset_count, float *left_bins,
    float *right_bins, float *scratch, float *scores) {
  const ptrdiff_t length = 2 * grid->block_length, count = grid->bin_count + 2 * grid->harmonic_count;
  /* Rows have room for what the last vector reads and writes beyond the end of the row. */
  const ptrdiff_t row = CFRAMEGRIDS_SCRATCH / 8, first = grid->first_bin - grid->harmonic_count + 1;
  turns turns = {count, (count + 7) / 8 * 8, scratch, scratch + row, scratch + 2 * row, scratch + 3 * row};
  float *const bins[4] = {scratch + 4 * row, scratch + 5 * row, scratch + 6 * row, scratch + 7 * row};
  memset(scratch, 0, CFRAMEGRIDS_SCRATCH * sizeof(float));
  for (ptrdiff_t j = 0; j < count; j++) {
    const double angle = M_PI * (double)(first + j) / (double)grid->block_length;
    turns.turn_real[j] = (float)cos(angle), turns.turn_imaginary[j] = (float)-sin(angle);
    turns.enter_real[j] = (float)cos(angle / 2), turns.enter_imaginary[j] = (float)sin(angle / 2);
  }
  for (int part = 0; part < 2; part++) {
    memcpy(bins[part], left_bins + part * count, (size_t)count * sizeof(float));
    memcpy(bins[2 + part], right_bins + part * count, (size_t)count * sizeof(float));
  }
  const float even = grid->first_bin % 2 == 0 ? 1 : -1;
  const lanes signs = {even, -even, even, -even, even, -even, even, -even};
  const ptrdiff_t group_size = grid->bin_count / grid->group_count;
  for (ptrdiff_t offset = 0; offset < offset_count; offset++) {
    for (ptrdiff_t group = 0; group < grid->group_count; group++) {
      whole_lanes logs = {0};
      for (ptrdiff_t k = group * group_size; k < (group + 1) * group_size; k += 8) {
        lanes l, r;
        get_coefficients(grid, k, &signs, bins[0], bins[1], &l);
        get_coefficients(grid, k, &signs, bins[2], bins[3], &r);
        add_logs(&l, &r, grid->floor, &logs);
      }
      scores[group * offset_count + offset] = sum(&logs);
    }
    slide(turns, left[offset + length] - left[offset], bins[0], bins[1]);
    slide(turns, right[offset + length] - right[offset], bins[2], bins[3]);
  }
}

/* MARK: MPEG */

typedef struct {
  float cosines[64][BANDS];
  /* The MDCT of 36 samples with its sine window. */
  float transform[18][36];
  /* Butterflies between neighboring subbands that reduce aliasing. */
  float butterfly_cosines[8], butterfly_sines[8];
} mpeg_tables;

/* Computes subbands in groups of 8, from group `first_part` up to but not including `end_part`. */
INLINE void subbands(
    const float *prototype, const mpeg_tables *tables, const float *newest, int first_part, int end_part, float *row) {
  float folded[64] = {0};
  /* The cosines change sign every 64 samples. */
  for (int part = 0; part < 8; part++)
    for (int n = 0; n < 64; n++)
      folded[n] += (part % 2 ? -1.0f : 1.0f) * prototype[64 * part + n] * newest[-(64 * part + n)];
  for (int part = first_part; part < end_part; part++) {
    lanes total = {0};
    for (int n = 0; n < 64; n++) total += folded[n] * *(const lanes *)(tables->cosines[n] + 8 * part);
    *(lanes *)(row + 8 * part) = total;
  }
}

/* Computes the layer III coefficients of the same subbands; `rows` starts at the first slot of the block. Aliasing with
 * subbands outside their range is not reduced. */
INLINE void hybrid(
    const mpeg_tables *tables, const float *rows, float parity, int first_part, int end_part, float coefficients[18][BANDS + 8]) {
  for (int k = 0; k < 18; k++)
    for (int part = first_part; part < end_part; part++) {
      lanes total = {0};
      for (int m = 0; m < 36; m++) total += tables->transform[k][m] * *(const lanes *)(rows + m * BANDS + 8 * part);
      *(lanes *)(coefficients[k] + 8 * part) = total;
    }
  for (int s = 0; s < 8; s++) {
    const float c = tables->butterfly_cosines[s], a = parity * tables->butterfly_sines[s];
    float upper[BANDS], lower[BANDS];
    const size_t size = (size_t)(end_part - first_part) * sizeof(lanes);
    memcpy(upper + 8 * first_part, coefficients[17 - s] + 8 * first_part, size);
    memcpy(lower + 8 * first_part, coefficients[s] + 8 * first_part, size);
    for (int band = 8 * first_part; band < 8 * end_part - 1; band++) {
      coefficients[17 - s][band] = upper[band] * c + lower[band + 1] * a;
      coefficients[s][band + 1] = lower[band + 1] * c - upper[band] * a;
    }
  }
}

INLINE void score_mpeg(
    const float *prototype, ptrdiff_t first_band, ptrdiff_t last_band, const float *left, const float *right,
    const float floors[2], float *rows, float *subband_scores, float *hybrid_scores) {
  mpeg_tables tables;
  for (int n = 0; n < 64; n++)
    for (int band = 0; band < BANDS; band++) tables.cosines[n][band] = (float)cos((2 * band + 1) * (n - 16) * M_PI / 64);
  for (int k = 0; k < 18; k++)
    for (int m = 0; m < 36; m++)
      tables.transform[k][m] = (float)(sin(M_PI / 36 * (m + 0.5)) * cos(M_PI / 72 * (2 * m + 19) * (2 * k + 1)) / 3);
  static const double aliases[8] = {-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037};
  for (int s = 0; s < 8; s++) {
    tables.butterfly_cosines[s] = (float)(1 / sqrt(1 + aliases[s] * aliases[s]));
    tables.butterfly_sines[s] = (float)(aliases[s] / sqrt(1 + aliases[s] * aliases[s]));
  }
  const int first_part = (int)(first_band / 8), end_part = (int)(last_band / 8) + 1;
  const ptrdiff_t first = 8 * first_part, end = 8 * end_part;
  float coefficients[2][18][BANDS + 8];
  const float *const channels[2] = {left, right};
  for (int phase = 0; phase < 32; phase++) {
    whole_lanes logs[BANDS / 8] = {{0}};
    for (int slot = 0; slot < ROWS; slot++) {
      float *row[2];
      for (int channel = 0; channel < 2; channel++) {
        row[channel] = rows + (channel * ROWS + slot) * BANDS;
        subbands(prototype, &tables, channels[channel] + phase + 32 * slot + TAPS - 1, first_part, end_part, row[channel]);
      }
      for (ptrdiff_t band = first; band < end; band += 8)
        add_logs((lanes *)(row[0] + band), (lanes *)(row[1] + band), floors[0], &logs[band / 8]);
      /* Odd subbands have an inverted spectrum. */
      if (slot % 2)
        for (int channel = 0; channel < 2; channel++)
          for (ptrdiff_t band = first + 1; band < end; band += 2) row[channel][band] = -row[channel][band];
    }
    for (ptrdiff_t band = first; band < end; band += 8) subband_scores[(band - first) / 8 * 32 + phase] = sum(&logs[band / 8]);
    for (int slot = 0; slot < SLOTS; slot++) {
      whole_lanes hybrid_logs[BANDS / 8] = {{0}};
      for (int channel = 0; channel < 2; channel++)
        hybrid(&tables, rows + (channel * ROWS + slot) * BANDS, slot % 2 ? -1 : 1, first_part, end_part, coefficients[channel]);
      for (int k = 0; k < 18; k++)
        for (ptrdiff_t band = first; band < end; band += 8)
          add_logs((lanes *)(coefficients[0][k] + band), (lanes *)(coefficients[1][k] + band), floors[1], &hybrid_logs[band / 8]);
      for (ptrdiff_t band = first; band < end; band += 8)
        hybrid_scores[(band - first) / 8 * CFRAMEGRIDS_HYBRID_OFFSETS + slot * 32 + phase] = sum(&hybrid_logs[band / 8]);
    }
  }
}

/* MARK: - Baseline and AVX2 */

WIDE_FMA void score_lapped_wide(
    const cframegrids_lapped *grid, const float *left, const float *right, ptrdiff_t offset_count, float *left_bins,
    float *right_bins, float *scratch, float *scores) {
  score_lapped(grid, left, right, offset_count, left_bins, right_bins, scratch, scores);
}

void cframegrids_score_lapped(
    const cframegrids_lapped *grid, const float *left, const float *right, ptrdiff_t offset_count, float *left_bins,
    float *right_bins, float *scratch, float *scores) {
  if (IS_WIDE_FMA) score_lapped_wide(grid, left, right, offset_count, left_bins, right_bins, scratch, scores);
  else score_lapped(grid, left, right, offset_count, left_bins, right_bins, scratch, scores);
}

WIDE_FMA void score_mpeg_wide(
    const float *prototype, ptrdiff_t first_band, ptrdiff_t last_band, const float *left, const float *right,
    const float floors[2], float *rows, float *subband_scores, float *hybrid_scores) {
  score_mpeg(prototype, first_band, last_band, left, right, floors, rows, subband_scores, hybrid_scores);
}

void cframegrids_score_mpeg(
    const float *prototype, ptrdiff_t first_band, ptrdiff_t last_band, const float *left, const float *right,
    const float floors[2], float *rows, float *subband_scores, float *hybrid_scores) {
  if (IS_WIDE_FMA) score_mpeg_wide(prototype, first_band, last_band, left, right, floors, rows, subband_scores, hybrid_scores);
  else score_mpeg(prototype, first_band, last_band, left, right, floors, rows, subband_scores, hybrid_scores);
}
