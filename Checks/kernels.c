// Prints what the loops of Sources/Ground/CKernels compute for made-up numbers: a name and a number in hexadecimal a line.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "beat_network.h"
#include "beat_path.h"
#include "filter_bank.h"
#include "frame_grids.h"
#include "key_network.h"
#include "landmark_network.h"
#include "matched_filter.h"
#include "pair_cells.h"
#include "sample_cells.h"
#include "spectra.h"
#include "true_peak.h"
#include "waveform_bands.h"

static uint64_t state = 88172645463325252;

// Between -1 and 1; xorshift (Marsaglia 2003).
static float next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (float)((double)(state >> 11) / (double)(1ULL << 52) - 1);
}

static float *numbers(size_t count) {
  float *made = malloc(count * sizeof(float));
  for (size_t index = 0; index < count; index++) made[index] = next();
  return made;
}

static void print(const char *name, const float *values, size_t count) {
  for (size_t index = 0; index < count; index++) printf("%s %a\n", name, values[index]);
}

static void beat_network(void) {
  enum { INPUTS = 24, FRAMES = 37, TAPS = 5, DILATION = 2, RIM = TAPS / 2 * DILATION };
  float *values = numbers((FRAMES + 2 * RIM) * INPUTS), *weights = numbers(TAPS * INPUTS * CBEATNETWORK_CHANNELS);
  float *constants = numbers(CBEATNETWORK_CHANNELS), *channels = numbers(FRAMES * CBEATNETWORK_CHANNELS);
  cbeatnetwork_add_convolution(values + RIM * INPUTS, INPUTS, FRAMES, TAPS, DILATION, weights, constants, channels);
  print("beats", channels, FRAMES * CBEATNETWORK_CHANNELS);
}

static void key_network(void) {
  enum { ROWS = 11, INPUTS = 50, OUTPUTS = 24 };
  float *values = numbers(ROWS * INPUTS), *weights = numbers(INPUTS * OUTPUTS), *constants = numbers(OUTPUTS);
  float *result = numbers(ROWS * OUTPUTS);
  ckeynetwork_connect(values, ROWS, INPUTS, INPUTS, weights, constants, OUTPUTS, result);
  print("keys", result, ROWS * OUTPUTS);
}

static void beat_path(void) {
  enum { COUNT = 77, PADDED = 80, RIM = 2 * CBEATPATH_LANES, NEIGHBORS = 2 * CBEATPATH_REACH + 1 };
  float *scores = numbers(PADDED + 2 * RIM), *steps = numbers(PADDED), *costs = numbers(NEIGHBORS * PADDED);
  float changed[PADDED] = {0};
  int32_t origins[PADDED] = {0};
  for (int index = 0; index < RIM; index++) scores[index] = -INFINITY;
  for (int index = RIM + COUNT; index < PADDED + 2 * RIM; index++) scores[index] = -INFINITY;
  for (int index = 0; index < PADDED; index++) steps[index] = fabsf(steps[index]);
  for (int index = 0; index < NEIGHBORS * PADDED; index++) costs[index] = fabsf(costs[index]);
  cbeatpath_change(scores + RIM, COUNT, PADDED, steps, costs, changed, origins);
  print("path", changed, COUNT);
  for (int index = 0; index < COUNT; index++) printf("origins %a\n", (double)origins[index]);
}

static void filter_bank(void) {
  enum { BANDS = 3, BINS = 40 };
  const cfilterbank_band bands[BANDS] = {{0, 4}, {3, 16}, {19, 21}};
  float sums[BANDS];
  cfilterbank_apply(numbers(BINS), bands, BANDS, numbers(4 + 16 + 21), sums);
  print("bands", sums, BANDS);
}

static void landmark_network(void) {
  enum { WIDTH = CLANDMARKNETWORK_CHANNELS, ROWS = 3, COLUMNS = 2 * CLANDMARKNETWORK_BLOCK, TAPS = 9, MARGIN = 2 };
  enum { STEP = (COLUMNS + 2 * MARGIN) * WIDTH };
  float *values = numbers((ROWS + 2) * STEP);
  ptrdiff_t taps[TAPS];
  for (int tap = 0; tap < TAPS; tap++) taps[tap] = (tap / 3 - 1) * STEP + (tap % 3 - 1) * WIDTH;
  clandmarknetwork_picture picture = {values + STEP + MARGIN * WIDTH, STEP, WIDTH};
  clandmarknetwork_convolution convolution = {taps, TAPS, WIDTH, numbers(TAPS * WIDTH * WIDTH), numbers(WIDTH)};
  static float channels[ROWS * COLUMNS * WIDTH], outputs[ROWS * COLUMNS * CLANDMARKNETWORK_OUTPUTS];
  clandmarknetwork_convolve(picture, ROWS, COLUMNS, convolution, NULL, channels, COLUMNS * WIDTH);
  print("landmarks", channels, ROWS * COLUMNS * WIDTH);
  convolution.weights = numbers(TAPS * CLANDMARKNETWORK_OUTPUTS * WIDTH);
  clandmarknetwork_output(picture, ROWS, COLUMNS, convolution, outputs);
  print("landmarks", outputs, ROWS * COLUMNS * CLANDMARKNETWORK_OUTPUTS);
}

