#include "CLibAV.h"
#include "loaded.h"

#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <stdlib.h>

enum {
  outputRate = 11025,
  /// Number of frames converted at a time.
  chunk = 4096,
};

struct LAVConverter {
  SwrContext *swr;
  int channelCount;
  enum AVSampleFormat format;
  /// One plane per channel, each with `chunk` samples of `format`.
  uint8_t **planes;
  int16_t *output;
  int outputCapacity;
};

static enum AVSampleFormat planarFormat(LAVSampleType type) {
  switch (type) {
  case LAVSampleTypeUInt8: return AV_SAMPLE_FMT_U8P;
  case LAVSampleTypeInt16: return AV_SAMPLE_FMT_S16P;
  case LAVSampleTypeInt32: return AV_SAMPLE_FMT_S32P;
  case LAVSampleTypeFloat: return AV_SAMPLE_FMT_FLTP;
  case LAVSampleTypeDouble: return AV_SAMPLE_FMT_DBLP;
  }
  return AV_SAMPLE_FMT_FLTP;
}

void lav_converter_free(LAVConverter *converter) {
  if (!converter) return;
  LAV(swr_free)(&converter->swr);
  if (converter->planes) LAVU(av_freep)(&converter->planes[0]);
  LAVU(av_freep)(&converter->planes);
  free(converter->output);
  free(converter);
}

LAVConverter *lav_converter_create(int sampleRate, int channelCount, uint64_t channelMask, LAVSampleType sampleType) {
  LAVConverter *converter = calloc(1, sizeof *converter);
  if (!converter) return NULL;
  converter->channelCount = channelCount;
  converter->format = planarFormat(sampleType);

  AVChannelLayout input = {0};
  AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
  if (channelMask == 0 || LAVU(av_channel_layout_from_mask)(&input, channelMask) < 0 ||
      input.nb_channels != channelCount) {
    LAVU(av_channel_layout_uninit)(&input);
    LAVU(av_channel_layout_default)(&input, channelCount);
  }
  int error = LAV(swr_alloc_set_opts2)(&converter->swr, &mono, AV_SAMPLE_FMT_S16, outputRate, &input,
                                       converter->format, sampleRate, 0, NULL);
  LAVU(av_channel_layout_uninit)(&input);
  if (error < 0) goto fail;
  LAVU(av_opt_set_int)(converter->swr, "filter_size", 16, 0);
  LAVU(av_opt_set_int)(converter->swr, "phase_shift", 8, 0);
  LAVU(av_opt_set_int)(converter->swr, "linear_interp", 1, 0);
  LAVU(av_opt_set_double)(converter->swr, "cutoff", 0.8, 0);
  if (LAV(swr_init)(converter->swr) < 0) goto fail;
  int lineSize;
  error = LAVU(av_samples_alloc_array_and_samples)(&converter->planes, &lineSize, channelCount, chunk,
                                                   converter->format, 0);
  if (error < 0) goto fail;
  return converter;
fail:
  lav_converter_free(converter);
  return NULL;
}

int lav_converter_room(LAVConverter *converter, int frameCount) {
  int room = LAV(swr_get_out_samples)(converter->swr, frameCount);
  return room > 0 ? room : 0;
}

static double limited(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/// Converts samples back to the decoder's representation, exactly if they were integers of at most 24 bits.
static void fillPlanes(LAVConverter *converter, const float *samples, int stride, int count) {
  for (int c = 0; c < converter->channelCount; c++) {
    const float *from = samples + (int64_t)c * stride;
    void *plane = converter->planes[c];
    switch (converter->format) {
    case AV_SAMPLE_FMT_U8P:
      for (int i = 0; i < count; i++) ((uint8_t *)plane)[i] = (uint8_t)lrint(limited(from[i] * 128.0 + 128, 0, 255));
      break;
    case AV_SAMPLE_FMT_S16P:
      for (int i = 0; i < count; i++) {
        float x = from[i] * 32768;
        ((int16_t *)plane)[i] = (int16_t)(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
      }
      break;
    case AV_SAMPLE_FMT_S32P:
      for (int i = 0; i < count; i++) {
        ((int32_t *)plane)[i] = (int32_t)limited(from[i] * 2147483648.0, -2147483648.0, 2147483647.0);
      }
      break;
    case AV_SAMPLE_FMT_DBLP:
      for (int i = 0; i < count; i++) ((double *)plane)[i] = from[i];
      break;
    default:
      for (int i = 0; i < count; i++) ((float *)plane)[i] = from[i];
      break;
    }
  }
}

int lav_converter_push(LAVConverter *converter, const float *samples, int stride, int frameCount, float *output,
                       int capacity) {
  if (capacity > converter->outputCapacity) {
    int16_t *grown = realloc(converter->output, (size_t)capacity * sizeof(int16_t));
    if (!grown) return -1;
    converter->output = grown;
    converter->outputCapacity = capacity;
  }
  int written = 0;
  int taken = 0;
  do {
    int count = frameCount - taken < chunk ? frameCount - taken : chunk;
    fillPlanes(converter, samples + taken, stride, count);
    uint8_t *to[] = {(uint8_t *)(converter->output + written)};
    int got = LAV(swr_convert)(converter->swr, to, capacity - written, (const uint8_t **)converter->planes, count);
    if (got < 0) return -1;
    written += got;
    taken += count;
  } while (taken < frameCount);
  for (int i = 0; i < written; i++) output[i] = converter->output[i];
  return written;
}
