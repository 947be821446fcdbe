#include "stream.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libswscale/swscale.h>
#include <string.h>
#include <unistd.h>

enum {
  ioBufferSize = 1 << 16,
  /// Maximum number of bytes read: a demuxer that reads more before it finds its header is in a loop.
  readLimit = 512 << 20,
};

// Finding

typedef struct FileInput {
  int descriptor;
  int64_t position;
  int64_t length;
  int64_t readCount;
} FileInput;

static int readFile(void *opaque, uint8_t *buffer, int count) {
  FileInput *input = opaque;
  if (input->position >= input->length || input->readCount > readLimit) return AVERROR_EOF;
  ssize_t got;
  do {
    got = pread(input->descriptor, buffer, count, input->position);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return AVERROR(errno);
  if (got == 0) return AVERROR_EOF;
  input->position += got;
  input->readCount += got;
  return (int)got;
}

static int64_t seekFile(void *opaque, int64_t offset, int whence) {
  FileInput *input = opaque;
  whence &= ~AVSEEK_FORCE;
  if (whence == AVSEEK_SIZE) return input->length;
  int64_t base = whence == SEEK_CUR ? input->position : whence == SEEK_END ? input->length : 0;
  if (__builtin_add_overflow(offset, base, &offset) || offset < 0) return AVERROR(EINVAL);
  input->position = offset;
  return offset;
}

/// Returns the picture marked as the front cover, or else the first picture.
static const AVPacket *chosenPicture(const AVFormatContext *format) {
  const AVPacket *first = NULL;
  for (unsigned i = 0; i < format->nb_streams; i++) {
    const AVStream *stream = format->streams[i];
    if (!(stream->disposition & AV_DISPOSITION_ATTACHED_PIC) || stream->attached_pic.size <= 0) continue;
    // ID3's name for picture type 3, which FFmpeg uses for all formats.
    const AVDictionaryEntry *type = LAVU(av_dict_get)(stream->metadata, "comment", NULL, 0);
    if (type && strcmp(type->value, "Cover (front)") == 0) return &stream->attached_pic;
    if (!first) first = &stream->attached_pic;
  }
  return first;
}

LAVPictureStatus lav_attached_picture(int descriptor, int64_t length, uint8_t **bytes, size_t *count) {
  *bytes = NULL;
  *count = 0;
  lavPrepare();
  FileInput input = {.descriptor = descriptor, .length = length};
  LAVPictureStatus status = LAVPictureStatusOutOfMemory;
  AVFormatContext *format = LAV(avformat_alloc_context)();
  uint8_t *buffer = LAVU(av_malloc)(ioBufferSize);
  AVIOContext *io = buffer ? LAV(avio_alloc_context)(buffer, ioBufferSize, 0, &input, readFile, NULL, seekFile) : NULL;
  if (!io) LAVU(av_free)(buffer);
  if (!format || !io) goto end;
  format->pb = io;
  int error = lavOpenInput(&format, NULL);
  if (error < 0) {
    status = error == AVERROR(ENOMEM) ? LAVPictureStatusOutOfMemory : LAVPictureStatusNone;
    goto end;
  }
  const AVPacket *picture = chosenPicture(format);
  status = picture ? LAVPictureStatusOK : LAVPictureStatusNone;
  if (!picture) goto end;
  *bytes = LAVU(av_memdup)(picture->data, picture->size);
  if (*bytes) *count = picture->size;
  else status = LAVPictureStatusOutOfMemory;
end:
  LAV(avformat_close_input)(&format);
  if (io) {
    LAVU(av_freep)(&io->buffer);
    LAV(avio_context_free)(&io);
  }
  return status;
}

void lav_free_picture(uint8_t *bytes) { LAVU(av_free)(bytes); }

// Decoding

/// Detects the format from the first bytes, because file names and tags are often wrong.
static enum AVCodecID pictureCodec(const uint8_t *bytes, size_t count) {
  if (count >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0) return AV_CODEC_ID_MJPEG;
  if (count >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0) return AV_CODEC_ID_PNG;
  if (count >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) return AV_CODEC_ID_WEBP;
  if (count >= 6 && memcmp(bytes, "GIF8", 4) == 0) return AV_CODEC_ID_GIF;
  if (count >= 14 && memcmp(bytes, "BM", 2) == 0) return AV_CODEC_ID_BMP;
  return AV_CODEC_ID_NONE;
}

static AVFrame *decodedPicture(const uint8_t *bytes, size_t count) {
  enum AVCodecID id = pictureCodec(bytes, count);
  const AVCodec *codec = id == AV_CODEC_ID_NONE ? NULL : LAV(avcodec_find_decoder)(id);
  AVCodecContext *context = codec ? LAV(avcodec_alloc_context3)(codec) : NULL;
  AVPacket *packet = LAV(av_packet_alloc)();
  AVFrame *frame = LAVU(av_frame_alloc)();
  bool isDecoded = false;
  if (context && packet && frame && LAV(av_new_packet)(packet, (int)count) >= 0) {
    memcpy(packet->data, bytes, count);
    context->max_pixels = LAV_MAXIMUM_PICTURE_PIXELS;
    context->thread_count = 1;
    isDecoded = LAV(avcodec_open2)(context, codec, NULL) >= 0 && LAV(avcodec_send_packet)(context, packet) >= 0 &&
                LAV(avcodec_send_packet)(context, NULL) >= 0 && LAV(avcodec_receive_frame)(context, frame) >= 0 &&
                frame->width > 0 && frame->height > 0 &&
                (int64_t)frame->width * frame->height <= LAV_MAXIMUM_PICTURE_PIXELS;
  }
  LAV(av_packet_free)(&packet);
  LAV(avcodec_free_context)(&context);
  if (!isDecoded) LAVU(av_frame_free)(&frame);
  return frame;
}

// Scaling

static AVFrame *emptyPicture(int width, int height, enum AVPixelFormat format) {
  AVFrame *frame = LAVU(av_frame_alloc)();
  if (!frame) return NULL;
  frame->width = width;
  frame->height = height;
  frame->format = format;
  if (LAVU(av_frame_get_buffer)(frame, 0) < 0) LAVU(av_frame_free)(&frame);
  return frame;
}

static AVFrame *scaledPicture(const AVFrame *source, int width, int height, enum AVPixelFormat format) {
  AVFrame *target = emptyPicture(width, height, format);
  struct SwsContext *scaler =
      target ? LAV(sws_getContext)(source->width, source->height, source->format, width, height, format,
                              SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL)
             : NULL;
  bool isScaled = scaler && LAV(sws_scale)(scaler, (const uint8_t *const *)source->data, source->linesize, 0,
                                           source->height, target->data, target->linesize) == height;
  LAV(sws_freeContext)(scaler);
  if (!isScaled) LAVU(av_frame_free)(&target);
  return target;
}

/// Makes transparent areas white, because JPEG has no transparency.
static void flatten(AVFrame *picture) {
  for (int y = 0; y < picture->height; y++) {
    uint8_t *pixel = picture->data[0] + (ptrdiff_t)y * picture->linesize[0];
    for (int x = 0; x < picture->width; x++, pixel += 4) {
      int alpha = pixel[3];
      if (alpha == 255) continue;
      for (int i = 0; i < 3; i++) pixel[i] = (pixel[i] * alpha + 255 * (255 - alpha) + 127) / 255;
    }
  }
}

// Encoding

/// The quantizer, from 2 (best) to 31; 3 is about what other programs call 90%.
static const int jpegQuantizer = 3;

static LAVPictureStatus encodeJPEG(AVFrame *picture, uint8_t **bytes, size_t *count) {
  LAVPictureStatus status = LAVPictureStatusOutOfMemory;
  const AVCodec *codec = LAV(avcodec_find_encoder)(AV_CODEC_ID_MJPEG);
  if (!codec) return LAVPictureStatusUnsupported;
  AVCodecContext *context = LAV(avcodec_alloc_context3)(codec);
  AVPacket *packet = LAV(av_packet_alloc)();
  if (context && packet) {
    context->width = picture->width;
    context->height = picture->height;
    context->pix_fmt = picture->format;
    context->color_range = AVCOL_RANGE_JPEG;
    context->time_base = (AVRational){1, 1};
    context->thread_count = 1;
    context->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
    context->global_quality = picture->quality = jpegQuantizer * FF_QP2LAMBDA;
    picture->pts = 0;
    if (LAV(avcodec_open2)(context, codec, NULL) >= 0 && LAV(avcodec_send_frame)(context, picture) >= 0 &&
        LAV(avcodec_send_frame)(context, NULL) >= 0 && LAV(avcodec_receive_packet)(context, packet) >= 0 &&
        (*bytes = LAVU(av_memdup)(packet->data, packet->size))) {
      *count = packet->size;
      status = LAVPictureStatusOK;
    }
  }
  LAV(av_packet_free)(&packet);
  LAV(avcodec_free_context)(&context);
  return status;
}

LAVPictureStatus lav_thumbnail(const uint8_t *picture, size_t pictureCount, int side, uint8_t **bytes, size_t *count) {
  *bytes = NULL;
  *count = 0;
  lavPrepare();
  if (side < 1 || pictureCount > LAV_MAXIMUM_PICTURE_SIZE) return LAVPictureStatusUnsupported;
  AVFrame *source = decodedPicture(picture, pictureCount);
  if (!source) return LAVPictureStatusUnsupported;
  int longest = source->width > source->height ? source->width : source->height;
  int width = source->width, height = source->height;
  if (longest > side) {
    width = (int)(((int64_t)source->width * side + longest / 2) / longest);
    height = (int)(((int64_t)source->height * side + longest / 2) / longest);
    if (width < 1) width = 1;
    if (height < 1) height = 1;
  }
  LAVPictureStatus status = LAVPictureStatusUnsupported;
  AVFrame *flat = scaledPicture(source, width, height, AV_PIX_FMT_RGBA);
  LAVU(av_frame_free)(&source);
  if (flat) flatten(flat);
  AVFrame *scaled = flat ? scaledPicture(flat, width, height, AV_PIX_FMT_YUVJ420P) : NULL;
  if (scaled) status = encodeJPEG(scaled, bytes, count);
  LAVU(av_frame_free)(&flat);
  LAVU(av_frame_free)(&scaled);
  return status;
}