static void frame_grids(void) {
  enum { BLOCK = 192, OFFSETS = 40, BINS = 64, GROUPS = 2, HARMONICS = 2, FIRST = 20, COUNT = BINS + 2 * HARMONICS, PARTS = 3 };
  cframegrids_lapped grid = {BLOCK, FIRST, BINS, GROUPS, numbers(HARMONICS), HARMONICS, 1e-6f};
  const float *left = numbers(OFFSETS + 2 * BLOCK), *right = numbers(OFFSETS + 2 * BLOCK);
  float *scratch = numbers(CFRAMEGRIDS_SCRATCH), *scores = numbers(GROUPS * OFFSETS);
  cframegrids_score_lapped(&grid, left, right, OFFSETS, numbers(2 * COUNT), numbers(2 * COUNT), scratch, scores);
  print("grids", scores, GROUPS * OFFSETS);
  const float floors[2] = {1e-6f, 1e-6f};
  float *rows = numbers(2 * CFRAMEGRIDS_HYBRID_ROWS * 32), *subbands = numbers(PARTS * 32);
  float *hybrid = numbers(PARTS * CFRAMEGRIDS_HYBRID_OFFSETS);
  cframegrids_score_mpeg(
      numbers(CFRAMEGRIDS_TAPS), 4, 20, numbers(CFRAMEGRIDS_HYBRID_SAMPLES), numbers(CFRAMEGRIDS_HYBRID_SAMPLES), floors,
      rows, subbands, hybrid);
  print("grids", subbands, PARTS * 32);
  print("grids", hybrid, PARTS * CFRAMEGRIDS_HYBRID_OFFSETS);
}

static void sample_cells(void) {
  enum { CELLS = 3, COUNT = CELLS * CSAMPLECELLS_LENGTH, RIM = 8, ORDER = 5 };
  float *samples = numbers(COUNT + 2 * RIM), quarters[4 * CELLS], totals[2], copied[COUNT];
  samples[RIM + 70] = 0, samples[RIM + 71] = NAN;
  csamplecells_copy(samples + RIM, COUNT, copied);
  print("cells", copied, COUNT);
  samples[RIM + 71] = 0;
  csamplecells_cell cells[CELLS];
  csamplecells_measure(samples + RIM, CELLS, cells);
  print("cells", (float *)cells, CELLS * (sizeof(csamplecells_cell) / sizeof(float)));
  csamplecells_compare(samples, samples + RIM, CELLS, quarters, totals);
  print("cells", quarters, 4 * CELLS);
  print("cells", totals, 2);
  int32_t places[COUNT];
  uint32_t hashes[COUNT];
  const ptrdiff_t found = csamplecells_find_anchors(samples, COUNT, places, hashes);
  for (ptrdiff_t index = 0; index < found; index++) printf("anchors %a\nanchors %a\n", (double)places[index], (double)hashes[index]);
  double exact[COUNT + 2 * RIM] = {0}, correlation[ORDER + 1], filtered[COUNT];
  for (int index = 0; index < COUNT; index++) exact[RIM + index] = copied[index];
  csamplecells_autocorrelate(exact + RIM, COUNT, ORDER, correlation);
  csamplecells_filter(exact + RIM, COUNT, correlation, ORDER, filtered);
  for (int index = 0; index <= ORDER; index++) printf("correlation %a\n", correlation[index]);
  for (int index = 0; index < COUNT; index++) printf("filter %a\n", filtered[index]);
}

static void spectra(void) {
  enum { COUNT = 77 };
  float *samples = numbers(2 * COUNT), *products = numbers(COUNT);
  cspectra_weigh(samples, numbers(COUNT), COUNT, products);
  print("spectra", products, COUNT);
  cspectra_powers(samples, COUNT, products);
  print("spectra", products, COUNT);
}

