#include "stream.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/dict.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  ioBufferSize = 1 << 16,
  /// The delay of MP3 decoders in samples (LAME's DECDELAY), which players drop in addition to the encoder delay.
  mp3DecoderDelay = 529,
};

struct LAVWriter {
  int descriptor;
  int64_t position;
  int64_t length;
  int writeErrno;

  AVIOContext *io;
  AVFormatContext *format;
  AVPacket *packet;
  /// The time base of the source.
  AVRational unit;
  /// The reader's time that corresponds to time 0 of the writer, in multiples of `unit`.
  int64_t origin;
  /// The time of the last packet, and the expected time of the next one, in the writer's units.
  int64_t last;
  int64_t next;
  bool hasBegun;
};

// Output

// libavformat 61 (FFmpeg 7) made the bytes constant.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t WrittenByte;
#else
typedef uint8_t WrittenByte;
#endif

static int writeBytes(void *opaque, WrittenByte *bytes, int count) {
  LAVWriter *writer = opaque;
  int written = 0;
  while (written < count) {
    ssize_t got = pwrite(writer->descriptor, bytes + written, count - written, writer->position);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (!writer->writeErrno) writer->writeErrno = got < 0 ? errno : ENOSPC;
      return AVERROR(writer->writeErrno);
    }
    written += (int)got;
    writer->position += got;
    if (writer->position > writer->length) writer->length = writer->position;
  }
  return count;
}

static int64_t seekBytes(void *opaque, int64_t offset, int whence) {
  LAVWriter *writer = opaque;
  switch (whence & ~AVSEEK_FORCE) {
  case AVSEEK_SIZE: return writer->length;
  case SEEK_SET: break;
  case SEEK_CUR: offset += writer->position; break;
  case SEEK_END: offset += writer->length; break;
  default: return AVERROR(EINVAL);
  }
  if (offset < 0) return AVERROR(EINVAL);
  writer->position = offset;
  return offset;
}

/// Refuses muxers access to other files.
static int refuseOpen(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
  (void)format, (void)io, (void)url, (void)flags, (void)options;
  return AVERROR(EACCES);
}

void lav_writer_close(LAVWriter *writer) {
  if (!writer) return;
  LAV(avformat_free_context)(writer->format);
  if (writer->io) {
    LAVU(av_freep)(&writer->io->buffer);
    LAV(avio_context_free)(&writer->io);
  }
  LAV(av_packet_free)(&writer->packet);
  free(writer);
}

static LAVWriteStatus statusOf(const LAVWriter *writer, int error, int *writeErrno) {
  *writeErrno = writer->writeErrno;
  if (writer->writeErrno) return LAVWriteStatusWriteError;
  if (error == AVERROR(ENOMEM)) return LAVWriteStatusOutOfMemory;
  return LAVWriteStatusUnsupported;
}

// The file

/// Sets the number of samples that players drop at the start: the encoder delay, which a continuation does not have.
static void setEncoderDelay(AVCodecParameters *parameters, const AVStream *source, bool isContinuation) {
  if (isContinuation) parameters->initial_padding = 0;
  switch (parameters->codec_id) {
  case AV_CODEC_ID_MP3:
    if (!isContinuation && source->start_time > 0) {
      AVRational frames = {1, parameters->sample_rate};
      int64_t delay = LAVU(av_rescale_q)(source->start_time, source->time_base, frames);
      if (delay >= mp3DecoderDelay && delay < mp3DecoderDelay + 4096) parameters->initial_padding = (int)delay;
    }
    break;
  case AV_CODEC_ID_OPUS:
    // The pre-skip field of the identification header (RFC 7845, section 5.1).
    if (isContinuation && parameters->extradata_size >= 12) {
      parameters->extradata[10] = 0;
      parameters->extradata[11] = 0;
    }
    break;
  default: break;
  }
}

static int addStream(LAVWriter *writer, const AVStream *source, bool isContinuation) {
  AVStream *stream = LAV(avformat_new_stream)(writer->format, NULL);
  if (!stream) return AVERROR(ENOMEM);
  int error = LAV(avcodec_parameters_copy)(stream->codecpar, source->codecpar);
  if (error < 0) return error;
  // The codec tag from another kind of container may mean nothing in this one.
  stream->codecpar->codec_tag = 0;
  stream->time_base = source->time_base;
  setEncoderDelay(stream->codecpar, source, isContinuation);
  return 0;
}