static void matched_filter(void) {
  enum { BANDS = 138, COLUMNS = 90, STEP = COLUMNS + 2 * CMATCHEDFILTER_MARGIN, COUNT = 397 };
  static int16_t values[BANDS * STEP];
  for (int index = 0; index < BANDS * STEP; index++)
    values[index] = (int16_t)(fabsf(index % STEP - STEP / 2 + 0.5f) < COLUMNS / 2 ? 255 * next() : 0);
  static cmatchedfilter_landmark landmarks[COUNT];
  for (int index = 0; index < COUNT; index++)
    landmarks[index] = (cmatchedfilter_landmark){index / 3, (int16_t)(69 + 69 * next()), (int16_t)(8 + 8 * next())};
  const cmatchedfilter_rows rows = {values + CMATCHEDFILTER_MARGIN, STEP, COLUMNS, BANDS};
  const cmatchedfilter_placement placement = {1 / 1.03f, -14.3f, 3};
  cmatchedfilter_score score;
  cmatchedfilter_add(&rows, landmarks, COUNT, &placement, &score);
  ptrdiff_t offsets[COUNT];
  int16_t weights[COUNT];
  int32_t sums[CMATCHEDFILTER_LANES];
  for (int index = 0; index < COUNT; index++) {
    offsets[index] = landmarks[index].band * STEP + landmarks[index].column % COLUMNS;
    weights[index] = cmatchedfilter_weight(landmarks[index].strength);
  }
  cmatchedfilter_add_at(rows.values, offsets, weights, COUNT, sums);
  for (int lane = 0; lane < CMATCHEDFILTER_LANES; lane++)
    printf("filter %a\nfilter %a\n", (double)score.sums[lane], (double)sums[lane]);
  printf("filter %a\nfilter %a\n", (double)score.count, (double)score.squares);
}

static void pair_cells(void) {
#pragma STDC FP_CONTRACT OFF
  enum { COUNT = 25 * CPAIRCELLS_LANES };
  const cpaircells_index index = {{0, -24, 2}, {137, 24, 60}};
  float *bands = numbers(COUNT), *intervals = numbers(COUNT), *gaps = numbers(COUNT), *rarities = numbers(COUNT);
  for (int pair = 0; pair < COUNT; pair++) bands[pair] = 69 + 70 * bands[pair], intervals[pair] *= 24, gaps[pair] = 31 + 30 * gaps[pair];
  const cpaircells_pairs pairs = {{bands, intervals, gaps}, rarities, COUNT};
  const cpaircells_search search = {1.5f, 1.03f, 0.7f, 0.5f, 1};
  static cpaircells_cell cells[CPAIRCELLS_PER_PAIR * COUNT];
  const ptrdiff_t found = cpaircells_find(&index, &pairs, &search, cells);
  for (ptrdiff_t cell = 0; cell < found; cell++)
    printf("cells %a\ncells %a\ncells %a\n", (double)cells[cell].key, (double)cells[cell].pair, (double)cells[cell].rarity);
}

static void true_peak(void) {
  enum { COUNT = 1000 };
  ctruepeak_interpolator interpolator = {.bound = 3, .bound_beside = 2, .bound_of_others = 1, .bound_of_rest = 1};
  float *samples = numbers(COUNT + CTRUEPEAK_TAPS);
  for (int tap = 0; tap < CTRUEPEAK_TAPS; tap++)
    for (int phase = 0; phase < CTRUEPEAK_PHASES; phase++) interpolator.coefficients[tap][phase] = next();
  for (int tap = 0; tap < CTRUEPEAK_MIDDLE_TAPS; tap++)
    for (int phase = 0; phase < CTRUEPEAK_MIDDLE_PHASES; phase++) interpolator.middle[tap][phase] = next();
  for (int count = 1; count < COUNT; count += 111) {
    float peaks[2] = {0};
    ctruepeak_raise(&interpolator, samples, count, peaks, peaks + 1);
    print("peaks", peaks, 2);
  }
}

static void waveform_bands(void) {
  enum { SETTLING = 21, LENGTH = 45 };
  const cwaveformbands_crossover lower = {-1.88f, 0.886f, 0.0017f, 0.941f}, upper = {-1.22f, 0.45f, 0.057f, 0.668f};
  float *samples = numbers(SETTLING + CWAVEFORMBANDS_LANES * LENGTH);
  cwaveformbands_measures measures;
  cwaveformbands_measure(samples, SETTLING, LENGTH, &lower, &upper, &measures);
  print("waveform", measures.minimum, sizeof measures / sizeof(float));
}

int main(void) {
  beat_network();
  key_network();
  beat_path();
  filter_bank();
  landmark_network();
  matched_filter();
  pair_cells();
  frame_grids();
  sample_cells();
  spectra();
  true_peak();
  waveform_bands();
  return 0;
}