static int setTags(LAVWriter *writer, const LAVTag *tags, int count) {
  for (int i = 0; i < count; i++) {
    // Ogg keeps tags in the stream, all other formats in the file. Several values for one name are several tags.
    int error = LAVU(av_dict_set)(&writer->format->metadata, tags[i].name, tags[i].value, AV_DICT_MULTIKEY);
    if (error < 0) return error;
  }
  if (strcmp(writer->format->oformat->name, "ogg") != 0) return 0;
  return LAVU(av_dict_copy)(&writer->format->streams[0]->metadata, writer->format->metadata, AV_DICT_MULTIKEY);
}

LAVWriteStatus lav_writer_open(const LAVReader *reader, const char *muxer, int descriptor, const LAVTag *tags,
                               int tagCount, bool isContinuation, LAVWriter **result, int *writeErrno) {
  *result = NULL;
  *writeErrno = 0;
  LAVWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return LAVWriteStatusOutOfMemory;
  writer->descriptor = descriptor;
  writer->unit = readerStream(reader)->time_base;
  writer->packet = LAV(av_packet_alloc)();
  uint8_t *buffer = LAVU(av_malloc)(ioBufferSize);
  if (buffer) writer->io = LAV(avio_alloc_context)(buffer, ioBufferSize, 1, writer, NULL, writeBytes, seekBytes);
  if (!writer->io) LAVU(av_free)(buffer);
  int error = AVERROR(ENOMEM);
  if (!writer->packet || !writer->io) goto fail;
  error = LAV(avformat_alloc_output_context2)(&writer->format, NULL, muxer, NULL);
  if (error < 0) goto fail;
  writer->format->pb = writer->io;
  writer->format->io_open = refuseOpen;
  // No dates, versions or random numbers, so that the same input results in the same bytes.
  writer->format->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
  error = addStream(writer, readerStream(reader), isContinuation);
  if (error >= 0) error = setTags(writer, tags, tagCount);
  if (error < 0) goto fail;
  AVDictionary *options = NULL;
  // Raw AAC has no tags of its own.
  if (strcmp(muxer, "adts") == 0) LAVU(av_dict_set)(&options, "write_id3v2", "1", 0);
  error = LAV(avformat_write_header)(writer->format, &options);
  LAVU(av_dict_free)(&options);
  if (error < 0) goto fail;
  *result = writer;
  return LAVWriteStatusOK;
fail:;
  LAVWriteStatus status = statusOf(writer, error, writeErrno);
  lav_writer_close(writer);
  return status;
}

LAVWriteStatus lav_writer_write(LAVWriter *writer, const LAVReader *reader, int *writeErrno) {
  AVPacket *packet = writer->packet;
  int error = LAV(av_packet_ref)(packet, readerPacket(reader));
  if (error < 0) return statusOf(writer, error, writeErrno);
  if (!writer->hasBegun) {
    writer->hasBegun = true;
    writer->origin = packet->pts == AV_NOPTS_VALUE ? 0 : packet->pts;
  }
  int64_t time = packet->pts == AV_NOPTS_VALUE ? writer->next : packet->pts - writer->origin;
  // Muxers reject decreasing times, which occur where two streams were joined.
  if (time < writer->last) {
    writer->origin -= writer->next - time;
    time = writer->next;
  }
  writer->last = time;
  writer->next = time + packet->duration;
  packet->pts = time;
  packet->dts = time;
  packet->pos = -1;
  packet->stream_index = 0;
  LAV(av_packet_rescale_ts)(packet, writer->unit, writer->format->streams[0]->time_base);
  error = LAV(av_interleaved_write_frame)(writer->format, packet);
  LAV(av_packet_unref)(packet);
  return error < 0 ? statusOf(writer, error, writeErrno) : LAVWriteStatusOK;
}

LAVWriteStatus lav_writer_finish(LAVWriter *writer, int *writeErrno) {
  int error = LAV(av_write_trailer)(writer->format);
  LAV(avio_flush)(writer->io);
  if (error >= 0 && writer->io->error < 0) error = writer->io->error;
  return error < 0 || writer->writeErrno ? statusOf(writer, error, writeErrno) : LAVWriteStatusOK;
}
